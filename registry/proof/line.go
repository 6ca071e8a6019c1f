package proof

import (
	"bytes"
	"slices"
	"strings"
)

// prefix begins the line of a proof.
const prefix = "botcentral-verify="

// maxToken bounds a token that is recognised without being known.
const maxToken = 512

// tokens are what is looked for; none means any.
type tokens []string

// match tells which of the tokens a text is, -1 for one that is taken because
// none is known.
func (t tokens) match(text string) (index int, ok bool) {
	if len(t) == 0 {
		return -1, text != "" && len(text) <= maxToken && strings.IndexFunc(text, notToken) < 0
	}
	index = slices.Index(t, text)
	return index, index >= 0 && text != ""
}

// notToken tells characters that no token has. Tokens are made of the characters
// that need no escape in a URL.
func notToken(c rune) bool {
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("-._~", c))
}

// inFile finds the line of a proof in a file: a whole line, freed of space around
// it, in the case it was issued in (BC-P-902). Comment lines are no proof
// (BC-P-010). A last line that was cut off does not count (BC-P-913).
func (t tokens) inFile(body []byte, cut bool) (index int, ok bool) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	if cut {
		body = body[:bytes.LastIndexByte(body, '\n')+1]
	}
	for line := range bytes.SplitSeq(body, []byte("\n")) {
		token, found := bytes.CutPrefix(bytes.Trim(line, " \t\r"), []byte(prefix))
		if !found {
			continue
		}
		if index, ok = t.match(string(token)); ok {
			return index, true
		}
	}
	return 0, false
}

// inText finds a proof in the data of one TXT record: it begins the data or
// follows a space or a semicolon, and the token ends where its characters end
// (BC-P-903).
func (t tokens) inText(data string) (index int, ok bool) {
	for at := 0; ; {
		i := strings.Index(data[at:], prefix)
		if i < 0 {
			return 0, false
		}
		start := at + i
		at = start + len(prefix)
		if start > 0 && data[start-1] != ' ' && data[start-1] != ';' {
			continue
		}
		token := data[at:]
		if end := strings.IndexFunc(token, notToken); end >= 0 {
			token = token[:end]
		}
		if index, ok = t.match(token); ok {
			return index, true
		}
	}
}
