package politeness

import "fmt"

// Verdict is what a source, or all of them together, say about a request. The
// zero value denies, so a forgotten assignment never lets a request out.
type Verdict uint8

const (
	Deny     Verdict = iota // must not be sent
	Wait                    // not before Until
	Allow                   // may be sent
	Silent                  // has nothing to say; only in opinions
	NotAsked                // not consulted because of an earlier denial; only in opinions
)

var verdictNames = [...]string{"deny", "wait", "allow", "silent", "not-asked"}

// String gives the name used in JSON.
func (v Verdict) String() string {
	if int(v) < len(verdictNames) {
		return verdictNames[v]
	}
	return verdictNames[Deny]
}

// MarshalText implements encoding.TextMarshaler.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. An unknown name is an
// error and leaves Deny.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if string(text) == name {
			*v = Verdict(i)
			return nil
		}
	}
	*v = Deny
	return fmt.Errorf("politeness: unknown verdict %q", text)
}

// Mode tells who waits for the answer.
type Mode string

const (
	Crawl    Mode = "crawl"     // a scheduled job
	OnDemand Mode = "on-demand" // somebody is waiting for this one URL
)
