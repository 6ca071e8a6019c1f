package proof

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Bounds of a check.
const (
	fileTimeout  = 10 * time.Second // all hops together
	textTimeout  = 10 * time.Second
	fileMaxBytes = 64 << 10 // after decoding
	maxHops      = 3
)

// Path is where the file of a proof lies.
const Path = "/.well-known/botcentral.txt"

// ErrAddress is what a Getter returns, wrapped or not, when it refuses the
// address behind a name.
var ErrAddress = errors.New("proof: address is not public")

// Answer is one response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // decoded, at most the octets that were asked for
	Cut    bool   // the body went on
}

// Getter sends one GET over https and follows no redirect. It resolves the name
// once, refuses addresses that are not public, and dials the one it has vetted
// (BC-P-025, BC-P-026). A longer body is cut at maxBytes. Every status is an
// answer.
type Getter interface {
	Get(ctx context.Context, url string, maxBytes int64) (Answer, error)
}

// Text is the answer to a question for TXT records.
type Text struct {
	Records   []string // each record with its strings joined, without separator
	Validated bool     // the resolver validated the answer (DNSSEC)
}

// Resolver asks for TXT records, over TCP where an answer was cut (BC-P-911). A
// name without records, or that does not exist, is an answer without records; an
// error means that nothing was learned.
type Resolver interface {
	LookupTXT(ctx context.Context, name string) (Text, error)
}

// Question says what to look for.
type Question struct {
	Domain string   // in A-labels and lower case, no final dot
	Tokens []string // that are accepted; none means any

	// Registrable gives the registrable domain of a host, for redirects. Nil
	// means the host itself: then redirects stay on Domain and below.
	Registrable func(host string) string
}

// Method is where a proof was found.
type Method uint8

const (
	None Method = iota
	WellKnownFile
	DNSTXT
)

var methodNames = [...]string{"none", "well-known-file", "dns-txt"}

// String gives the word of the draft, "none" if there is no proof.
func (m Method) String() string { return methodNames[m] }

// Finding is what a check has found out.
type Finding struct {
	Method    Method
	Token     int     // index of the token that was found, -1 if none is known
	Validated bool    // a DNS proof came from a validated answer
	File      Outcome // of the file
	DNS       Outcome // of the records; NotAsked if the file passed
}

// Check looks for a proof. It never fails: what could not be learned is part of
// the finding. It takes at most 20 s.
func Check(ctx context.Context, g Getter, r Resolver, q Question) Finding {
	f := Finding{Token: -1}
	if f.Token, f.File = checkFile(ctx, g, &q); f.File.Cause == Found {
		f.Method = WellKnownFile
		return f
	}
	if f.Token, f.Validated, f.DNS = checkText(ctx, r, &q); f.DNS.Cause == Found {
		f.Method = DNSTXT
	}
	return f
}

func checkText(ctx context.Context, r Resolver, q *Question) (token int, validated bool, o Outcome) {
	ctx, done := context.WithTimeout(ctx, textTimeout)
	defer done()
	text, err := r.LookupTXT(ctx, q.Domain)
	if err != nil {
		return -1, false, Outcome{Cause: DNSFailed, Detail: oneLine(err)}
	}
	for _, record := range text.Records {
		if index, ok := tokens(q.Tokens).inText(record); ok {
			return index, text.Validated, Outcome{Cause: Found}
		}
	}
	return -1, false, Outcome{Cause: TokenAbsent, Detail: fmt.Sprintf("%d TXT records", len(text.Records))}
}

// Definite tells whether the finding is one: a proof, or the certainty that
// neither method has one (BC-P-906).
func (f Finding) Definite() bool {
	return f.Method != None || f.File.Definite() && f.DNS.Definite()
}

// Agrees compares the finding with what a card says. known is false where the
// check could not tell.
func (f Finding) Agrees(proven bool) (agrees, known bool) {
	return (f.Method != None) == proven, f.Definite()
}

// Note says in one line, without any token, what was found.
func (f Finding) Note() string {
	switch f.Method {
	case WellKnownFile:
		return "file: " + f.File.String()
	case DNSTXT:
		return "file: " + f.File.String() + "; dns: " + f.DNS.String()
	}
	return "no proof; file: " + f.File.String() + "; dns: " + f.DNS.String()
}
