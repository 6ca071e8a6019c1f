package mirror

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"heed/registry/card"
)

// Fixed paths, used where the discovery document does not say otherwise.
const (
	pathRobots   = "/robots.txt"
	pathIndex    = "/.well-known/botcentral-index.json"
	pathSnapshot = "/v1/snapshot"
	pathChanges  = "/v1/changes"
	pathCard     = "/v1/site/"
)

// list is a discovery document as far as it concerns us.
type list struct {
	snapshot, changes string // absolute URLs, empty where the document names none
	domains           []listing
	whole             bool   // it has a list of domains
	next              string // URL of its next page
}

// listing is one entry of the list. The href is empty if the card lies where
// all lie.
type listing struct{ domain, href string }

// discover reads the discovery document, one page a step.
func (r *registry) discover(ctx context.Context) error {
	q := Request{URL: r.origin + pathIndex, MaxBytes: listMaxBytes}
	switch {
	case r.partial != nil:
		q.URL = r.partial.next
	case r.state.Listed:
		q.ETag = r.state.IndexETag
	}
	a, answered, err := r.ask(ctx, q)
	if err != nil || !answered {
		r.partial = nil
		return err
	}
	switch {
	case a.Status == http.StatusNotModified && q.ETag != "":
		return r.discovered(ctx)
	case a.Status == http.StatusNotFound && r.partial == nil:
		r.warnOnce("registry has no discovery document, using the fixed paths")
		r.state.Changes, r.state.Snapshot, r.state.IndexETag = "", "", ""
		if !r.state.Listed {
			r.state.Reading, r.state.Cursor = true, ""
		}
		return r.discovered(ctx)
	case a.Status != http.StatusOK:
		r.partial = nil
		return r.unusable(ctx, &r.state.IndexRetry, fmt.Sprintf("%s: status %d", q.URL, a.Status))
	}
	page, err := r.readList(q.URL, a.Body)
	if err != nil {
		r.partial = nil
		return r.unusable(ctx, &r.state.IndexRetry, err.Error())
	}
	if r.partial == nil {
		r.state.IndexETag = a.Header.Get("ETag")
		r.state.Changes, r.state.Snapshot = page.changes, page.snapshot
	} else {
		page.domains = append(r.partial.domains, page.domains...)
	}
	if r.partial = nil; page.next != "" && len(page.domains) < maxListed {
		r.partial = page
		return r.succeed(ctx)
	}
	if !page.whole {
		r.warnOnce("discovery document has no list of domains, reading the change feed from its beginning")
		r.state.Reading, r.state.Cursor = true, ""
		return r.discovered(ctx)
	}
	if err := r.applyList(ctx, page.domains); err != nil {
		return err
	}
	r.state.Listed = true
	return r.discovered(ctx)
}

// discovered ends a reading of the discovery document. The first poll comes a
// whole interval after the first reading, because the list is as new as a
// snapshot would be; what changes until then is seen by reading the feed from
// its beginning.
func (r *registry) discovered(ctx context.Context) error {
	now := r.o.Clock()
	if r.state.Discovered.IsZero() && r.state.Polled.IsZero() {
		r.pollAt = r.nextPoll(now)
	}
	r.state.Discovered, r.state.IndexRetry, r.scanAt = now, retry{}, now
	return r.succeed(ctx)
}

