package app

import (
	"context"
	"errors"
	"fmt"

	"heed/config"
	"heed/frontier"
	"heed/store/archive"
	"heed/store/bolt"
	"heed/store/ledger"
)

// Verification is what Verify found.
type Verification struct {
	Job   string         `json:"job"`
	Sound bool           `json:"sound"`
	Parts []VerifiedPart `json:"parts"`
}

// VerifiedPart is one of state, ledger and archive.
type VerifiedPart struct {
	Name     string   `json:"name"`
	Counted  string   `json:"counted"`
	Problems []string `json:"problems"`
}

// ErrNoJob is returned for a job that was never opened.
var ErrNoJob = errors.New("app: there is no such job")

// Verify checks the state file, the ledger's chain and the archive's records,
// and that the two files hold exactly what the state says was committed. It
// changes nothing and needs the job for itself.
func Verify(ctx context.Context, c config.Config) (Verification, error) {
	f, err := jobFolder(c.Data, c.Job)
	if err != nil {
		return Verification{}, err
	}
	if !f.exists() {
		return Verification{}, fmt.Errorf("%w: %s in %s", ErrNoJob, c.Job, c.Data)
	}
	v := Verification{Job: c.Job, Sound: true}
	marks, part, err := verifyState(f)
	if err != nil {
		return v, err
	}
	v.add(part)
	l, err := ledger.Verify(ctx, f.ledger(), marks)
	if err != nil {
		return v, err
	}
	part = VerifiedPart{Name: "ledger", Counted: fmt.Sprintf("%d lines in %d segments", l.Entries, l.Segments)}
	if l.Broken != nil {
		part.Problems = append(part.Problems, l.Broken.String())
	}
	v.add(part)
	w, err := archive.Verify(ctx, f.archive(), f.indexes(), marks)
	if err != nil {
		return v, err
	}
	part = VerifiedPart{Name: "archive", Counted: fmt.Sprintf("%d records in %d files, %d index lines", w.Records, w.Files, w.Captures)}
	for _, p := range w.Problems {
		part.Problems = append(part.Problems, p.String())
	}
	v.add(part)
	return v, nil
}

func (v *Verification) add(p VerifiedPart) {
	if p.Problems == nil {
		p.Problems = []string{}
	}
	v.Sound = v.Sound && len(p.Problems) == 0
	v.Parts = append(v.Parts, p)
}

// verifyState checks the state file and reads what it says was committed. A
// damaged one is a finding; the rest is then checked without marks.
func verifyState(f folder) (frontier.Marks, VerifiedPart, error) {
	part := VerifiedPart{Name: "state"}
	check, err := bolt.Verify(f.state())
	switch {
	case errors.Is(err, frontier.ErrDamaged):
		part.Problems = append(part.Problems, err.Error())
		return nil, part, nil
	case err != nil:
		return nil, part, fmt.Errorf("app: verify: %w", err)
	}
	part.Counted = fmt.Sprintf("%d URLs of %d hosts", check.URLs, check.Hosts)
	part.Problems = append(part.Problems, check.Problems...)
	if check.Advice != "" {
		part.Problems = append(part.Problems, check.Advice)
	}
	e, err := bolt.Open(f.state(), bolt.Options{ReadOnly: true})
	if err != nil {
		return nil, part, fmt.Errorf("app: verify: %w", err)
	}
	return e.Marks(), part, e.Close()
}
