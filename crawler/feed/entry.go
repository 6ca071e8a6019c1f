package feed

import (
	"strconv"
	"time"
)

// Entry is one page, or one further list, that a document names.
type Entry struct {
	// URL is the reference as found, references to characters resolved and white space around it taken
	// off: valid UTF-8, never empty, not resolved against anything.
	URL string
	// Base is the xml:base in force, to be resolved against the URL of the document before URL is
	// resolved against it. Empty almost always.
	Base string
	Kind Kind
	// LastMod is the earliest instant, in UTC, that the stated date covers. Zero if none is stated.
	// Feeds and news that state no modification have their publication date here.
	LastMod time.Time
	// LastModSpan is how much later than LastMod the change may have been: a second for a full
	// timestamp, a day and more for a date alone.
	LastModSpan time.Duration
	ChangeFreq  ChangeFreq
	// Priority is between 0 and 1, DefaultPriority where nothing valid is stated.
	Priority float32
	// Lang is the hreflang of an alternate, as found.
	Lang string
}

// DefaultPriority is the priority of a page that states none (sitemaps.org protocol).
const DefaultPriority float32 = 0.5

// Kind says what an entry names. Images and videos are named too, but they are no pages and never
// become entries.
type Kind uint8

const (
	// KindUnknown is the zero value and never handed out.
	KindUnknown Kind = iota
	// KindPage is a page of a sitemap, feed or text list.
	KindPage
	// KindNews is a page of a sitemap with the news extension.
	KindNews
	// KindIndexChild is a sitemap named by an index.
	KindIndexChild
	// KindAlternate is another form of a page, mostly in another language.
	KindAlternate
)

var kindNames = [...]string{
	KindUnknown: "unknown", KindPage: "page", KindNews: "news",
	KindIndexChild: "index-child", KindAlternate: "alternate",
}

// String returns the stable name used in logs and records.
func (k Kind) String() string { return name(kindNames[:], int(k), "kind") }

// ChangeFreq is how often a page says it changes. It is a hint and never a command (sitemaps.org protocol).
type ChangeFreq uint8

const (
	// ChangeUnsaid: nothing valid is stated.
	ChangeUnsaid ChangeFreq = iota
	ChangeAlways
	ChangeHourly
	ChangeDaily
	ChangeWeekly
	ChangeMonthly
	ChangeYearly
	// ChangeNever marks archived pages.
	ChangeNever
)

var changeFreqNames = [...]string{
	ChangeUnsaid: "", ChangeAlways: "always", ChangeHourly: "hourly", ChangeDaily: "daily",
	ChangeWeekly: "weekly", ChangeMonthly: "monthly", ChangeYearly: "yearly", ChangeNever: "never",
}

// String returns the word of the protocol, empty for ChangeUnsaid.
func (c ChangeFreq) String() string { return name(changeFreqNames[:], int(c), "changefreq") }

func name(names []string, i int, of string) string {
	if i < len(names) {
		return names[i]
	}
	return of + "(" + strconv.Itoa(i) + ")"
}
