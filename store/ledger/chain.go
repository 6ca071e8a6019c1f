package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
)

const (
	hashBytes  = 2 * sha256.Size
	hashMember = `,"hash":"`
	// chainBytes is what the chain members add to a content at most.
	chainBytes = len(`{"seq":18446744073709551615,"prev":"",`) + hashBytes + len(hashMember) + hashBytes + len("\"}\n")
)

// link is the state of the chain behind a line.
type link struct {
	seq  uint64
	hash [hashBytes]byte
}

// origin is what line 1 is chained to.
func origin() (l link) {
	for i := range l.hash {
		l.hash[i] = '0'
	}
	return l
}

// appendLine writes the line that follows, and moves the link to it.
func (l *link) appendLine(b, content []byte) []byte {
	begin := len(b)
	b = strconv.AppendUint(append(b, `{"seq":`...), l.seq+1, 10)
	b = append(append(b, `,"prev":"`...), l.hash[:]...)
	b = append(append(b, '"', ','), content[1:len(content)-1]...)
	sum := sha256.Sum256(b[begin:])
	l.seq++
	hex.Encode(l.hash[:], sum[:])
	return append(append(append(b, hashMember...), l.hash[:]...), '"', '}', '\n')
}

var (
	errForm = errors.New("not a chained line")
	errHash = errors.New("hash does not fit the line")
)

// parts takes a line apart without its line feed: its own link, the hash it
// claims to follow, and whether its hash is right.
func parts(line []byte) (own link, prev []byte, err error) {
	rest, ok := bytes.CutPrefix(line, []byte(`{"seq":`))
	digits, rest, ok2 := bytes.Cut(rest, []byte(`,"prev":"`))
	if !ok || !ok2 || len(digits) == 0 || digits[0] == '0' || len(rest) < hashBytes+2 || rest[hashBytes] != '"' || rest[hashBytes+1] != ',' {
		return link{}, nil, errForm
	}
	if own.seq, err = strconv.ParseUint(string(digits), 10, 64); err != nil {
		return link{}, nil, errForm
	}
	tail := len(line) - len(hashMember) - hashBytes - len(`"}`)
	if tail < 0 || string(line[tail:tail+len(hashMember)]) != hashMember || string(line[len(line)-2:]) != `"}` {
		return link{}, nil, errForm
	}
	copy(own.hash[:], line[tail+len(hashMember):])
	sum := sha256.Sum256(line[:tail])
	var want [hashBytes]byte
	hex.Encode(want[:], sum[:])
	if want != own.hash {
		return own, rest[:hashBytes], errHash
	}
	return own, rest[:hashBytes], nil
}

// follow checks that line comes right after l and moves l to it.
func (l *link) follow(line []byte) error {
	own, prev, err := parts(line)
	switch {
	case err != nil:
		return err
	case own.seq != l.seq+1:
		return fmt.Errorf("seq %d follows seq %d", own.seq, l.seq)
	case string(prev) != string(l.hash[:]):
		return fmt.Errorf("prev is not the hash of seq %d", l.seq)
	}
	*l = own
	return nil
}
