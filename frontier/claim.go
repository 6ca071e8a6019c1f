package frontier

import "time"

// Candidate is a URL somebody found.
//
// Path has one letter for each hop from the seed, of which the last 32 are kept:
//
//	L  a link               S  a sitemap            C  a context file
//	R  a redirect           F  a feed of a page     D  a consent card
//	E  a requisite of a page (it is embedded)
type Candidate struct {
	URL       string // canonical
	Host      string // HostKey of URL
	Score     int    // 0 to 100
	Depth     int    // links from a seed
	NotBefore time.Time
	Parent    string // canonical URL of the page that named it, "" for a seed
	Path      string // discovery path, "" for a seed
}

// ClaimRequest asks for work.
type ClaimRequest struct {
	MaxHosts int           // grants at most
	PerGrant int           // URLs in a grant at most
	TTL      time.Duration // life of the grants
	MaxWait  time.Duration // how long to wait for something due
}

// Outlook tells a worker without work what there is to wait for.
type Outlook struct {
	Next   time.Time // earliest time at which something is due; zero if nothing is queued
	Queued int       // URLs ready or future
	Leased int       // URLs in live grants
}

// GrantRef names a grant.
type GrantRef struct {
	Host  string
	Slot  int    // 0 to PerHost-1
	Token uint64 // fencing token; rises with each grant of the host
}

// Grant is the right to ask one host for some URLs until a deadline.
type Grant struct {
	GrantRef
	Deadline time.Time
	URLs     []Item // best rank first
}

// Item is a URL with what is known of it.
type Item struct {
	Candidate
	Attempts int    // failed attempts in a row
	Pass     uint64 // pass in which it was queued
	Page     Page   // the last answer; zero if there was none
}

// Page is what the frontier remembers of the last good answer to a URL.
type Page struct {
	Status       int
	FetchedAt    time.Time // zero if never
	FreshUntil   time.Time // end of explicit freshness, zero if none
	ETag         string    // word for word; kept together with what it validates
	LastModified string    // word for word
	Digest       [32]byte  // SHA-256 of the decoded payload
	Location     string    // where the body is stored: file:offset:length; "" if nowhere
	WireBytes    int64     // of the body, content-coded, when it was last transferred
	Open         uint8     // a set of what its last answer was fetched for; the caller gives the bits their meaning
	Changes      uint32    // answers whose digest differed from the one before
	Checks       uint32    // answers in all
}
