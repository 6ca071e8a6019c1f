package registry

// record stores what a check has found out. A pass of another publisher than the
// writer says nothing about the card: it lets that publisher in.
func (b *batch) record(domain, publisher string, f Finding, draw float64) (*site, error) {
	known := b.site(domain)
	if known == nil || !known.hasCard() {
		return nil, errNotListed
	}
	if f.Method.Proven() && revokedAt(b.tx, domain, publisher) != 0 {
		return known, nil // revoked while the check was on its way
	}
	next := *known
	if publisher != known.publisher {
		if !f.Method.Proven() {
			return known, nil
		}
		next.admitted = &admission{publisher: publisher, method: f.Method, at: b.now, validated: f.Validated && f.Method == DNSTXT, crawl: f.Crawl}
		return &next, b.store(&next)
	}
	next.proof = known.proof.after(f, publisher, b.now)
	next.stale = known.stale && next.proof.method.Proven() && !f.Method.Proven()
	next.listed = known.listed || next.proof.method.Proven()
	next.next = next.proof.due(next.window, b.now, draw)
	return &next, b.put(&next)
}
