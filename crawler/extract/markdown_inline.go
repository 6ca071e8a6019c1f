package extract

import "strings"

// inlineScanner finds links in one segment after the other. Every byte is looked at a bounded number of
// times: failed searches are remembered, brackets are bounded.
type inlineScanner struct {
	definitions map[string]string
	links       []inlineLink
}

type inlineLink struct {
	target string
	text   string // between the brackets
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
	s.links = append(s.links[:b.links], inlineLink{target: target, text: text[b.at:i]})
	for k := range open {
		if !open[k].image {
			open[k].active = false
		}
	}
	return open, next
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
