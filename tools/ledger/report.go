package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// report writes each row that needs a test with those it has, or with missing
// only what is wrong, and tells whether nothing is. Its error is that of w.
func report(w io.Writer, rows []row, tests mentions, missing bool) (bool, error) {
	var out bytes.Buffer
	known := map[string]bool{}
	var without []string
	needed := 0
	for _, r := range rows {
		known[r.id] = true
		if !r.needsTest() {
			continue
		}
		needed++
		if len(tests[r.id]) == 0 {
			without = append(without, fmt.Sprintf("%s %s %s", r.id, r.actor, r.level))
		}
		if missing {
			continue
		}
		fmt.Fprintf(&out, "%s\t%s\t%s\n", r.id, r.actor, r.level)
		for _, m := range tests[r.id] {
			fmt.Fprintf(&out, "\t%s:%d\t%s\n", m.file, m.line, brief(m.name))
		}
	}
	var strange []string
	for _, id := range slices.Sorted(maps.Keys(tests)) {
		if !known[id] {
			strange = append(strange, fmt.Sprintf("%s in %s:%d", id, tests[id][0].file, tests[id][0].line))
		}
	}
	for _, line := range without {
		fmt.Fprintf(&out, "no test: %s\n", line)
	}
	for _, line := range strange {
		fmt.Fprintf(&out, "no such row: %s\n", line)
	}
	fmt.Fprintf(&out, "%d rows need a test, %d have none\n", needed, len(without))
	if _, err := w.Write(out.Bytes()); err != nil {
		return false, fmt.Errorf("ledger: report: %w", err)
	}
	return len(without) == 0 && len(strange) == 0, nil
}

// briefRunes is how much of a name is shown.
const briefRunes = 100

// brief is a name on one line.
func brief(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if r := []rune(name); len(r) > briefRunes {
		return string(r[:briefRunes-1]) + "…"
	}
	return name
}
