package extract

// tag is an element that matters for links, for the extent of the head, or for the namespace.
type tag uint8

const (
	tagOther tag = iota
	tagA
	tagArea
	tagAudio
	tagBase
	tagBody
	tagBreakout // HTML element that ends foreign content and means nothing else here
	tagEmbed
	tagFrame
	tagHead
	tagHeadOnly // element that may stand in the head and means nothing else here
	tagHTML
	tagImage // svg image
	tagImg
	tagInput
	tagIntegration // foreign element whose content is HTML again
	tagLink
	tagMath
	tagMeta
	tagNoscript
	tagObject
	tagScript
	tagSource
	tagStyle
	tagSVG
	tagTemplate
	tagTitle
	tagTrack
	tagVideo
)

// maxTagName is longer than every name below.
const maxTagName = 16

// tagOf classifies the element whose tag goes on with raw. It reads the name from the raw token, because
// the tokenizer's TagName copies, and most tags do not matter. The breakout names are those of HTML 13.2.6.5.
func tagOf(raw []byte) tag {
	var lower [maxTagName]byte
	length := 0
	for _, c := range raw {
		if endsName(c) {
			break
		}
		if length == maxTagName {
			return tagOther
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[length] = c
		length++
	}
	switch string(lower[:length]) {
	case "a":
		return tagA
	case "area":
		return tagArea
	case "audio":
		return tagAudio
	case "base":
		return tagBase
	case "body":
		return tagBody
	case "b", "big", "blockquote", "br", "center", "code", "dd", "div", "dl", "dt", "em", "h1", "h2", "h3",
		"h4", "h5", "h6", "hr", "i", "li", "listing", "menu", "nobr", "ol", "p", "pre", "ruby", "s", "small",
		"span", "strong", "strike", "sub", "sup", "table", "tt", "u", "ul", "var":
		return tagBreakout
	case "embed":
		return tagEmbed
	case "frame", "iframe":
		return tagFrame
	case "head":
		return tagHead
	case "basefont", "bgsound", "noframes":
		return tagHeadOnly
	case "html":
		return tagHTML
	case "image":
		return tagImage
	case "img":
		return tagImg
	case "input":
		return tagInput
	case "desc", "foreignobject", "mi", "mo", "mn", "ms", "mtext":
		return tagIntegration
	case "link":
		return tagLink
	case "math":
		return tagMath
	case "meta":
		return tagMeta
	case "noscript":
		return tagNoscript
	case "object":
		return tagObject
	case "script":
		return tagScript
	case "source":
		return tagSource
	case "style":
		return tagStyle
	case "svg":
		return tagSVG
	case "template":
		return tagTemplate
	case "title":
		return tagTitle
	case "track":
		return tagTrack
	case "video":
		return tagVideo
	}
	return tagOther
}

// endsName reports an octet that ends a tag name (HTML, tag name state).
func endsName(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\f', '\r', '/', '>':
		return true
	}
	return false
}

// inHead tells whether the start tag leaves the head open (HTML, "in head" and "after head": what
// stands between </head> and the body is put into the head all the same).
func (t tag) inHead() bool {
	switch t {
	case tagHTML, tagHead, tagBase, tagHeadOnly, tagLink, tagMeta, tagNoscript, tagScript, tagStyle, tagTemplate, tagTitle:
		return true
	}
	return false
}

// rawText tells whether the tokenizer takes what follows for text, where HTML would not in foreign content.
func (t tag) rawText() bool {
	switch t {
	case tagFrame, tagHeadOnly, tagNoscript, tagScript, tagStyle, tagTitle:
		return true
	}
	return false
}

// breaksOut tells whether the start tag ends foreign content.
func (t tag) breaksOut() bool {
	switch t {
	case tagBody, tagBreakout, tagEmbed, tagHead, tagImg, tagMeta:
		return true
	}
	return false
}
