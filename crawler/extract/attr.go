package extract

import (
	"bytes"

	"golang.org/x/net/html"
)

// attribute numbers the attributes that carry something for us.
type attribute uint8

const (
	attrHref attribute = iota
	attrXlinkHref
	attrSrc
	attrSrcset
	attrRel
	attrName
	attrContent
	attrHTTPEquiv
	attrLang
	attrPoster
	attrData
	attrType
	attributes // how many
)

func attributeOf(key []byte) (attribute, bool) {
	switch string(key) {
	case "href":
		return attrHref, true
	case "xlink:href":
		return attrXlinkHref, true
	case "src":
		return attrSrc, true
	case "srcset", "imagesrcset":
		return attrSrcset, true
	case "rel":
		return attrRel, true
	case "name":
		return attrName, true
	case "content":
		return attrContent, true
	case "http-equiv":
		return attrHTTPEquiv, true
	case "lang":
		return attrLang, true
	case "poster":
		return attrPoster, true
	case "data":
		return attrData, true
	case "type":
		return attrType, true
	}
	return 0, false
}

// attrs holds the attributes of one start tag. The slices point into the tokenizer and die with the
// next token. A nil value is an absent attribute.
type attrs [attributes][]byte

// read fills a from the current tag. Of duplicate attributes the first counts (HTML, 13.2.5.33).
func (a *attrs) read(tokens *html.Tokenizer) {
	clear(a[:])
	for more := true; more; {
		var key, value []byte
		key, value, more = tokens.TagAttr()
		if which, wanted := attributeOf(key); wanted && a[which] == nil {
			if value == nil {
				value = []byte{}
			}
			a[which] = value
		}
	}
}

// hasToken reports a token in a list separated by ASCII white space, compared without regard to ASCII
// case. token must be in lower case.
func hasToken(list []byte, token string) bool {
	found := false
	eachToken(list, func(candidate []byte) {
		found = found || equalLower(candidate, token)
	})
	return found
}

func eachToken(list []byte, yield func(token []byte)) {
	for {
		list = bytes.TrimLeft(list, asciiSpace)
		if len(list) == 0 {
			return
		}
		end := bytes.IndexAny(list, asciiSpace)
		if end < 0 {
			end = len(list)
		}
		yield(list[:end])
		list = list[end:]
	}
}

// equalLower compares without Unicode folding: the Kelvin sign is not a k.
func equalLower(s []byte, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i, c := range s {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}
