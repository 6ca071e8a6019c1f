package politeness

import "time"

// Opinion is all that one source has to say about a question. The zero value
// denies without a reason, which [Combine] reports as a denial.
type Opinion struct {
	Source  string
	Verdict Verdict
	Reason  Reason
	Rule    Rule         // the line that decided, if a line did
	Doc     *DocumentRef // the document it stands in, if any
	Until   time.Time    // for Wait

	Delay   time.Duration // smallest pause between requests that the source asks for
	Uses    Uses          // what it grants or refuses, per purpose
	Weak    Uses          // grants and refusals that count only where nobody speaks strongly
	UseRule Rule          // the line behind a No in Uses, if it differs from Rule
	Closes  Reason        // the reason to name when a No in Uses leaves no purpose open
	Because string        // the operator's own words, for a rule of the operator
}

// Rule is one line of a document, as written.
type Rule struct {
	Text string `json:"text,omitempty"`
	Line int    `json:"line,omitempty"` // counted from 1
}

// DocumentRef names a policy document and the copy that was read.
type DocumentRef struct {
	URL       string    `json:"url"`
	Status    int       `json:"status"`
	SHA256    string    `json:"sha256,omitempty"` // of the body, lower-case hex
	FetchedAt time.Time `json:"fetched_at"`
}

// Quiet is the opinion of a source with nothing to say.
func Quiet(source string) Opinion { return Opinion{Source: source, Verdict: Silent} }
