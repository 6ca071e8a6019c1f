package extract

import (
	"bytes"
	"strings"
)

const (
	// maxMarkdownLinks is how many links of a context file are kept (LC-143).
	maxMarkdownLinks = 1000
	// maxMarkdownSeen is how many URLs are remembered to tell repetitions; beyond it rest may count one twice.
	maxMarkdownSeen = 10 * maxMarkdownLinks
)

// MarkdownLink is one link of a context file.
type MarkdownLink struct {
	URL  string
	Text string // of the first link to URL, white space collapsed, as written; "" for a bare URL
}

// MarkdownLinks returns the links of a context file in document order, resolved against base, without
// fragments and repetitions (LC-009, LC-010, LC-143). Links are CommonMark inline links, reference
// links and autolinks, and bare http and https URLs in text; not images, not what stands in code or in
// HTML comments. The first 1,000 are kept, rest counts the distinct others. text must be UTF-8; it need
// not be Markdown (LC-003).
func MarkdownLinks(text []byte, base string, r Resolver) (links []string, rest int) {
	labelled, rest := LabelledLinks(text, base, r)
	for _, l := range labelled {
		links = append(links, l.URL)
	}
	return links, rest
}

// LabelledLinks is MarkdownLinks with the text of the links.
func LabelledLinks(text []byte, base string, r Resolver) (links []MarkdownLink, rest int) {
	blocks := splitMarkdown(text)
	found := inlineScanner{definitions: blocks.definitions}
	for _, segment := range blocks.segments {
		found.scan(segment)
	}
	seen := make(map[string]struct{}, len(found.links))
	for _, link := range found.links {
		raw := trimURL([]byte(link.target))
		if len(raw) == 0 || raw[0] == '#' || len(raw) > maxRawBytes || otherScheme(raw) {
			continue
		}
		url, ok := r.Resolve(base, string(raw))
		if url = withoutFragment(url); !ok || !isWeb(url) || len(url) > DefaultMaxURLBytes {
			continue
		}
		if _, again := seen[url]; again {
			continue
		}
		if len(seen) < maxMarkdownSeen {
			seen[url] = struct{}{}
		}
		if len(links) == maxMarkdownLinks {
			rest++
			continue
		}
		links = append(links, MarkdownLink{URL: url, Text: linkText(link.text)})
	}
	return links, rest
}

// linkText is the text of a link on one line, at most 1 KiB of it.
func linkText(raw string) string {
	if strings.Contains(raw, "![") {
		return "" // a picture
	}
	if len(raw) > maxTitleBytes {
		raw = strings.ToValidUTF8(raw[:maxTitleBytes], "")
	}
	return strings.Join(strings.Fields(raw), " ")
}

// MarkdownTitle returns the first heading of the first level, white space collapsed, "" if there is none.
func MarkdownTitle(text []byte) string {
	for _, segment := range splitMarkdown(text).segments {
		if heading, ok := strings.CutPrefix(segment, "# "); ok {
			return linkText(strings.TrimRight(heading, "# "))
		}
	}
	return ""
}

// markdownBlocks is a text without its code and comments: what inline rules apply to.
type markdownBlocks struct {
	segments    []string          // paragraphs, headings, list items, each apart
	definitions map[string]string // normalised label → destination
}

// splitMarkdown recognises the blocks that matter for links. Lists and quotes are not nested properly;
// inside a list an indented line is text, never code.
func splitMarkdown(text []byte) markdownBlocks {
	s := blockSplitter{markdownBlocks: markdownBlocks{definitions: map[string]string{}}, blank: true}
	for line := range bytes.Lines(text) {
		s.line(strings.TrimRight(string(line), "\r\n"))
	}
	s.flush()
	return s.markdownBlocks
}

type blockSplitter struct {
	markdownBlocks
	paragraph []string
	fence     string // opening run of the code block we are in
	literal   string // lower-case end of the raw HTML block or comment we are in
	blank     bool   // the line before was blank, a fence or indented code
	inList    bool
}

