package prover

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"heed/cmd/heed-registry/resolver"
	"heed/crawler/fetch"
	"heed/registry"
	"heed/registry/proof"
)

// Options configures a Prover.
type Options struct {
	UserAgent    string
	Resolver     string         // address of a resolver, see resolver.New; "" for the system's
	Roots        *x509.CertPool // for a resolver behind TLS; nil means the system's
	Resolve      []string       // HOST:PORT:ADDR[:PORT]
	AllowAddress []netip.Prefix // opens the address guard
	CAFiles      []string       // trusted beside the system's authorities
	SpoolDir     string         // of bodies that do not fit into memory; none should
}

// Prover checks proofs. It is safe for concurrent use.
type Prover struct {
	client  *fetch.Client
	records records
}

var _ registry.Prover = (*Prover)(nil)

// limits are tighter than a crawler's: a proof is a small file.
func limits() fetch.Limits {
	return fetch.Limits{MaxBodyBytes: robotsMaxBytes, Connect: 5 * time.Second, Header: 8 * time.Second, Total: 10 * time.Second,
		MinRateAfter: 3 * time.Second}
}

// New returns a prover. It starts nothing.
func New(o Options) (*Prover, error) {
	names, err := resolver.New(o.Resolver, o.Roots)
	if err != nil {
		return nil, fmt.Errorf("prover: new: %w", err)
	}
	options := fetch.Options{UserAgent: o.UserAgent, AllowAddress: o.AllowAddress, CAFiles: o.CAFiles, Limits: limits(), SpoolDir: o.SpoolDir, Resolver: names}
	for _, text := range o.Resolve {
		rule, err := fetch.ParseResolve(text)
		if err != nil {
			return nil, fmt.Errorf("prover: new: %w", err)
		}
		options.Resolve = append(options.Resolve, rule)
	}
	client, err := fetch.New(options)
	if err != nil {
		return nil, fmt.Errorf("prover: new: %w", err)
	}
	return &Prover{client: client, records: records{names}}, nil
}

// Close drops idle connections.
func (p *Prover) Close() { p.client.Close() }

// Prove looks for the tokens and at robots.txt. It takes at most 20 s for the
// first and robotsPatience for the second.
func (p *Prover) Prove(ctx context.Context, q registry.ProofQuestion) registry.Finding {
	found := proof.Check(ctx, getter{p.client}, p.records, proof.Question{Domain: q.Domain, Tokens: q.Tokens})
	f := registry.Finding{Token: found.Token, Validated: found.Validated, Note: found.Note()}
	switch found.Method {
	case proof.WellKnownFile:
		f.Method = registry.WellKnownFile
	case proof.DNSTXT:
		f.Method = registry.DNSTXT
	default:
		// Without an answer of DNS nothing is certain. With one, a file that
		// could not be had leaves the finding partial.
		f.Method = registry.Pending
		if found.DNS.Definite() {
			f.Method, f.Partial = registry.Unverified, !found.File.Definite()
		}
	}
	var note string
	f.Crawl, note = p.crawlHealth(ctx, q, found.File.Cause)
	if note != "" {
		f.Note += "; " + note
	}
	return f
}

// records gives the resolver's errors the words of a note.
type records struct{ resolver *resolver.Resolver }

func (r records) LookupTXT(ctx context.Context, name string) (proof.Text, error) {
	text, err := r.resolver.LookupTXT(ctx, name)
	if err != nil {
		return proof.Text{}, errors.New(strings.TrimPrefix(err.Error(), "resolver: "))
	}
	return text, nil
}
