package feed_test

import (
	"errors"
	"io"
	"strings"
	"unicode/utf16"
)

// singleOctets is a Decoder that is right for ASCII and ISO 8859-1, and good enough for the addresses of
// any encoding that keeps ASCII.
func singleOctets(label string, r io.Reader) (io.Reader, error) {
	switch {
	case label == "utf-16le" || label == "utf-16be":
		body, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		units := make([]uint16, len(body)/2)
		for i := range units {
			units[i] = uint16(body[2*i]) | uint16(body[2*i+1])<<8
			if label == "utf-16be" {
				units[i] = units[i]<<8 | units[i]>>8
			}
		}
		return strings.NewReader(string(utf16.Decode(units))), nil
	case label == "klingon":
		return nil, errors.New("no such label")
	}
	return &latin1{r: r}, nil
}

type latin1 struct {
	r    io.Reader
	rest []byte
}

func (l *latin1) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		in := make([]byte, 100)
		n, err := l.r.Read(in)
		for _, c := range in[:n] {
			l.rest = append(l.rest, string(rune(c))...)
		}
		if n == 0 {
			return 0, err
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// inUTF16 encodes text with the low octet first, or last.
func inUTF16(text string, bigEndian bool) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if bigEndian {
			unit = unit<<8 | unit>>8
		}
		b = append(b, byte(unit), byte(unit>>8))
	}
	return b
}
