package ledger

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lineReader gives the lines of a segment, at most maxLineBytes each.
type lineReader struct {
	in *bufio.Reader
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{bufio.NewReaderSize(r, maxLineBytes)}
}

// next gives the next line without its line feed, valid until the next call.
// At the end it gives what stands behind the last line feed and io.EOF.
func (r *lineReader) next() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	switch {
	case err == nil:
		return line[:len(line)-1], nil
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("%w: line of more than %d octets", ErrDamaged, maxLineBytes)
	}
	return line, err
}

// eachBackwards hands the lines of text to f, the last one first, until f says
// false. What stands behind the last line feed is left out.
func eachBackwards(text []byte, f func(line []byte) bool) bool {
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	for len(text) > 0 {
		text = text[:len(text)-1]
		begin := bytes.LastIndexByte(text, '\n') + 1
		if !f(text[begin:]) {
			return false
		}
		text = text[:begin]
	}
	return true
}
