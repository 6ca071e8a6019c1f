package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"heed/cmd/heed/app"
	"heed/crawler"
	"heed/politeness"
)

type exportVerb struct {
	Format string `arg:"" enum:"jsonl,urls" help:"jsonl: a provenance envelope a line; urls: a URL a line."`
	jobFlags
	netFlags
	Out string `help:"Write to a file instead of standard output." placeholder:"FILE" group:"Output"`
}

// run writes what may be used for every purpose given, judged again now.
func (v *exportVerb) run(ctx context.Context, s *session) (err error) {
	if !app.Exists(s.config) {
		return &exitError{app.ExitNone, fmt.Errorf("there is no job %s in %s", s.config.Job, s.config.Data)}
	}
	s.recall()
	purposes, err := politeness.ParsePurposes(s.config.Purpose...)
	if err != nil {
		return err
	}
	a, err := s.openPatiently(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	out, done, err := s.output()
	if err != nil {
		return err
	}
	sum, err := a.Export(ctx, purposes, write(v.Format, out))
	if err = errors.Join(err, done()); err != nil {
		return err
	}
	s.log.Info("exported", "written", sum.Written, "missing", sum.Missing, "refused", sum.Refused)
	for _, r := range slices.Sorted(maps.Keys(sum.Withheld)) {
		s.log.Info("withheld", "reason", r, "pages", sum.Withheld[r], "because", r.Sentence())
	}
	switch {
	case sum.Written > 0:
		return nil
	case len(sum.Withheld) > 0 || sum.Refused > 0:
		return ended(app.ExitRefused)
	}
	return ended(app.ExitNone)
}

// write gives the writer of one page in a format.
func write(format string, out io.Writer) func(crawler.Envelope) error {
	if format == "urls" {
		return func(e crawler.Envelope) error {
			_, err := fmt.Fprintln(out, e.FinalURL)
			return err
		}
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	return func(e crawler.Envelope) error { return enc.Encode(e) }
}

// output is where a result goes: a file that appears when it is whole, or
// standard output.
func (s *session) output() (io.Writer, func() error, error) {
	if s.config.Out == "" {
		w := bufio.NewWriter(s.stdout)
		return w, w.Flush, nil
	}
	f, err := os.Create(s.config.Out + ".part")
	if err != nil {
		return nil, nil, fmt.Errorf("--out: %w", err)
	}
	w := bufio.NewWriter(f)
	return w, func() error {
		err := errors.Join(w.Flush(), f.Sync(), f.Close())
		if err == nil {
			err = os.Rename(f.Name(), s.config.Out)
		}
		return err
	}, nil
}
