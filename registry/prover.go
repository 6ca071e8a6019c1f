package registry

import "context"

// Prover looks at a domain's origin and its DNS for verification tokens. It is
// called from several goroutines and must end within a bound of its own; it
// returns when ctx is done.
type Prover interface {
	Prove(ctx context.Context, q ProofQuestion) Finding
}

// ProofQuestion says what to look for.
type ProofQuestion struct {
	Domain string
	Tokens []string // accepted tokens, at least one; the first one found counts
	Allow  []string // product tokens of the card, for the look at robots.txt (BC-P-908)
}

// Finding is what a check found out.
type Finding struct {
	// Method is WellKnownFile or DNSTXT if that proof was found, Unverified if
	// none was, Pending if the check could not tell.
	Method Method
	// Token is the index of the token that was found.
	Token int
	// Partial says that Unverified rests on DNS alone, because the origin could
	// not be reached. It is enough for a card that was never proven (BC-P-016)
	// and too little to end a proof (BC-P-906).
	Partial bool
	// Validated says that a trusted resolver validated the TXT record (DNSSEC).
	Validated bool
	Crawl     CrawlHealth
	// Note is the reason for people, one line without any token.
	Note string
}
