package extract

import (
	"html"
	"strings"
)

// inlineScanner finds links in one segment after the other. Every byte is looked at a bounded number of
// times: failed searches are remembered, brackets are bounded.
type inlineScanner struct {
	definitions map[string]string
	links       []inlineLink
}

type inlineLink struct {
	target string
	bare   bool
}

// bracket is an open "[" or "![" waiting for its end.
type bracket struct {
	at     int // of the text behind it
	links  int // how many links had been found
	image  bool
	active bool // false inside a link: links do not nest
}

const (
	maxBrackets     = 64 // open at once; more is not writing
	maxBacktickRun  = 32 // longer runs are text
	maxDestParens   = 32 // nesting of parentheses in a destination (CommonMark asks for 3 at least)
	maxBareURLBytes = 8192
)

func (s *inlineScanner) scan(text string) {
	var open []bracket
	var noRun [maxBacktickRun + 1]bool // no closing run of this length ahead
	noComment := false                 // no "-->" ahead
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '\\':
			i += 2
		case '`':
			i = codeSpan(text, i, &noRun)
		case '<':
			next, target := angle(text, i, &noComment)
			if target != "" {
				s.links = append(s.links, inlineLink{target: target})
			}
			i = next
		case '!':
			i++
			if strings.HasPrefix(text[i:], "[") {
				i++
				open = s.open(open, bracket{at: i, image: true, active: true})
			}
		case '[':
			i++
			open = s.open(open, bracket{at: i, active: true})
		case ']':
			open, i = s.close(text, i, open)
		case 'h', 'H':
			end := bareURL(text, i, len(open) > 0)
			if end > i {
				s.links = append(s.links, inlineLink{target: text[i:end], bare: true})
				i = end
				continue
			}
			i++
		default:
			i++
		}
	}
}

func (s *inlineScanner) open(stack []bracket, b bracket) []bracket {
	if len(stack) == maxBrackets {
		stack = stack[:copy(stack, stack[1:])]
	}
	b.links = len(s.links)
	return append(stack, b)
}

// close handles "]" at i: it completes an inline or reference link, an image, or nothing.
func (s *inlineScanner) close(text string, i int, open []bracket) ([]bracket, int) {
	if len(open) == 0 {
		return open, i + 1
	}
	b := open[len(open)-1]
	open = open[:len(open)-1]
	if !b.active {
		return open, i + 1
	}
	target, next, ok := s.destination(text, b.at, i)
	if !ok {
		return open, i + 1
	}
	if b.image {
		s.links = s.links[:b.links] // links in the alternative text are text
		return open, next
	}
	for _, inner := range s.links[b.links:] {
		if !inner.bare { // an autolink inside wins, as links do not nest
			return open, i + 1
		}
	}
	s.links = append(s.links[:b.links], inlineLink{target: target})
	for k := range open {
		if !open[k].image {
			open[k].active = false
		}
	}
	return open, next
}

// destination reads what follows the text between from and end: (…), [label], [] or nothing.
func (s *inlineScanner) destination(text string, from, end int) (target string, next int, ok bool) {
	after := text[end+1:]
	if strings.HasPrefix(after, "(") {
		if target, length, ok := inlineDestination(after); ok {
			return target, end + 1 + length, true
		}
	}
	label, next := text[from:end], end+1
	if strings.HasPrefix(after, "[") {
		if length := labelEnd(after[1:]); length >= 0 {
			next = end + 1 + length + 2
			if length > 0 {
				label = after[1 : 1+length]
			}
		}
	}
	if len(label) > maxLabelBytes {
		return "", 0, false
	}
	target, ok = s.definitions[normalLabel(label)]
	return target, next, ok
}

// inlineDestination reads "(destination "title")" and returns its length.
func inlineDestination(s string) (target string, length int, ok bool) {
	rest := strings.TrimLeft(s[1:], " \n")
	target, rest, ok = linkDestination(rest)
	if !ok {
		return "", 0, false
	}
	trimmed := strings.TrimLeft(rest, " \n")
	if trimmed != "" && len(trimmed) < len(rest) {
		if closer, isTitle := titleCloser(trimmed[0]); isTitle {
			if trimmed, ok = skipTitle(trimmed[1:], closer); !ok {
				return "", 0, false
			}
			trimmed = strings.TrimLeft(trimmed, " \n")
		}
	}
	if !strings.HasPrefix(trimmed, ")") {
		return "", 0, false
	}
	return target, len(s) - len(trimmed) + 1, true
}

func titleCloser(opener byte) (closer byte, ok bool) {
	switch opener {
	case '"', '\'':
		return opener, true
	case '(':
		return ')', true
	}
	return 0, false
}

