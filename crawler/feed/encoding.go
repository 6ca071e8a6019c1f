package feed

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime"
	"strings"
)

// decode returns the body in UTF-8, a byte order mark taken off.
func decode(body *bufio.Reader, contentType string, decoder Decoder) (io.Reader, error) {
	// A fault comes again with the first read behind the head: meters repeat theirs.
	head, _ := body.Peek(peekBytes)
	label, mark := encoding(head, contentType)
	if _, err := body.Discard(mark); err != nil {
		return nil, err
	}
	if isUTF8(label) {
		return body, nil
	}
	if decoder == nil {
		return nil, fmt.Errorf("%w %q: no decoder", ErrCharset, label)
	}
	decoded, err := decoder(label, body)
	if err != nil {
		return nil, fmt.Errorf("%w %q: %w", ErrCharset, label, err)
	}
	return layer{decoded, ErrCharset}, nil
}

// encoding finds the label of the encoding, empty for UTF-8, and the length of the byte order mark. The
// mark beats the Content-Type, which beats the declaration (RFC 7303 3).
func encoding(head []byte, contentType string) (label string, mark int) {
	switch {
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		return "", 3
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "utf-16be", 2
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return "utf-16le", 2
	case bytes.HasPrefix(head, []byte("\x00<")):
		return "utf-16be", 0
	case bytes.HasPrefix(head, []byte("<\x00")):
		return "utf-16le", 0
	}
	label = charsetParameter(contentType)
	if label == "" {
		label = declaredEncoding(head)
	}
	// A label that is read as ASCII cannot be true if it says two octets a character.
	if strings.HasPrefix(label, "utf-16") && bytes.IndexByte(head[:min(len(head), 4)], 0) < 0 {
		label = ""
	}
	return label, 0
}

func isUTF8(label string) bool {
	switch label {
	case "", "utf-8", "utf8", "unicode-1-1-utf-8", "us-ascii", "ascii":
		return true
	}
	return false
}

// mediaType returns the type without its parameters, in lower case.
func mediaType(contentType string) string {
	before, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(before))
}

// charsetParameter finds the charset of a Content-Type; one whose parameters are broken has none.
func charsetParameter(contentType string) string {
	if !strings.Contains(contentType, ";") {
		return ""
	}
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSpace(params["charset"]))
}

// declaredEncoding finds the encoding of an XML declaration, which may follow white space: that is no
// well-formed XML, and common.
func declaredEncoding(head []byte) string {
	head = trimLeft(head)
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	end := bytes.Index(head, []byte("?>"))
	if end < 0 {
		return ""
	}
	declaration := attributes{rest: head[len("<?xml"):end]}
	for declaration.next() {
		if string(declaration.name) == "encoding" {
			return strings.ToLower(strings.TrimSpace(string(declaration.value)))
		}
	}
	return ""
}
