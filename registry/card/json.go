package card

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of a document of a registry. Deeper or wider ones are refused, because
// the cost of looking for doubled names grows with both.
const (
	MaxNesting = 32   // arrays and objects inside one another
	MaxMembers = 1024 // of one object
)

// Errors of ReadJSON.
var (
	ErrTooLarge  = errors.New("card: document is larger than its limit")
	ErrSyntax    = errors.New("card: document is not JSON in UTF-8")
	ErrNesting   = errors.New("card: document is nested too deeply")
	ErrMembers   = errors.New("card: object has too many members")
	ErrDuplicate = errors.New("card: object names a member twice")
)

// JSON is a value of a document that ReadJSON accepted, without space around
// it. It is a part of the octets that were given, so these must not change.
type JSON []byte

// ReadJSON accepts raw if it has at most maxBytes octets, is one JSON value in
// UTF-8 (RFC 8259), is nested at most MaxNesting deep, and no object in it has
// more than MaxMembers members or two of one name. Names are compared after
// their escapes are undone, so "\u0061" is "a".
func ReadJSON(raw []byte, maxBytes int64) (JSON, error) {
	if int64(len(raw)) > maxBytes {
		return nil, fmt.Errorf("%w of %d octets", ErrTooLarge, maxBytes)
	}
	if !utf8.Valid(raw) || !json.Valid(raw) {
		return nil, ErrSyntax
	}
	v := JSON(bytes.Trim(raw, space))
	if _, err := inspect(v, 0, 1); err != nil {
		return nil, err
	}
	return v, nil
}

// space is what may stand between the tokens of JSON.
const space = " \t\r\n"

// inspect finds the end of the value at v[i:] and looks for what JSON allows
// but we do not.
func inspect(v JSON, i, depth int) (int, error) {
	if v[i] != '{' && v[i] != '[' {
		return scalarEnd(v, i), nil
	}
	if depth > MaxNesting {
		return 0, ErrNesting
	}
	object := v[i] == '{'
	var seen names
	for i = skipSpace(v, i+1); v[i] != '}' && v[i] != ']'; {
		if object {
			end := scalarEnd(v, i)
			if err := seen.add(v[i:end]); err != nil {
				return 0, err
			}
			i = skipSpace(v, skipSpace(v, end)+1) // past the colon
		}
		var err error
		if i, err = inspect(v, i, depth+1); err != nil {
			return 0, err
		}
		if i = skipSpace(v, i); v[i] == ',' {
			i = skipSpace(v, i+1)
		}
	}
	return i + 1, nil
}

// names are the member names of one object. Small objects are searched, large
// ones are looked up, so that a hostile one costs no more than its length.
type names struct {
	few  [fewNames][]byte
	n    int
	many map[string]struct{}
}

const fewNames = 24

func (n *names) add(quoted JSON) error {
	name := unquoted(quoted)
	for _, other := range n.few[:min(n.n, fewNames)] {
		if bytes.Equal(other, name) {
			return fmt.Errorf("%w: %.64q", ErrDuplicate, name)
		}
	}
	if n.n++; n.n <= fewNames {
		n.few[n.n-1] = name
		return nil
	}
	if n.n > MaxMembers {
		return ErrMembers
	}
	if n.many == nil {
		n.many = make(map[string]struct{}, fewNames)
	}
	if _, ok := n.many[string(name)]; ok {
		return fmt.Errorf("%w: %.64q", ErrDuplicate, name)
	}
	n.many[string(name)] = struct{}{}
	return nil
}

// unquoted is the content of a string, without a copy where it has no escapes.
func unquoted(v JSON) []byte {
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	s, _ := v.Text()
	return []byte(s)
}

func skipSpace(v JSON, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\n' || v[i] == '\t' || v[i] == '\r') {
		i++
	}
	return i
}

// scalarEnd is where the string, number or word at v[i:] ends.
func scalarEnd(v JSON, i int) int {
	if v[i] != '"' {
		for i < len(v) && strings.IndexByte(",]}"+space, v[i]) < 0 {
			i++
		}
		return i
	}
	for i++; v[i] != '"'; i++ {
		if v[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// valueEnd is where the value at v[i:] ends.
func valueEnd(v JSON, i int) int {
	if v[i] != '{' && v[i] != '[' {
		return scalarEnd(v, i)
	}
	for depth := 0; ; i++ {
		switch v[i] {
		case '"':
			i = scalarEnd(v, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// Members gives the members of an object in their order, nothing for any other
// value.
func (v JSON) Members() iter.Seq2[string, JSON] {
	return func(yield func(string, JSON) bool) {
		for name, value := range v.members() {
			if !yield(string(name), value) {
				return
			}
		}
	}
}

// members is Members without a copy of the names.
func (v JSON) members() iter.Seq2[[]byte, JSON] {
	return func(yield func([]byte, JSON) bool) {
		if !v.IsObject() {
			return
		}
		for i := skipSpace(v, 1); v[i] != '}'; {
			end := scalarEnd(v, i)
			name := unquoted(v[i:end])
			i = skipSpace(v, skipSpace(v, end)+1)
			end = valueEnd(v, i)
			if !yield(name, v[i:end]) {
				return
			}
			if i = skipSpace(v, end); v[i] == ',' {
				i = skipSpace(v, i+1)
			}
		}
	}
}

// Elements gives the elements of an array in their order, nothing for any other
// value.
func (v JSON) Elements() iter.Seq[JSON] {
	return func(yield func(JSON) bool) {
		if !v.IsArray() {
			return
		}
		for i := skipSpace(v, 1); v[i] != ']'; {
			end := valueEnd(v, i)
			if !yield(v[i:end]) {
				return
			}
			if i = skipSpace(v, end); v[i] == ',' {
				i = skipSpace(v, i+1)
			}
		}
	}
}

// Member is the member of that name, nil if there is none. Names are compared
// octet by octet: "Train" is not "train".
func (v JSON) Member(name string) JSON {
	for n, value := range v.members() {
		if string(n) == name {
			return value
		}
	}
	return nil
}

// IsObject and IsArray tell the kind of a value. The nil value has none.
func (v JSON) IsObject() bool { return len(v) > 0 && v[0] == '{' }
func (v JSON) IsArray() bool  { return len(v) > 0 && v[0] == '[' }

// IsTrue and IsFalse tell whether the value is that word; no other value is
// like it.
func (v JSON) IsTrue() bool  { return string(v) == "true" }
func (v JSON) IsFalse() bool { return string(v) == "false" }

// Text is the content of a string, false for any other value.
func (v JSON) Text() (string, bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1]), true
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		return "", false
	}
	return s, true
}

// Integer is the value of a number without fraction and exponent that fits 64
// bits, false for any other value.
func (v JSON) Integer() (int64, bool) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	return n, err == nil && len(v) > 0 && v[0] != '+'
}
