package feed

import "bytes"

// tagEnd finds the > that ends a tag, outside of quotes. A < cannot stand in a tag, quoted or not, so
// there a tag without end is broken off. It returns -1 if b holds neither.
func tagEnd(b []byte) (n int, broken bool) {
	var quote byte
	for i, c := range b {
		switch {
		case c == '<':
			return i, true
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i, false
		case c == '"' || c == '\'':
			quote = c
		}
	}
	return -1, false
}

// splitName splits a tag into its name and what follows it.
func splitName(b []byte) (name, rest []byte) {
	for i, c := range b {
		if isSpace(c) || c == '/' {
			return b[:i], b[i:]
		}
	}
	return b, nil
}

// splitPrefix splits a name at its colon.
func splitPrefix(name []byte) (prefix, local []byte) {
	if i := bytes.IndexByte(name, ':'); i >= 0 {
		return name[:i], name[i+1:]
	}
	return nil, name
}

// doctypeEnd returns the length of a declaration with its subset, and whether the subset declares
// entities; 0 if b does not hold the end of it.
func doctypeEnd(b []byte) (n int, entities bool) {
	subset := false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '"' || c == '\'':
			end := bytes.IndexByte(b[i+1:], c)
			if end < 0 {
				return 0, false
			}
			i += 1 + end
		case c == '[':
			subset = true
		case c == ']':
			subset = false
		case c == '>' && !subset:
			return i + 1, entities
		case c == '<' && bytes.HasPrefix(b[i:], []byte("<!--")):
			end := bytes.Index(b[i:], []byte("-->"))
			if end < 0 {
				return 0, false
			}
			i += end + len("->")
		case c == '<' && bytes.HasPrefix(b[i:], []byte("<!ENTITY")):
			entities = true
		}
	}
	return 0, false
}

// attributes walks what follows the name of a start tag.
type attributes struct {
	rest        []byte
	name, value []byte // value as found, references not resolved
}

// next steps to the next attribute. It takes values without quotes, and attributes without a value.
func (a *attributes) next() bool {
	b := a.rest
	for len(b) > 0 && (isSpace(b[0]) || b[0] == '/') {
		b = b[1:]
	}
	if len(b) == 0 {
		return false
	}
	n := 1 // a stray = is a name, or this would never end
	for n < len(b) && b[n] != '=' && !isSpace(b[n]) {
		n++
	}
	a.name, a.value = b[:n], nil
	b = trimLeft(b[n:])
	if len(b) == 0 || b[0] != '=' {
		a.rest = b
		return true
	}
	b = trimLeft(b[1:])
	if len(b) == 0 {
		a.rest = nil
		return true
	}
	if quote := b[0]; quote == '"' || quote == '\'' {
		b = b[1:]
		n = bytes.IndexByte(b, quote)
		if n < 0 { // broken off
			a.rest = nil
			return true
		}
		a.value, a.rest = b[:n], b[n+1:]
		return true
	}
	n = 0
	for n < len(b) && !isSpace(b[n]) {
		n++
	}
	a.value, a.rest = b[:n], b[n:]
	return true
}

// trimLeft and trimRight take white space off; unlike those of package bytes they build no set first,
// which shows where every value passes through them.
func trimLeft(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

func trimRight(b []byte) []byte {
	for len(b) > 0 && isSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func isNameStart(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == ':' || c >= 0x80
}
