package fetch

import (
	"bytes"
	"net/http"
)

// identify returns the format of a stream that is labelled with a coding and
// starts with head. Label and octets disagree often enough (a proxy decoded the
// body and left the field, a file was compressed twice over by name only):
//
//   - the label is right: its format, no finding;
//   - the octets begin like another format we know: that one, FindingOtherCoding;
//   - the octets begin like a document or image: plain, FindingNotCoded;
//   - anything else is an error of kind KindCoding.
func (c *codecs) identify(label string, head []byte) (format, Finding, error) {
	claimed := formatPlain
	switch label {
	case "gzip":
		if isGzip(head) {
			return formatGzip, "", nil
		}
	case "zstd":
		if isZstd(head) {
			return formatZstd, "", nil
		}
	case "deflate":
		claimed = formatFlate
		if isZlib(head) {
			claimed = formatZlib
		}
	case "br":
		claimed = formatBrotli
	}
	// br and bare deflate have no magic. They are believed unless the octets look
	// like something else and do not decode either.
	if claimed != formatPlain && (!looksLikeOther(head) || c.decodes(claimed, head)) {
		return claimed, "", nil
	}
	switch {
	case isGzip(head):
		return formatGzip, FindingOtherCoding, nil
	case isZstd(head):
		return formatZstd, FindingOtherCoding, nil
	case looksPlain(head):
		return formatPlain, FindingNotCoded, nil
	case isZlib(head) && c.decodes(formatZlib, head):
		return formatZlib, FindingOtherCoding, nil
	}
	return formatPlain, "", &fault{kind: KindCoding, reason: "body is not in the coding it is labelled with"}
}

// isGzip: two octets of magic and the only method there is (RFC 1952 2.3.1).
func isGzip(p []byte) bool {
	return len(p) >= 3 && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8
}

// isZstd: a frame or a skippable frame (RFC 8878 3.1).
func isZstd(p []byte) bool {
	return len(p) >= 4 && (bytes.Equal(p[:4], []byte{0x28, 0xb5, 0x2f, 0xfd}) ||
		p[0]&0xf0 == 0x50 && bytes.Equal(p[1:4], []byte{0x2a, 0x4d, 0x18}))
}

// isZlib: method 8 with a window of at most 32 KiB, and the first 16 bits are a
// multiple of 31 (RFC 1950 2.2). A bare deflate stream passes only as a stored
// block with odd padding, which no encoder writes.
func isZlib(p []byte) bool {
	return len(p) >= 2 && p[0]&0x0f == 8 && p[0]>>4 <= 7 && (int(p[0])<<8|int(p[1]))%31 == 0
}

// looksPlain: the MIME sniffing rules see text or a known file type.
func looksPlain(p []byte) bool {
	t := http.DetectContentType(p)
	return t != "application/octet-stream" && t != "application/x-gzip"
}

func looksLikeOther(p []byte) bool { return isGzip(p) || isZstd(p) || looksPlain(p) }
