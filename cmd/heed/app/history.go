package app

import (
	"context"
	"encoding/json"
	"fmt"

	"heed/crawler"
	"heed/politeness"
	"heed/store/ledger"
)

// history reads the ledger backwards.
type history struct{ dir string }

// History implements crawler.Trace.
func (h history) History(ctx context.Context, url string, limit int) ([]crawler.Past, error) {
	past := []crawler.Past{}
	for line, err := range ledger.Read(h.dir, ledger.Query{URL: url, NewestFirst: true}) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return past, fmt.Errorf("app: read the ledger: %w", err)
		}
		p, err := pastOf(line)
		if err != nil {
			return past, fmt.Errorf("app: read the ledger, line %d: %w", line.Seq, err)
		}
		if past = append(past, p); len(past) >= limit {
			break
		}
	}
	return past, nil
}

func pastOf(line ledger.Line) (crawler.Past, error) {
	var o outcome
	if err := json.Unmarshal(line.Outcome, &o); err != nil {
		return crawler.Past{}, err
	}
	p := crawler.Past{Kind: o.Kind, At: line.At, URL: o.URL, State: o.State, Reason: o.Reason, Status: o.Status, SHA256: o.SHA256,
		Wire: o.Wire, Decoded: o.Decoded, Title: o.Title, Sequence: line.Seq}
	if line.Decision != nil {
		p.Decision = new(politeness.Decision)
		if err := json.Unmarshal(line.Decision, p.Decision); err != nil {
			return crawler.Past{}, err
		}
	}
	return p, nil
}
