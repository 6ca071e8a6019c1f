package discover

// Mechanism is how an index was advertised.
type Mechanism string

const (
	Link        Mechanism = "link"
	WellKnown   Mechanism = "well-known"
	Robots      Mechanism = "robots"
	Guess       Mechanism = "guess"       // off by default (LC-142)
	DescribedBy Mechanism = "describedby" // off by default (LC-142)
)

// State is what is known about an origin, or about one detail.
type State string

const (
	StateUnknown      State = ""
	StateIndex        State = "index"
	StateNone         State = "none"
	StateUndetermined State = "undetermined"
)

// Reason is why. The list is closed and part of the outer contract.
type Reason string

const (
	Found       Reason = "found"        // index: transferred and accepted
	NotModified Reason = "not-modified" // index: the copy was confirmed
	Fresh       Reason = "fresh"        // index: no request, the copy's time is not over

	NotAdvertised  Reason = "not-advertised"  // none: no mechanism named anything
	NotFound       Reason = "not-found"       // none: 404
	Gone           Reason = "gone"            // none: 410
	HTML           Reason = "html"            // none: media type of a web page
	HTMLShell      Reason = "html-shell"      // none: a web page under another label
	MediaType      Reason = "media-type"      // none: neither Markdown nor plain text
	Encoding       Reason = "encoding"        // none: not UTF-8, or a NUL
	Empty          Reason = "empty"           // none: no content
	Ceiling        Reason = "ceiling"         // none: larger than the ceiling; ends the cycle
	Redirects      Reason = "redirects"       // none: more than five, or a loop
	RedirectStatus Reason = "redirect-status" // none: a 3xx that is not followed
	CrossOrigin    Reason = "cross-origin"    // none: the reference leaves the origin
	Disallowed     Reason = "disallowed"      // none: a signal of the site forbids the fetch
	Refused        Reason = "refused"         // none: 4xx, or an address that is closed to us
	NotProbed      Reason = "not-probed"      // nothing was asked

	Unreachable Reason = "unreachable"  // undetermined: network, or permission unknown
	RateLimited Reason = "rate-limited" // undetermined: 408, 425, 429
	ServerError Reason = "server-error" // undetermined: 5xx
)

// Findings about a site. They change nothing; reports and audits show them.
const (
	FindingCharsetMissing     = "charset-missing"
	FindingCharsetMislabelled = "charset-mislabelled"
	FindingMediaTypeMissing   = "media-type-missing"
	FindingMediaTypeGeneric   = "media-type-generic"
	FindingIndexAdvice        = "index-over-100000"
	FindingDetailAdvice       = "detail-over-1000000"
	FindingNoValidator        = "no-validator"
	FindingNoMaxAge           = "no-max-age"
	FindingNotCompressed      = "not-compressed"
	FindingNotMarkdown        = "not-markdown"
	FindingNoContentLanguage  = "negotiated-without-content-language"
	FindingNoVary             = "negotiated-without-vary"
	FindingPointsAtDetail     = "points-at-detail"
	FindingRelativeRecord     = "robots-relative-value"
	FindingDisallowed         = "advertised-but-disallowed"
	FindingNoWellKnown        = "no-well-known"
	FindingLinkNotOnHome      = "link-not-on-home"
	FindingLinkEverywhere     = "link-on-every-response"
)

// Role is what a resource is fetched as. What a mechanism yields is an index, whatever it looks like (LC-006, LC-112).
type Role uint8

const (
	Index Role = iota
	Detail
)
