package main

import (
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"heed/cmd/heed/app"
	"heed/crawler"
	"heed/crawler/discover"
)

// contextCode is the exit code of a discovery.
func contextCode(r crawler.ContextResult) int {
	switch {
	case r.State == discover.StateIndex:
		return app.ExitDone
	case r.State == discover.StateUndetermined:
		return app.ExitUndecided
	case r.Refused:
		return app.ExitRefused
	}
	return app.ExitNone
}

// agreement is yes or no, or why nothing could be compared.
func agreement(c crawler.Comparison) string {
	switch {
	case c.Agree == nil:
		return c.Reason
	case *c.Agree:
		return "yes"
	}
	return "no"
}

// printContext shows what discovery found, and how.
func (s *session) printContext(r crawler.ContextResult) {
	fmt.Fprintf(s.stdout, "%s: %s (%s)\n", plain(r.Origin), r.State, r.Reason)
	if r.FinalURI != "" {
		fmt.Fprintf(s.stdout, "  %s, by %s, %s decoded", plain(r.FinalURI), r.Mechanism, octets(r.DecodedBytes))
		if r.Language != "" {
			fmt.Fprintf(s.stdout, ", language %s", plain(r.Language))
		}
		fmt.Fprintln(s.stdout)
	}
	if !r.NextAllowed.IsZero() {
		fmt.Fprintf(s.stdout, "  next request not before %s\n", r.NextAllowed.Local().Format(time.DateTime))
	}
	for _, f := range r.Findings {
		fmt.Fprintf(s.stdout, "  finding: %s\n", f)
	}
	if len(r.Candidates) > 0 {
		fmt.Fprintln(s.stdout)
		t := s.newTable("candidate", "by", "also by", "declined")
		for _, c := range r.Candidates {
			t.AppendRow(table.Row{short(c.URI, 80), c.Mechanism, c.Also, c.Declined})
		}
		t.Render()
	}
	if len(r.Requests) > 0 {
		fmt.Fprintln(s.stdout)
		t := s.newTable("request", "hop", "status", "result")
		for _, q := range r.Requests {
			t.AppendRow(table.Row{short(q.URI, 80), q.Hop, q.Status, q.Reason})
		}
		t.Render()
	}
	if r.Divergence != nil {
		fmt.Fprintf(s.stdout, "\ndivergence %.2f: the share of the sampled pages that disagree with the index\n", *r.Divergence)
	}
	if len(r.Samples) > 0 {
		t := s.newTable("sample", "the index says", "the page says", "agree")
		for _, c := range r.Samples {
			t.AppendRow(table.Row{short(c.URI, 60), short(c.IndexTitle, 40), short(c.PageTitle, 40), agreement(c)})
		}
		t.Render()
	}
	for _, d := range r.Details {
		fmt.Fprintf(s.stdout, "  links to %s\n", short(d, 120))
	}
}
