package ledger

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"heed/politeness"
)

// maxLineBytes bounds a line. A decision with all its opinions takes 2 KiB.
const maxLineBytes = 1 << 20

// Type says what an entry is about.
type Type string

const (
	Visit    Type = "visit"    // a request was sent, or should have been
	Decision Type = "decision" // a decision that led to no request
	Policy   Type = "policy"   // a policy document was read
	Job      Type = "job"      // a job began, ended, was changed
	Operator Type = "operator" // an operator's override, with its because
)

// Entry is one event. Members that are empty are left out.
type Entry struct {
	Type     Type
	At       time.Time
	URL      string // of the event; that of Decision if empty
	Decision *politeness.Decision
	Outcome  any // becomes "outcome"; what encoding/json takes, or a json.RawMessage
}

// Marshal gives the content of a line, to be appended as it is. It is safe for
// concurrent use. ErrEntry if the type is unknown, the time is missing, the
// outcome has no JSON form, or the line would exceed 1 MiB.
func Marshal(e Entry) ([]byte, error) {
	if !e.Type.known() || e.At.IsZero() {
		return nil, fmt.Errorf("%w: type %q at %v", ErrEntry, e.Type, e.At)
	}
	b := make([]byte, 0, 2048)
	b = append(append(b, `{"type":"`...), e.Type...)
	b = e.At.UTC().AppendFormat(append(b, `","at":"`...), time.RFC3339Nano)
	b = append(b, '"')
	url := e.URL
	if url == "" && e.Decision != nil {
		url = e.Decision.URL
	}
	if url != "" {
		b = appendString(append(b, `,"url":`...), url)
	}
	if e.Decision != nil {
		text, err := e.Decision.MarshalJSON()
		if err != nil {
			return nil, fmt.Errorf("%w: decision %s: %w", ErrEntry, e.Decision.ID, err)
		}
		b = append(append(b, `,"decision":`...), text...)
	}
	if e.Outcome != nil {
		text, err := json.Marshal(e.Outcome) // compacts: no line break gets in
		if err != nil {
			return nil, fmt.Errorf("%w: outcome of %s: %w", ErrEntry, url, err)
		}
		b = append(append(b, `,"outcome":`...), text...)
	}
	b = append(b, '}')
	if len(b) > maxLineBytes-chainBytes {
		return nil, fmt.Errorf("%w: %d octets for %.200s", ErrEntry, len(b), url)
	}
	return b, nil
}

func (t Type) known() bool {
	switch t {
	case Visit, Decision, Policy, Job, Operator:
		return true
	}
	return false
}

const hexDigits = "0123456789abcdef"

// appendString writes a JSON string in one fixed form, so that a URL can be
// searched for as octets: only what RFC 8259 section 7 demands is escaped.
// Octets that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			b = append(b, c)
		}
		i++
	}
	return append(b, '"')
}

// isContent tells whether b can be the content of a line: an object with at
// least one member, on one line. It does not parse.
func isContent(b []byte) bool {
	return len(b) > 2 && len(b) <= maxLineBytes-chainBytes && b[0] == '{' && b[1] == '"' && b[len(b)-1] == '}' &&
		bytes.IndexByte(b, '\n') < 0
}
