package ledger

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"time"
)

// Line is an entry read back.
type Line struct {
	Seq      uint64          `json:"seq"`
	Type     Type            `json:"type"`
	At       time.Time       `json:"at"`
	URL      string          `json:"url"`
	Decision json.RawMessage `json:"decision"` // nil if there is none
	Outcome  json.RawMessage `json:"outcome"`  // nil if there is none
	Hash     string          `json:"hash"`
}

// Query selects lines. The zero value selects all, oldest first.
type Query struct {
	URL         string // exactly this one
	Type        Type
	DecisionID  string
	NewestFirst bool
}

// needles are octets that a line selected by q must have. Looking for them is
// far cheaper than decoding; decoding then makes sure.
func (q Query) needles() [][]byte {
	var list [][]byte
	if q.URL != "" {
		list = append(list, appendString([]byte(`,"url":`), q.URL))
	}
	if q.Type != "" {
		list = append(list, appendString([]byte(`"type":`), string(q.Type)))
	}
	if q.DecisionID != "" {
		list = append(list, appendString([]byte(`"decision_id":`), q.DecisionID))
	}
	return list
}

// Read goes through the lines that q selects. It may run beside a writer: it
// then sees what has reached the files, perhaps more than what is committed. It
// reads the chain members as they stand; checking them is the work of Verify.
// After an error it stops. Newest first holds one segment in memory.
func Read(dir string, q Query) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		list, err := segments(dir)
		if err != nil {
			yield(Line{}, err)
			return
		}
		if q.NewestFirst {
			slices.Reverse(list)
		}
		needles := q.needles()
		for _, s := range list {
			if !readSegment(dir, s.number, q, needles, yield) {
				return
			}
		}
	}
}

func readSegment(dir string, number int, q Query, needles [][]byte, yield func(Line, error) bool) bool {
	fail := func(err error) bool {
		yield(Line{}, err)
		return false
	}
	r, name, err := openSegment(dir, number)
	if err != nil {
		return fail(err)
	}
	defer r.Close()
	give := func(text []byte) bool {
		for _, needle := range needles {
			if !bytes.Contains(text, needle) {
				return true
			}
		}
		var line Line
		if err := json.Unmarshal(text, &line); err != nil {
			return fail(fmt.Errorf("%w: %s: %w", ErrDamaged, name, err))
		}
		return !q.selects(line) || yield(line, nil)
	}
	if q.NewestFirst {
		text, err := io.ReadAll(r)
		if err != nil {
			return fail(fmt.Errorf("ledger: read %s: %w", name, err))
		}
		return eachBackwards(text, give)
	}
	for lines := newLineReader(r); ; {
		text, err := lines.next()
		if errors.Is(err, io.EOF) {
			return true // a torn line is one that is being written
		}
		if err != nil {
			return fail(fmt.Errorf("ledger: read %s: %w", name, err))
		}
		if !give(text) {
			return false
		}
	}
}

func (q Query) selects(l Line) bool {
	if q.URL != "" && l.URL != q.URL || q.Type != "" && l.Type != q.Type {
		return false
	}
	if q.DecisionID == "" {
		return true
	}
	var d struct {
		ID string `json:"decision_id"`
	}
	return json.Unmarshal(l.Decision, &d) == nil && d.ID == q.DecisionID
}
