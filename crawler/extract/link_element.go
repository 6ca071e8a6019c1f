package extract

import "bytes"

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
		if s.offset >= s.options.MaxHeadBytes || len(s.context) == maxHeadLinks || len(s.describedBy) == maxHeadLinks {
			s.page.find(FindingHeadOverLimit)
			return
		}
		if isContext {
			s.context = append(s.context, string(href))
		}
		if isDescription {
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
	case KindAlternate:
		if isFeedType(s.attrs[attrType]) {
			kind = KindFeed
		}
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

// isFeedType tells the media types of feeds, whatever their parameters.
func isFeedType(value []byte) bool {
	name, _, _ := bytes.Cut(value, []byte(";"))
	name = bytes.Trim(name, asciiSpace)
	return equalLower(name, "application/rss+xml") || equalLower(name, "application/atom+xml")
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
