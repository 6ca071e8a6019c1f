package politeness

// Source is one standard, or one voice that is not a standard: the operator,
// the address guard, the pacer. Sources are listed once, in the order in which
// a visitor meets the notices at a door. All methods are pure and safe for
// concurrent use.
type Source interface {
	// Name is the area of the reasons the source gives.
	Name() string

	// Where lists the documents in which the source speaks for an origin
	// (scheme://host[:port]). Empty: it needs none, and Read is called with
	// the zero Place.
	Where(origin string) []Place

	// Read turns a document, whatever its status, into rules. It never fails:
	// what cannot be understood becomes rules that close what they must.
	Read(Place, Document) Rules
}

// Rules is what a source has understood of one document.
type Rules interface {
	Judge(Question) Opinion
}

// Recorder is implemented by rules that also carry records for other rooms:
// `Sitemap` and `LLM-Context` lines of a robots.txt, for example.
type Recorder interface {
	// Records lists the values of a record in document order. The name is
	// given in lower case.
	Records(name string) []Record
}

// Referrer is implemented by rules whose document names further documents of the
// same source.
type Referrer interface {
	// Refers lists them; their rules refer to nothing more. At most a handful:
	// each may cost a request.
	Refers() []Place
}

// Record is one such line.
type Record struct {
	Value   string
	Line    int  // counted from 1
	InGroup bool // it stands between the rules of a group
}

// Noter is implemented by rules that have something to show about their document
// that changes no decision by itself: a line nobody understands, a wrong media
// type.
type Noter interface {
	Notes() []Note
}

// Note is one such finding.
type Note struct {
	Source string `json:"source"`
	Kind   string `json:"kind"`           // a short word, stable
	Text   string `json:"text,omitempty"` // what it is about, bounded, without control characters
	Line   int    `json:"line,omitempty"` // counted from 1
}
