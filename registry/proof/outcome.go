package proof

import "strings"

// Cause says how one method came out. The zero value is that it was not tried.
type Cause uint8

const (
	NotAsked    Cause = iota
	Found             // the proof is there
	TokenAbsent       // an answer without the line
	HTMLShell         // status 200 with HTML (BC-P-008)
	NoFile            // 404 or 410
	BadStatus         // another status than 200
	BadRedirect       // off https, off the domain, off the port, or too many
	Oversize          // no line in the part that is judged, and there was more
	Address           // the address is not public
	Unreachable       // no answer of the origin
	DNSFailed         // no answer of the resolver
)

var causeNames = [...]string{"not asked", "found", "token absent", "HTML returned", "no file", "unexpected status", "redirect not followed",
	"no proof within the size that is read", "address is not public", "origin unreachable", "DNS gave no answer"}

// String is the cause in a few words.
func (c Cause) String() string { return causeNames[c] }

// Outcome is a cause with its particulars.
type Outcome struct {
	Cause  Cause
	Detail string // for people, one line without any token; may be empty
}

// maxDetail bounds what an error may add to a note.
const maxDetail = 200

// oneLine is the text of an error in one line.
func oneLine(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	return strings.ToValidUTF8(text[:min(len(text), maxDetail)], "")
}

// Definite tells an outcome that would be the same in an hour from trouble that
// may pass (BC-P-906).
func (o Outcome) Definite() bool {
	switch o.Cause {
	case Found, TokenAbsent, HTMLShell, NoFile, BadRedirect, Oversize:
		return true
	}
	return false
}

func (o Outcome) String() string {
	if o.Detail == "" {
		return o.Cause.String()
	}
	return o.Cause.String() + " (" + o.Detail + ")"
}
