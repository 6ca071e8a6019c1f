package standards

import (
	"strings"
	"time"

	"heed/politeness"
)

const (
	// licenseLine is the record of robots.txt, in lower case.
	licenseLine = "license"

	// rslMaxBytes bounds a licence document, rslMaxDocuments how many of them
	// are read for an origin: each costs a request.
	rslMaxBytes     = 512_000
	rslMaxDocuments = 2
)

// rsl is Really Simple Licensing 1.0, as far as it concerns training: where the
// licence prohibits it or asks for payment, training is refused. It never
// grants: a licence is an offer, and taking it is for people. See rsl_file.go
// for the document.
type rsl struct{}

func (rsl) Name() string { return "rsl" }

// Where names the robots.txt of the origin, whose License lines name the
// documents.
func (rsl) Where(origin string) []politeness.Place {
	return []politeness.Place{robotsPlace(origin)}
}

func (rsl) Read(p politeness.Place, d politeness.Document) politeness.Rules {
	if p.Kind == licenseKind {
		return readLicense(p, &d)
	}
	origin := strings.TrimSuffix(p.URL, robotsPath)
	if readAnswer(&d) != answerServed {
		return licenseLinks{}
	}
	return readLicenseLinks(&d, origin)
}

// licenseKind tells a licence document from the robots.txt that names it.
const licenseKind = "license"

// licenseLinks are the License lines of a robots.txt. They count for the whole
// origin, whatever group they stand in.
type licenseLinks struct {
	places   []politeness.Place
	unread   bool // a licence lies elsewhere, or there are more than are read
	mentions politeness.Rule
}

func readLicenseLinks(d *politeness.Document, origin string) licenseLinks {
	var l licenseLinks
	scanFields(string(d.Body), d.Truncated, func(f field) {
		if f.name != licenseLine || f.kind != fieldOther || f.value == "" {
			return
		}
		if l.mentions == (politeness.Rule{}) {
			l.mentions = politeness.Rule{Text: plainText(strings.Clone(f.text)), Line: f.line}
		}
		url, own := withinOrigin(f.value, origin)
		switch {
		case !own || len(f.value) > maxRecordValue:
			l.unread = true
		case l.has(url):
		case len(l.places) >= rslMaxDocuments:
			l.unread = true
		default:
			l.places = append(l.places, politeness.Place{URL: url, Kind: licenseKind, MaxBytes: rslMaxBytes, MaxAge: 24 * time.Hour,
				Accept: "application/rsl+xml, application/xml;q=0.9, text/xml;q=0.9", BoundBy: "robots",
				For: politeness.PurposesOf(politeness.Train)})
		}
	})
	return l
}

func (l *licenseLinks) has(url string) bool {
	for _, p := range l.places {
		if p.URL == url {
			return true
		}
	}
	return false
}

// withinOrigin tells whether an absolute or a rooted reference lies on an
// origin. Licences of other origins are not asked for: nothing at hand says
// whether we may.
func withinOrigin(reference, origin string) (string, bool) {
	reference, _, _ = strings.Cut(reference, "#")
	if strings.HasPrefix(reference, "/") && !strings.HasPrefix(reference, "//") {
		return origin + reference, true
	}
	if len(reference) < len(origin) || !strings.EqualFold(reference[:len(origin)], origin) {
		return "", false
	}
	path := reference[len(origin):]
	if path == "" {
		path = "/"
	}
	return strings.Clone(origin + path), path[0] == '/'
}

// Judge refuses training where a licence is there that is not read.
func (l licenseLinks) Judge(q politeness.Question) politeness.Opinion {
	var v votes
	if l.unread {
		v.refuse(politeness.Train, politeness.RSLProhibits, l.mentions)
	}
	return v.opinion("rsl", q.Purposes)
}

// Refers implements politeness.Referrer.
func (l licenseLinks) Refers() []politeness.Place { return l.places }
