package extract

import (
	"bytes"
	"strings"
)

// element keeps what one start tag of the HTML namespace says; its attributes have been read.
func (s *scanner) element(t tag) {
	a := &s.attrs
	switch t {
	case tagA:
		s.links.add(a[attrHref], KindAnchor, hasToken(a[attrRel], "nofollow"))
	case tagArea:
		s.links.add(a[attrHref], KindArea, hasToken(a[attrRel], "nofollow"))
	case tagFrame:
		s.links.add(a[attrSrc], KindFrame, false)
	case tagBase:
		s.baseElement()
	case tagHTML:
		if s.page.Language == "" {
			s.page.Language = language(a[attrLang])
		}
	case tagMeta:
		s.metaElement()
	case tagLink:
		s.linkElement()
	case tagImg:
		s.requisites.add(a[attrSrc], KindImage, false)
		s.srcset()
	case tagScript:
		s.requisites.add(a[attrSrc], KindScript, false)
	case tagInput:
		if equalLower(a[attrType], "image") {
			s.requisites.add(a[attrSrc], KindImage, false)
		}
	case tagVideo, tagAudio, tagEmbed, tagTrack:
		s.requisites.add(a[attrSrc], KindMedia, false)
		s.requisites.add(a[attrPoster], KindImage, false)
	case tagSource:
		s.requisites.add(a[attrSrc], KindMedia, false)
		s.srcset()
	case tagObject:
		s.requisites.add(a[attrData], KindMedia, false)
	}
}

func (s *scanner) srcset() {
	eachSrcset(s.attrs[attrSrcset], func(url []byte) { s.requisites.add(url, KindImage, false) })
}

// baseElement freezes the base: the first base element with a href counts, wherever it stands and
// whether or not it resolves (HTML 4.2.3).
func (s *scanner) baseElement() {
	if href := s.attrs[attrHref]; href != nil && !s.hasBase {
		s.hasBase = true
		if href = trimURL(href); len(href) <= maxRawBytes {
			s.base = string(href)
		}
	}
}

// maxHeadLinks bounds ContextLinks and DescribedBy each; one of them is ever used.
const maxHeadLinks = 100

// linkElement sorts a link element by its relation types. A context file or a description is no
// ordinary link: whoever looks for them drives them apart, so they are kept apart or not at all.
func (s *scanner) linkElement() {
	rel, href := s.attrs[attrRel], trimURL(s.attrs[attrHref])
	isContext := s.options.ContextRelation != "" && hasToken(rel, s.options.ContextRelation)
	isDescription := hasToken(rel, "describedby")
	if isContext || isDescription {
		if len(href) == 0 || len(href) > maxRawBytes || !s.inHead || s.noscript {
			return
		}
		if s.offset >= s.options.MaxHeadBytes {
			s.page.find(FindingHeadOverLimit)
			return
		}
		if isContext && len(s.context) < maxHeadLinks {
			s.context = append(s.context, string(href))
		}
		if isDescription && len(s.describedBy) < maxHeadLinks {
			s.describedBy = append(s.describedBy, string(href))
		}
		return
	}
	kind := linkKind(rel)
	switch kind {
	case KindUnknown:
		return
	case KindStyle, KindImage, KindMedia, KindScript:
		s.requisites.add(href, kind, false)
		s.srcset()
		return
	case KindCanonical:
		if s.canonical == "" && len(href) <= maxRawBytes {
			s.canonical = string(href)
		}
	}
	s.links.add(href, kind, hasToken(rel, "nofollow"))
}

// linkKind says what a link element is for us. A style sheet stays one if it is also an alternate;
// relations that name no document of their own (dns-prefetch, pingback, …) are KindUnknown.
func linkKind(rel []byte) Kind {
	kind := KindUnknown
	eachToken(rel, func(token []byte) {
		if found := relationKind(token); rank(found) > rank(kind) {
			kind = found
		}
	})
	return kind
}

// rank orders kinds where one element has several: requisites first, then the more special.
func rank(k Kind) int {
	switch k {
	case KindStyle, KindImage, KindScript, KindMedia:
		return 4
	case KindCanonical:
		return 3
	case KindAlternate:
		return 2
	case KindLink:
		return 1
	}
	return 0
}

// maxRelationBytes is longer than every relation type we know.
const maxRelationBytes = 32

func relationKind(token []byte) Kind {
	if len(token) > maxRelationBytes {
		return KindUnknown
	}
	var lower [maxRelationBytes]byte
	name := lower[:copy(lower[:], token)]
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			name[i] = c + 'a' - 'A'
		}
	}
	switch string(name) {
	case "canonical":
		return KindCanonical
	case "alternate":
		return KindAlternate
	case "next", "prev", "previous", "first", "last", "up", "index", "contents", "start", "author", "help",
		"license", "tag", "bookmark", "archives", "amphtml":
		return KindLink
	case "stylesheet":
		return KindStyle
	case "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon":
		return KindImage
	case "modulepreload":
		return KindScript
	case "preload", "manifest":
		return KindMedia
	}
	return KindUnknown
}

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
