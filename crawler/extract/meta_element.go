package extract

import (
	"bytes"
	"strings"
)

const (
	maxMetas     = 256
	maxMetaBytes = 64 << 10 // names and contents together
)

// metaElement keeps named metas of the head and the pragmas we know.
func (s *scanner) metaElement() {
	content := s.attrs[attrContent]
	switch pragma := s.attrs[attrHTTPEquiv]; {
	case equalLower(pragma, "refresh"):
		s.metaRefresh(content)
	case equalLower(pragma, "content-language"):
		if s.pragmaLang == "" {
			s.pragmaLang = language(content)
		}
	}
	name := bytes.TrimFunc(s.attrs[attrName], func(r rune) bool { return r <= ' ' })
	if content == nil || !s.inHead || !isToken(name) {
		return
	}
	if len(s.page.Metas) >= maxMetas || s.metaBytes+len(name)+len(content) > maxMetaBytes {
		s.page.find(FindingMetasOverLimit)
		return
	}
	s.metaBytes += len(name) + len(content)
	s.page.Metas = append(s.page.Metas, Meta{
		Name: asciiLower(string(name)), Content: strings.ToValidUTF8(string(content), "\uFFFD"),
	})
}

// isToken reports a name that can be a product token or a signal's name; "og:title" and its kind are
// other people's business.
func isToken(name []byte) bool {
	for _, c := range name {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return len(name) > 0 && len(name) <= 64
}

// metaRefresh keeps the first refresh that can be read; it counts in the body too.
func (s *scanner) metaRefresh(content []byte) {
	if s.refresh != nil || len(content) > maxRawBytes {
		return
	}
	if target, delay, ok := parseRefresh(string(content)); ok && target != "" {
		s.refresh = &Refresh{URL: target, Delay: delay}
		s.links.add([]byte(target), KindRefresh, false)
	}
}

// language accepts what could be a language tag: one token of letters, digits and hyphens.
func language(value []byte) string {
	value = bytes.TrimFunc(value, func(r rune) bool { return r <= ' ' })
	if len(value) > 64 {
		return ""
	}
	for _, c := range value {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-') {
			return ""
		}
	}
	return string(value)
}
