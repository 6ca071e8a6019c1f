package bolt

import (
	"errors"
	"fmt"

	"go.etcd.io/bbolt"

	"heed/frontier"
)

// maxProblems is the number of problems that are spelt out.
const maxProblems = 100

// Check is what [Verify] found.
type Check struct {
	URLs, Ready, Future, Hosts, Documents, Notes int64

	Problems []string // in sentences; the first 100
	Found    int      // problems in all
	Advice   string   // what to do about them, "" if there are none
}

// OK tells whether nothing is wrong.
func (c *Check) OK() bool { return c.Found == 0 }

func (c *Check) problem(format string, args ...any) {
	if c.Found++; len(c.Problems) < maxProblems {
		c.Problems = append(c.Problems, fmt.Sprintf(format, args...))
	}
}

// Verify reads the whole file at path, which no process may have open for
// writing, and checks its pages, every record against every index, and the
// counters. The errors are those of [Open]; what is wrong inside is in Check.
func Verify(path string) (Check, error) {
	e, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		return Check{}, err
	}
	defer e.Close()
	v := verifier{e: e, hosts: map[uint32]*hostCount{}}
	if err := v.check(); errors.Is(err, frontier.ErrDamaged) {
		v.problem("Reading broke off: %v.", err)
	} else if err != nil {
		return Check{}, fmt.Errorf("bolt: verify %s: %w", path, err)
	}
	if !v.OK() {
		v.Advice = advice
	}
	return v.Check, nil
}

// check reads every record first and lets bbolt check its pages after that:
// bbolt does it in a goroutine of its own, where a fault on a page that is not
// there could not be caught.
func (v *verifier) check() error {
	return v.e.view(func(tx *bbolt.Tx) error {
		v.tx = tx
		v.readHosts()
		v.readURLs()
		v.readReady()
		v.readFuture()
		v.compare()
		v.readValues()
		for err := range tx.Check() {
			v.problem("Page structure: %v.", err)
		}
		return nil
	})
}
