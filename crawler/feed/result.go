package feed

// Result is what Read learned about a document, also when it returns an error.
type Result struct {
	Format Format
	// Entries counts the pages, or children of an index, handed out; Alternates are apart from it.
	Entries    int
	Alternates int
	// OverLimit counts what a limit of Options kept back: entries, alternates and overlong references.
	OverLimit int
	// Findings has at most one member per code, in the order of the codes.
	Findings []Finding
}

// Format says what a document turned out to be.
type Format uint8

const (
	// FormatUnknown: neither of the others, or not known yet when reading failed.
	FormatUnknown Format = iota
	// FormatSitemap is a urlset of the sitemap protocol.
	FormatSitemap
	// FormatIndex is a sitemapindex of the sitemap protocol.
	FormatIndex
	// FormatRSS is RSS 0.91 to 2.0.
	FormatRSS
	// FormatRDF is RSS 0.90 and 1.0.
	FormatRDF
	// FormatAtom is Atom 0.3 and RFC 4287.
	FormatAtom
	// FormatText is a list with a URL a line.
	FormatText
)

var formatNames = [...]string{
	FormatUnknown: "unknown", FormatSitemap: "sitemap", FormatIndex: "index",
	FormatRSS: "rss", FormatRDF: "rdf", FormatAtom: "atom", FormatText: "text",
}

// String returns the stable name used in logs and records.
func (f Format) String() string { return name(formatNames[:], int(f), "format") }

// Finding is a fault that did not end the reading.
type Finding struct {
	Code Code
	// Count says how often it was met.
	Count int
	// Offset is where it was first met, in octets of the unpacked document in UTF-8.
	Offset int64
}

// Code names a fault. The list is closed; a new member also needs its name in codeNames.
type Code uint8

const (
	// CodeTruncated: the document ended before its root element did.
	CodeTruncated Code = iota
	// CodeNesting: a tag did not match what was open, or did not end.
	CodeNesting
	// CodeTrailing: something follows the root element; it was not read.
	CodeTrailing
	// CodeNamespace: the root element is known, its namespace is not.
	CodeNamespace
	// CodeMixed: an element of the other kind of sitemap, an index inside a list or the reverse.
	CodeMixed
	// CodeEntity: a value refers to an entity of the document's own making; the value was dropped.
	CodeEntity
	// CodeNoURL: an entry without a URL.
	CodeNoURL
	// CodeURLTwice: a second URL in one entry; the first counts.
	CodeURLTwice
	// CodeURLTooLong: a URL above Options.MaxURLBytes.
	CodeURLTooLong
	// CodeURLMarkup: a URL with elements inside; what it would be without them is a guess.
	CodeURLMarkup
	// CodeURLBytes: a URL with octets that are no UTF-8, or control characters.
	CodeURLBytes
	// CodeBase: an xml:base that is no reference; the entries below it were dropped.
	CodeBase
	// CodeDate: a date in no known form.
	CodeDate
	// CodeChangeFreq: a changefreq that is no word of the protocol.
	CodeChangeFreq
	// CodePriority: a priority that is no number between 0 and 1.
	CodePriority
	// CodeAlternates: alternates above Options.MaxAlternates.
	CodeAlternates
	// CodeLine: a line of a text list that is no absolute http or https URL.
	CodeLine

	codes
)

var codeNames = [codes]string{
	CodeTruncated: "truncated", CodeNesting: "nesting", CodeTrailing: "trailing",
	CodeNamespace: "namespace", CodeMixed: "mixed", CodeEntity: "entity", CodeNoURL: "no-url",
	CodeURLTwice: "url-twice", CodeURLTooLong: "url-too-long", CodeURLMarkup: "url-markup", CodeURLBytes: "url-bytes",
	CodeBase: "base", CodeDate: "date", CodeChangeFreq: "changefreq", CodePriority: "priority",
	CodeAlternates: "alternates", CodeLine: "line",
}

// String returns the stable name used in logs and records.
func (c Code) String() string { return name(codeNames[:], int(c), "code") }

// findings counts faults by code: however broken a document is, its findings stay few.
type findings [codes]Finding

func (f *findings) note(c Code, offset int64) {
	if f[c].Count == 0 {
		f[c].Offset = offset
	}
	f[c].Count++
}

func (f *findings) list() []Finding {
	var all []Finding
	for c, found := range f {
		if found.Count > 0 {
			found.Code = Code(c)
			all = append(all, found)
		}
	}
	return all
}