// readList reads a discovery document that was found at a URL. Its member names
// are not settled, so some others are understood (BC-C-935).
func (r *registry) readList(at string, body []byte) (*list, error) {
	v, err := card.ReadJSON(body, listMaxBytes)
	if err != nil {
		return nil, fmt.Errorf("mirror: read list at %s: %w", at, err)
	}
	if !v.IsObject() {
		return nil, fmt.Errorf("mirror: read list at %s: %w", at, errShape)
	}
	base, err := url.Parse(at)
	if err != nil {
		return nil, fmt.Errorf("mirror: read list at %s: %w", at, err)
	}
	l := &list{}
	for name, value := range v.Members() {
		switch name {
		case "changes", "changes_url", "feed":
			l.changes = r.resource(base, value, l.changes)
		case "snapshot", "snapshot_url":
			l.snapshot = r.resource(base, value, l.snapshot)
		case "next", "next_url":
			l.next = r.resource(base, value, l.next)
		case "listed":
			l.whole = value.IsArray()
			l.domains = r.readListed(base, value)
		}
	}
	if l.next == at {
		l.next = ""
	}
	return l, nil
}

func (r *registry) readListed(base *url.URL, v card.JSON) []listing {
	var domains []listing
	for e := range v.Elements() {
		var one listing
		var href card.JSON
		for name, value := range e.Members() {
			switch name {
			case "domain":
				one.domain = domainName(value)
			case "href":
				href = value
			}
		}
		if one.domain == "" {
			continue
		}
		if len(domains) == maxListed {
			r.warnOnce("registry lists more domains than are kept", "kept", maxListed)
			break
		}
		if one.href = r.resource(base, href, ""); one.href == r.origin+pathCard+one.domain {
			one.href = ""
		}
		domains = append(domains, one)
	}
	return domains
}

// resource resolves a reference to a resource of the registry. One that leads to
// another host, or off https, is not used: the former value stays (BC-C-020).
func (r *registry) resource(base *url.URL, v card.JSON, former string) string {
	text, ok := v.Text()
	if !ok || text == "" || len(text) > 2048 {
		return former
	}
	u, err := base.Parse(text)
	if err != nil || u.User != nil || u.Scheme != "https" || "https://"+strings.TrimSuffix(strings.ToLower(u.Host), ":443") != r.origin {
		r.warnOnce("registry names a resource that is not on its host over https, using the fixed path", "resource", text)
		return former
	}
	u.Fragment, u.RawFragment = "", ""
	u.Host = strings.TrimPrefix(r.origin, "https://")
	return u.String()
}

// domainName is a domain as it is used for a key: lower case, no final dot,
// A-labels only. Empty for anything that is not like a domain.
func domainName(v card.JSON) string {
	text, _ := v.Text()
	text = strings.ToLower(strings.TrimSuffix(text, "."))
	if len(text) > maxDomain || !strings.Contains(text, ".") || text[0] == '.' || text[0] == '-' ||
		strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" || strings.Contains(text, "..") {
		return ""
	}
	return text
}

// applyList takes over a whole list: what is not in it is not listed any more.
func (r *registry) applyList(ctx context.Context, domains []listing) error {
	now := r.o.Clock()
	on := make(map[string]struct{}, len(domains))
	var gone []string
	r.mu.Lock()
	for _, l := range domains {
		on[l.domain] = struct{}{}
		r.enlist(l.domain, now).href = l.href
	}
	for domain, e := range r.entries {
		if _, ok := on[domain]; !ok && e.listed {
			e.delist()
			gone = append(gone, domain)
		}
	}
	r.mu.Unlock()
	if err := r.saveList(ctx); err != nil {
		return err
	}
	return r.dropCards(ctx, gone)
}

// enlist makes sure that a domain is listed. mu is held.
func (r *registry) enlist(domain string, now time.Time) *entry {
	e := r.entries[domain]
	if e == nil {
		e = &entry{}
		r.entries[domain] = e
	}
	if !e.listed {
		e.listed, e.missing, e.failures = true, false, 0
		e.due, e.expires = time.Time{}, time.Time{}
		if r.missed.has(domain) {
			r.mark(domain, e, now)
		}
	}
	return e
}

// delist takes a domain off the list. That a proof was seen is remembered
// (BC-C-904). mu is held.
func (e *entry) delist() {
	e.listed, e.missing, e.copy, e.etag, e.announced, e.href = false, true, nil, "", "", ""
}