func (s *blockSplitter) line(line string) {
	if s.literal != "" {
		if strings.Contains(asciiLower(line), s.literal) {
			s.literal = ""
		}
		return
	}
	line = strings.ReplaceAll(line, "\t", "    ")
	content := strings.TrimLeft(line, " ")
	indent := len(line) - len(content)
	for strings.HasPrefix(content, ">") && indent < 4 {
		line = strings.TrimPrefix(content[1:], " ")
		content = strings.TrimLeft(line, " ")
		indent = len(line) - len(content)
	}
	if s.fence != "" {
		if run := fenceRun(content); strings.HasPrefix(run, s.fence) && strings.TrimSpace(content[len(run):]) == "" {
			s.fence, s.blank = "", true
		}
		return
	}
	if content == "" {
		s.flush()
		s.blank = true
		return
	}
	if indent >= 4 && s.blank && !s.inList {
		return // indented code; blank stays true through the block
	}
	item := listContent(content)
	if run := fenceRun(item); run != "" && !(run[0] == '`' && strings.Contains(item[len(run):], "`")) {
		s.flush()
		s.fence = run
		return
	}
	if end := literalBlock(content); end != "" {
		s.flush()
		if !strings.Contains(asciiLower(content), end) {
			s.literal = end
		}
		s.blank = true
		return
	}
	isItem := item != content
	switch {
	case isItem:
		s.inList = true
	case indent == 0 && s.blank:
		s.inList = false
	}
	s.blank = false
	if s.define(content) {
		return
	}
	if isItem || content[0] == '#' || content[0] == '|' {
		s.flush()
	}
	s.paragraph = append(s.paragraph, content)
	if content[0] == '#' {
		s.flush()
	}
}

func (s *blockSplitter) flush() {
	if len(s.paragraph) > 0 {
		s.segments = append(s.segments, strings.Join(s.paragraph, "\n"))
		s.paragraph = s.paragraph[:0]
	}
}

// fenceRun returns the run of three or more backticks or tildes at the start.
func fenceRun(content string) string {
	if content == "" || content[0] != '`' && content[0] != '~' {
		return ""
	}
	length := len(content) - len(strings.TrimLeft(content, content[:1]))
	if length < 3 {
		return ""
	}
	return content[:length]
}

// listContent returns what follows a bullet or number, or the content itself.
func listContent(content string) string {
	after := content
	switch c := content[0]; {
	case c == '-' || c == '*' || c == '+':
		after = content[1:]
	case '0' <= c && c <= '9':
		after = strings.TrimLeft(content, "0123456789")
		if len(content)-len(after) > 9 || after == "" || after[0] != '.' && after[0] != ')' {
			return content
		}
		after = after[1:]
	default:
		return content
	}
	if !strings.HasPrefix(after, " ") {
		return content
	}
	return strings.TrimLeft(after, " ")
}

// literalBlock returns what ends an HTML block whose content is never Markdown (CommonMark, HTML
// blocks 1 and 2). A comment inside a paragraph is found with the inlines.
func literalBlock(content string) string {
	if strings.HasPrefix(content, "<!--") {
		return "-->"
	}
	for _, name := range [...]string{"script", "style", "pre", "textarea"} {
		if len(content) > len(name)+1 && content[0] == '<' && strings.EqualFold(content[1:len(name)+1], name) &&
			strings.IndexByte(" >", content[len(name)+1]) >= 0 {
			return "</" + name + ">"
		}
	}
	return ""
}

// define takes a link reference definition. It may stand anywhere, even right under a paragraph, as
// people write it (LC-143). The first definition of a label counts.
func (s *blockSplitter) define(content string) bool {
	if content[0] != '[' {
		return false
	}
	end := labelEnd(content[1:])
	if end < 0 || !strings.HasPrefix(content[1+end:], "]:") {
		return false
	}
	label := normalLabel(content[1 : 1+end])
	destination, _, ok := linkDestination(strings.TrimLeft(content[1+end+2:], " "))
	if !ok || label == "" || destination == "" {
		return false
	}
	if _, defined := s.definitions[label]; !defined {
		s.definitions[label] = destination
	}
	return true
}

// maxLabelBytes bounds a reference label (CommonMark: 999 characters).
const maxLabelBytes = 999

// labelEnd finds the unescaped bracket that closes a label.
func labelEnd(s string) int {
	for i := 0; i < len(s) && i <= maxLabelBytes; i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			return -1
		case ']':
			return i
		}
	}
	return -1
}

func normalLabel(label string) string {
	return strings.ToLower(strings.Join(strings.Fields(label), " "))
}