// maxTitleSearch bounds the search for the end of a title, which may fail at every bracket.
const maxTitleSearch = 1000

func skipTitle(s string, closer byte) (rest string, ok bool) {
	for i := 0; i < len(s) && i < maxTitleSearch; i++ {
		switch s[i] {
		case '\\':
			i++
		case closer:
			return s[i+1:], true
		}
	}
	return "", false
}

// linkDestination reads <…> or a run without blanks and with balanced parentheses, and undoes
// backslash escapes and character references.
func linkDestination(s string) (target, rest string, ok bool) {
	if strings.HasPrefix(s, "<") {
		for i := 1; i < len(s) && i <= maxRawBytes; i++ {
			switch s[i] {
			case '\\':
				i++
			case '\n', '<':
				return "", "", false
			case '>':
				return unescapeMarkdown(s[1:i]), s[i+1:], true
			}
		}
		return "", "", false
	}
	depth, i := 0, 0
run:
	for ; i < len(s); i++ {
		if i > maxRawBytes || depth > maxDestParens {
			return "", "", false
		}
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s) && isPunctuation(s[i+1]):
			i++
		case c <= ' ' || c == 0x7F:
			break run
		case c == '(':
			depth++
		case c == ')':
			if depth == 0 {
				break run
			}
			depth--
		}
	}
	return unescapeMarkdown(s[:i]), s[i:], depth == 0
}

func unescapeMarkdown(s string) string {
	if strings.IndexByte(s, '\\') >= 0 {
		var b strings.Builder
		for i := 0; i < len(s); i++ {
			if s[i] == '\\' && i+1 < len(s) && isPunctuation(s[i+1]) {
				i++
			}
			b.WriteByte(s[i])
		}
		s = b.String()
	}
	if strings.IndexByte(s, '&') >= 0 && strings.IndexByte(s, ';') >= 0 {
		s = html.UnescapeString(s)
	}
	return s
}

func isPunctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// codeSpan returns the index behind the code span that starts at i, or behind its backticks if it is none.
func codeSpan(text string, i int, noRun *[maxBacktickRun + 1]bool) int {
	length := runLength(text, i)
	if length > maxBacktickRun || noRun[length] {
		return i + length
	}
	for j := i + length; j < len(text); {
		next := strings.IndexByte(text[j:], '`')
		if next < 0 {
			break
		}
		j += next
		closing := runLength(text, j)
		j += closing
		if closing == length {
			return j
		}
	}
	noRun[length] = true
	return i + length
}

func runLength(text string, i int) int {
	length := 0
	for i+length < len(text) && text[i+length] == '`' {
		length++
	}
	return length
}

// angle reads a comment, an autolink, an HTML tag or a lone "<" at i. The attributes of a tag are no
// text, so no bare URL is looked for in them. The next "<" ends the search, which keeps it linear.
func angle(text string, i int, noComment *bool) (next int, target string) {
	if strings.HasPrefix(text[i:], "<!--") && !*noComment {
		if end := strings.Index(text[i:], "-->"); end >= 0 {
			return i + end + len("-->"), ""
		}
		*noComment = true
	}
	end := strings.IndexAny(text[i+1:], "<>")
	if end < 0 || text[i+1+end] == '<' {
		return i + 1, ""
	}
	inside := text[i+1 : i+1+end]
	next = i + 1 + end + 1
	if isWebPrefix(inside) && !strings.ContainsAny(inside, " \t\n") {
		return next, inside
	}
	if inside != "" && (isLetter(inside[0]) || inside[0] == '/') {
		return next, ""
	}
	return i + 1, ""
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func isWebPrefix(s string) bool {
	return len(s) > 7 && strings.EqualFold(s[:7], "http://") || len(s) > 8 && strings.EqualFold(s[:8], "https://")
}

// bareURL returns the end of an http or https URL in running text, without the punctuation that ends
// the sentence, or i. Inside brackets it ends at the closing one.
func bareURL(text string, i int, inBrackets bool) int {
	if !isWebPrefix(text[i:]) || i > 0 && (isLetter(text[i-1]) || '0' <= text[i-1] && text[i-1] <= '9') {
		return i
	}
	end := i
	for end < len(text) && end-i < maxBareURLBytes {
		c := text[end]
		if c <= ' ' || c == 0x7F || strings.IndexByte("<>\"`", c) >= 0 || inBrackets && c == ']' {
			break
		}
		end++
	}
	url := strings.TrimRight(text[i:end], `.,;:!?)]"'*_~`)
	if !isWebPrefix(url) {
		return i
	}
	return i + len(url)
}
