package registry

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"go.etcd.io/bbolt"
)

// maxImportLine bounds one line: a card and what belongs to it.
const maxImportLine = 1 << 20

// importGroup is how many lines are handed to the writer together.
const importGroup = 256

// importFill is how full pages of the state file are made while lines come in the
// order of their keys, as those of an export do: at bbolt's usual half every page
// would stay half empty, and 100,000 cards take 206 MB of disk instead of 118 MB.
const importFill = 0.9

// Import reads what Export wrote. Each line takes the place of what is known
// about its account or domain, and cards are held against the same rules as
// writes. It stops at the first line that is not in order and says which one;
// the lines before it are kept. It gives the number of lines taken in.
func (a Admin) Import(ctx context.Context, r io.Reader) (int, error) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 1<<16), maxImportLine)
	n := 0
	group := make([]func(*batch) error, 0, importGroup)
	flush := func() error {
		applied := group
		err := a.server.shelf.update(ctx, func(b *batch) error {
			for _, apply := range applied {
				if err := apply(b); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			n += len(applied)
		}
		group = group[:0]
		return err
	}
	var failed error
	for line := 1; failed == nil && in.Scan(); line++ {
		apply, err := a.server.importLine(in.Bytes())
		if err != nil {
			failed = fmt.Errorf("registry: import line %d: %w", line, err)
			break
		}
		if group = append(group, apply); len(group) == importGroup {
			failed = flush()
		}
	}
	if err := in.Err(); failed == nil && err != nil {
		failed = fmt.Errorf("registry: import: %w", err)
	}
	if len(group) > 0 {
		failed = errors.Join(failed, flush())
	}
	a.server.checker.wake()
	return n, failed
}

// importLine reads a line and gives what it does.
func (s *Server) importLine(text []byte) (func(*batch) error, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var line exportLine
	if err := d.Decode(&line); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	switch {
	case line.Publisher != nil && line.Site == nil:
		p := line.Publisher
		if !publisherID.MatchString(p.ID) || len(p.Secret) != 32 {
			return nil, fmt.Errorf("%w: publisher %.80q", ErrInvalid, p.ID)
		}
		return func(b *batch) error { return b.putPublisher(p) }, nil
	case line.Site != nil && line.Publisher == nil:
		return s.importSite(line.Site)
	}
	return nil, fmt.Errorf("%w: neither a publisher nor a site", ErrInvalid)
}

func (s *Server) importSite(e *exportSite) (func(*batch) error, error) {
	domain, err := registrable(e.Domain)
	if err != nil || domain != e.Domain {
		return nil, fmt.Errorf("%w: domain %.80q", ErrInvalid, e.Domain)
	}
	var sub submission
	if e.Card != nil {
		if sub, err = s.validate.read(domain, e.Card); err != nil {
			return nil, fmt.Errorf("%w: card of %q: %w", ErrInvalid, domain, err)
		}
		if e.Proof == nil || e.Proof.Method > DNSTXT || e.Proof.Crawl > CrawlNoRobots || !publisherID.MatchString(e.ListedBy) || e.Updated <= 0 ||
			e.Admitted != nil && (e.Admitted.Method > DNSTXT || e.Admitted.Crawl > CrawlNoRobots) {
			return nil, fmt.Errorf("%w: state of %q", ErrInvalid, domain)
		}
	}
	return func(b *batch) error {
		b.pack(domain)
		for publisher, t := range e.Tokens {
			if err := b.putTokens(domain, publisher, t); err != nil {
				return err
			}
		}
		for publisher, at := range e.Revoked {
			if err := putJSON(b.tx.Bucket(bucketRevoked), pairKey(domain, publisher), at); err != nil {
				return err
			}
		}
		b.dirty = true
		if e.Card == nil {
			return nil
		}
		return b.importCard(e, sub)
	}, nil
}

// pack tells the state file how to part pages in the commit that a domain is in.
func (b *batch) pack(domain string) {
	for _, name := range [...][]byte{bucketSite, bucketCard} {
		bucket := b.tx.Bucket(name)
		bucket.FillPercent = bbolt.DefaultFillPercent
		if last, _ := bucket.Cursor().Last(); string(last) < domain {
			bucket.FillPercent = importFill
		}
	}
}

func (b *batch) importCard(e *exportSite, sub submission) (err error) {
	next := site{domain: e.Domain}
	if known := b.site(e.Domain); known != nil {
		next.seq, next.removed = known.seq, known.removed
	}
	p := e.Proof
	next.publisher, next.updated, next.listed, next.stale, next.next = e.ListedBy, e.Updated, e.Listed, e.Stale && p.Method.Proven(), e.Next
	next.facts, next.window = sub.facts, sub.window
	next.proof = proofState{method: p.Method, holder: p.Publisher, checked: p.Checked, proven: p.Proven, missed: p.Missed,
		failures: p.Failures, validated: p.Validated, crawl: p.Crawl, note: clipNote(p.Note)}
	if ad := e.Admitted; ad != nil {
		next.admitted = &admission{publisher: ad.Publisher, method: ad.Method, at: ad.Checked, validated: ad.Validated, crawl: ad.Crawl}
	}
	if next.rev, err = b.setCard(e.Domain, sub.raw); err != nil {
		return err
	}
	return b.put(&next)
}
