package standards

import (
	"strings"

	"heed/politeness"
)

// licenseFile is a licence document.
type licenseFile struct {
	contents   []licensed
	unreadable bool
	rule       politeness.Rule // for an unreadable one
}

// licensed is one content element: which paths, on which terms. The terms are
// alternatives.
type licensed struct {
	pattern
	terms []terms
}

// terms is one license element, seen from training.
type terms struct {
	permits    bool // there is a list of permitted usages
	permitted  bool // and training is on it
	prohibited bool
	payment    string // type of payment, empty for none
	text       string
}

// readLicense classifies an answer. A licence that was announced and cannot be
// read closes training.
func readLicense(p politeness.Place, d *politeness.Document) licenseFile {
	closed := licenseFile{unreadable: true, rule: politeness.Rule{Text: "License: " + plainText(p.URL)}}
	if d.Status < 200 || d.Status > 299 || d.Truncated || d.Forbidden {
		return closed
	}
	contents, err := parseLicense(d.Body, originOf(p.URL))
	if err != nil {
		return closed
	}
	return licenseFile{contents: contents}
}

// originOf is scheme://host[:port] of a canonical address.
func originOf(address string) string {
	if scheme := strings.Index(address, "://"); scheme >= 0 {
		if slash := strings.IndexByte(address[scheme+3:], '/'); slash >= 0 {
			return address[:scheme+3+slash]
		}
	}
	return address
}

// Judge takes the terms of the longest content element that fits. One license
// element that is open is enough; of several elements of the same length all
// have to be.
func (f licenseFile) Judge(q politeness.Question) politeness.Opinion {
	var v votes
	if f.unreadable {
		v.refuse(politeness.Train, politeness.RSLProhibits, f.rule)
		return v.opinion("rsl", q.Purposes)
	}
	t, longest := newTarget(q.Path), -1
	for i := range f.contents {
		c := &f.contents[i]
		if c.octets < longest || !c.fits(t) {
			continue
		}
		if c.octets > longest {
			longest, v = c.octets, votes{}
		}
		if reason, text := c.closes(); reason != "" {
			v.refuse(politeness.Train, reason, politeness.Rule{Text: text})
		}
	}
	return v.opinion("rsl", q.Purposes)
}

// closes gives the reason why none of the terms is open to training; payment is
// named where it would be the way in.
func (c *licensed) closes() (reason politeness.Reason, text string) {
	for i := range c.terms {
		t := &c.terms[i]
		switch {
		case t.prohibited || t.permits && !t.permitted:
			if reason == "" {
				reason, text = politeness.RSLProhibits, t.text
			}
		case t.payment != "":
			if reason != politeness.RSLPayment {
				reason, text = politeness.RSLPayment, t.text
			}
		default:
			return "", ""
		}
	}
	if len(c.terms) == 0 {
		return politeness.RSLProhibits, "<content> without <license>"
	}
	return reason, text
}
