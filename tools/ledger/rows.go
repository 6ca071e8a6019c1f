package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// row is one requirement of a ledger.
type row struct {
	id    string // LC-043, AP-119, BC-C-014
	actor string // who is bound, as the ledger writes it
	level string // MUST, SHOULD NOT, DECIDE, …
}

// needsTest tells whether the row binds something that is built here.
func (r row) needsTest() bool {
	who, _, _ := strings.Cut(r.actor, " ")
	return slices.Contains([]string{"client", "consumer", "registry"}, who)
}

// idForm is an id as it stands in a ledger.
func idForm() *regexp.Regexp { return regexp.MustCompile(`^(AP|LC|BC-[CDPR])-[0-9]{3}$`) }

// readRows reads a list of rows: id, actor and level, separated by tabs, one row
// a line. Empty lines and lines that begin with # are left out. An id that comes
// twice is an error.
func readRows(text string) ([]row, error) {
	form, seen := idForm(), map[string]bool{}
	var rows []row
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != 3 || !form.MatchString(fields[0]) || fields[1] == "" || fields[2] == "" {
			return nil, fmt.Errorf("ledger: rows, line %d: want id, actor and level: %q", i+1, line)
		}
		if seen[fields[0]] {
			return nil, fmt.Errorf("ledger: rows, line %d: %s twice", i+1, fields[0])
		}
		seen[fields[0]] = true
		rows = append(rows, row{fields[0], fields[1], fields[2]})
	}
	return rows, nil
}
