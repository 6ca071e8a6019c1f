package extract

import (
	"html"
	"strings"
)

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
