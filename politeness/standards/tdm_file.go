package standards

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"heed/politeness"
)

// tdmCopyLife is how long a copy without a reservation counts while the file
// cannot be read. A reservation in it stays in force.
const tdmCopyLife = 24 * time.Hour

// tdmFile is a tdmrep.json as it was answered.
type tdmFile struct {
	rules   []tdmRule
	sieve   sieve
	whole   reservation // for every path, if there are no rules
	note    string      // why whole is unclear
	failing bool        // it cannot be read now
	barred  bool        // robots.txt does not let us read it
	fetched time.Time
}

// tdmRule is a member of the array.
type tdmRule struct {
	pattern
	value reservation
	rule  politeness.Rule
}

// readTDMFile classifies an answer. No file, by a 4xx or by redirects that lead
// nowhere, means that the origin does not take part (BC-C-025); a file that
// cannot be read, be it that robots.txt forbids it, is unclear (BC-C-937).
func readTDMFile(d *politeness.Document) *tdmFile {
	f := &tdmFile{failing: d.Failure != nil, barred: d.Forbidden, fetched: d.FetchedAt}
	switch status := d.Status; {
	case status >= 200 && status <= 299:
		rules, err := parseTDM(d.Body)
		if err == nil && d.Truncated {
			err = errTDMCut
		}
		if err != nil {
			f.whole, f.note = tdmUnclear, err.Error()
			break
		}
		f.rules = rules
		for i := range rules {
			f.sieve.add(&rules[i].pattern)
		}
	case status == 408 || status == 425 || status == 429 || status < 300 || status > 499:
		f.whole = tdmUnclear
	}
	return f
}

// Judge takes the first rule whose location fits (BC-C-026); without one the
// value is unset.
func (f *tdmFile) Judge(q politeness.Question) politeness.Opinion {
	value, rule := f.whole, politeness.Rule{}
	if len(f.rules) > 0 {
		t := newTarget(q.Path)
		sifted := f.sieve.over(t)
		for i, ok := sifted.next(len(f.rules)); ok; i, ok = sifted.next(len(f.rules)) {
			if r := &f.rules[i]; r.fits(t) {
				value, rule = r.value, r.rule
				break
			}
		}
	}
	old := f.failing && q.Now.Sub(f.fetched) > tdmCopyLife
	if value != tdmReserved && (f.barred || old) {
		value, rule = tdmUnclear, politeness.Rule{}
	}
	return value.opinion(rule, q.Purposes)
}

// Notes implements politeness.Noter.
func (f *tdmFile) Notes() []politeness.Note {
	if f.note == "" {
		return nil
	}
	return []politeness.Note{{Kind: noteMalformed, Text: plainText(f.note)}}
}

// Errors of a file as a whole.
var (
	errTDMNoArray = errors.New("standards: tdmrep.json is no array")
	errTDMRules   = errors.New("standards: tdmrep.json has too many rules")
	errTDMCut     = errors.New("standards: tdmrep.json is larger than what is read")
	errTDMTail    = errors.New("standards: tdmrep.json goes on behind its array")
)

// parseTDM reads the array. A member without a usable location or reservation,
// or with one of them twice, is unclear about every path that no earlier member
// decides.
func parseTDM(body []byte) ([]tdmRule, error) {
	body = bytes.TrimPrefix(body, []byte("\xEF\xBB\xBF"))
	dec := json.NewDecoder(bytes.NewReader(body))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return nil, errors.Join(errTDMNoArray, err)
	}
	var rules []tdmRule
	for line := 1; dec.More(); line++ {
		if len(rules) >= tdmMaxRules {
			return nil, errTDMRules
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fmt.Errorf("standards: tdmrep.json, member %d: %w", line, err)
		}
		rules = append(rules, parseTDMRule(raw))
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("standards: tdmrep.json: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errTDMTail
	}
	return rules, nil
}

// parseTDMRule reads one member. A rule has no line in a JSON text, so its text
// says where it stands.
func parseTDMRule(raw json.RawMessage) tdmRule {
	everywhere, _ := compilePattern("*")
	r := tdmRule{pattern: everywhere, value: tdmUnclear, rule: politeness.Rule{Text: plainText(compact(raw))}}
	members, ok := onceEach(raw)
	if !ok {
		return r
	}
	var location string
	if json.Unmarshal(members["location"], &location) != nil || members["tdm-reservation"] == nil {
		return r
	}
	p, usable := compilePattern(location)
	if !usable {
		return r
	}
	r.pattern, r.value = p, tdmUnset
	if n, err := strconv.ParseFloat(string(members["tdm-reservation"]), 64); err == nil {
		switch n {
		case 0:
			r.value = tdmOpen
		case 1:
			r.value = tdmReserved
		}
	}
	return r
}

// onceEach reads an object of a stranger. It is false for anything else, and for
// one that has a member twice.
func onceEach(raw json.RawMessage) (map[string]json.RawMessage, bool) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	members := map[string]json.RawMessage{}
	for dec.More() {
		name, err := dec.Token()
		key, isString := name.(string)
		var value json.RawMessage
		if err != nil || !isString || dec.Decode(&value) != nil {
			return nil, false
		}
		if _, twice := members[key]; twice {
			return nil, false
		}
		members[key] = value
	}
	return members, true
}

// compact is a JSON text without the blanks between its parts.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
