package politeness

import "time"

// Opinion is all that one source has to say about a question. The zero value
// denies without a reason, which [Combine] reports as a denial.
//
// A source that grants a purpose but reserves it for whoever has nothing better
// from the origin itself (a card with train=true beside tdm=reserved) says both:
// Yes in Uses and No in Weak. The refusal holds until somebody lifts it.
type Opinion struct {
	Source  string
	Verdict Verdict
	Reason  Reason
	Rule    Rule         // the line that decided, if a line did
	Doc     *DocumentRef // the document it stands in, if any
	Until   time.Time    // for Wait

	Delay   time.Duration // smallest pause between requests that the source asks for
	Uses    Uses          // what it grants or refuses, per purpose
	Weak    Uses          // a Yes counts where nobody speaks strongly, a No unless somebody lifts it
	Lifts   Purposes      // purposes whose weak refusals yield: the origin itself reserves nothing
	Unread  Purposes      // purposes that cannot be granted, since their document was not asked for
	UseRule Rule          // the line behind a No in Uses, if it differs from Rule
	Closes  Reason        // the reason to name when a No in Uses leaves no purpose open
	Because string        // the operator's own words, for a rule of the operator

	// Recheck is set with an explicit permission: where the server answers 403 in
	// spite of it, the document is asked for again if the copy is older than this.
	Recheck time.Duration

	Declare    bool // the site wants the purposes to be declared with the request
	DropLinks  bool // links of the page are not followed
	DropImages bool // images of the page are not followed
	NoCopy     bool // the text may be used, but no copy or excerpt of it is to be shown to others
	Inquire    bool // a denial that concerns the request, not the origin: documents are still read

	// Supersedes makes a word about a response take the place of what the same
	// source said about uses before; Superseded marks what had to give way.
	Supersedes, Superseded bool
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
	Failure   string    `json:"failure,omitempty"` // why there was no answer lately: the kind of the transport error
}

// Quiet is the opinion of a source with nothing to say.
func Quiet(source string) Opinion { return Opinion{Source: source, Verdict: Silent} }
