package discover

import "time"

// Names of the draft. A later revision may change them; nothing else in the program spells them (LC-155).
const (
	// Relation is the link relation type.
	Relation = "llm-context"
	// RecordName is the robots.txt record, compared without regard to case (LC-034).
	RecordName = "llm-context"
	// WellKnownPath is relative to the origin.
	WellKnownPath = "/.well-known/llm-context"
	// GuessPath is where the llms.txt convention puts the file; asked for only if enabled (LC-142).
	GuessPath = "/llms.txt"
	// Accept is the field value of every request for a context file or detail (LC-151). It never names HTML.
	Accept = "text/markdown, text/plain;q=0.9, */*;q=0.1"
)

// Numbers of the draft and the readings fixed for it.
const (
	DefaultIndexBytes  int64 = 512 << 10 // ceiling of an index, decoded and on the wire (LC-123)
	DefaultDetailBytes int64 = 4 << 20

	indexAdviceBytes   int64 = 100_000   // publisher's guidance only (LC-007)
	detailAdviceBytes  int64 = 1_000_000 // (LC-011)
	compressAdviceSize int64 = 10_000    // (LC-054)

	maxRedirects = 5 // six requests a chain (LC-023)

	linkLife     = 24 * time.Hour // a Link is remembered this long (LC-103)
	indexFloor   = time.Hour      // (LC-051)
	detailFloor  = 24 * time.Hour // (LC-052)
	leastFloor   = 5 * time.Minute
	intervalCap  = 7 * 24 * time.Hour // (LC-121)
	negativeLife = 24 * time.Hour     // (LC-027, LC-117, LC-120)
	goneLife     = 7 * 24 * time.Hour // (LC-116)
	staleLife    = 7 * 24 * time.Hour // (LC-119)
	retryFirst   = time.Hour          // (LC-118, LC-119)
	retryCap     = 24 * time.Hour

	maxLinksSeen  = 32
	maxPageLinks  = 4
	maxNegatives  = 64
	maxDetails    = 1000
	maxValidator  = 1 << 10 // longest ETag or Last-Modified kept, in octets
	maxURIBytes   = 2048
	maxRecords    = 100
	maxLangBytes  = 64
	maxVaryFields = 16
)
