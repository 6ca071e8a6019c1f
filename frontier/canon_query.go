package frontier

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// EncodeQuery escapes the non-ASCII characters in the query of a reference in
// the encoding of the document it stands in, as the query state of the URL
// Standard wants; the path stays UTF-8. It comes before Resolve, whose query
// encoding is UTF-8. A character that the encoding lacks becomes "&#N;" with N
// its number, escaped. With a nil encoding, and for encodings in which forms are
// never sent (UTF-8, UTF-16), which the caller passes as nil, ref is returned
// as it is but for its fragment, and so is one that is too long for Resolve.
func EncodeQuery(ref string, enc encoding.Encoding) string {
	ref = cutFragment(ref)
	if enc == nil || len(ref) > maxRawBytes || isASCII(ref) {
		return ref
	}
	start := strings.IndexByte(ref, '?')
	if start < 0 {
		return ref
	}
	var out strings.Builder
	out.Grow(len(ref) + len(ref)/2)
	out.WriteString(ref[:start+1])
	encoder := enc.NewEncoder()
	for query := ref[start+1:]; query != ""; {
		n := asciiPrefix(query)
		out.WriteString(query[:n])
		query = query[n:]
		_, size := utf8.DecodeRuneInString(query)
		writeEncoded(&out, encoder, query[:size])
		query = query[size:]
	}
	return out.String()
}

func asciiPrefix(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return i
		}
	}
	return len(s)
}

// writeEncoded writes one character, or nothing for an empty text.
func writeEncoded(out *strings.Builder, encoder *encoding.Encoder, char string) {
	if char == "" {
		return
	}
	octets, err := encoder.String(char)
	if err != nil {
		r, _ := utf8.DecodeRuneInString(char)
		out.WriteString("%26%23" + strconv.Itoa(int(r)) + "%3B")
		return
	}
	const digits = "0123456789ABCDEF"
	for i := 0; i < len(octets); i++ {
		// Second octets of a character may be ASCII and stay so.
		if c := octets[i]; octetClass[c]&inQuery != 0 {
			out.WriteByte(c)
		} else {
			out.WriteByte('%')
			out.WriteByte(digits[c>>4])
			out.WriteByte(digits[c&15])
		}
	}
}
