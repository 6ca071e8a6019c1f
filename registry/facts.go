package registry

import (
	"strings"

	"heed/registry/card"
)

// facts are what a card says, in the form in which search and score use it. One
// string holds all that is searched, because a catalog holds many of them.
type facts struct {
	// The answers as submitted; readers apply allow_bots.
	retrieve, train, act, cite bool

	allowBots bool
	pointers  uint8 // how many of robots, sitemap and llms are named
	tdm       string
	name      string
	text      string // domain, name, summary and topics in lower case
	terms     string // "\nt:topic\nl:language\nc:capability\n" in lower case
}

// permits tells whether the served card says yes to a member of consent. While
// allow_bots is false it says no to all but cite (BC-R-006).
func (f *facts) permits(member string) bool {
	switch member {
	case "retrieve":
		return f.retrieve && f.allowBots
	case "train":
		return f.train && f.allowBots
	case "act":
		return f.act && f.allowBots
	case "cite":
		return f.cite
	}
	return false
}

// readFacts reads a card that has passed the schema.
func readFacts(raw card.JSON, domain string) facts {
	f := facts{retrieve: true, cite: true, allowBots: true, tdm: "reserved", name: domain}
	var summary string
	var words []string
	var terms strings.Builder
	for name, value := range raw.Members() {
		switch name {
		case "name":
			f.name, _ = value.Text()
		case "summary":
			summary, _ = value.Text()
		case "allow_bots":
			f.allowBots = value.IsTrue()
		case "topics":
			words = appendTexts(words, value)
		case "language":
			addTerms(&terms, 'l', appendTexts(nil, value))
		case "capabilities":
			addTerms(&terms, 'c', appendTexts(nil, value))
		case "pointers":
			for _, pointer := range [...]string{"robots", "sitemap", "llms"} {
				if value.Member(pointer) != nil {
					f.pointers++
				}
			}
		case "consent":
			f.readConsent(value)
		}
	}
	addTerms(&terms, 't', words)
	if terms.Len() > 0 {
		terms.WriteByte('\n')
	}
	f.terms = terms.String()
	f.text = strings.ToLower(domain + "\n" + f.name + "\n" + summary + "\n" + strings.Join(words, "\n"))
	return f
}

func (f *facts) readConsent(consent card.JSON) {
	for name, value := range consent.Members() {
		switch name {
		case "retrieve":
			f.retrieve = value.IsTrue()
		case "train":
			f.train = value.IsTrue()
		case "act":
			f.act = value.IsTrue()
		case "cite":
			f.cite = value.IsTrue()
		case "tdm":
			// Constants, so that a catalog holds each word once.
			switch word, _ := value.Text(); word {
			case "open":
				f.tdm = "open"
			case "licensed":
				f.tdm = "licensed"
			}
		}
	}
}

// appendTexts takes a string or the strings of an array.
func appendTexts(dst []string, v card.JSON) []string {
	if one, ok := v.Text(); ok {
		return append(dst, one)
	}
	for e := range v.Elements() {
		if one, ok := e.Text(); ok {
			dst = append(dst, one)
		}
	}
	return dst
}

func addTerms(b *strings.Builder, kind byte, words []string) {
	for _, w := range words {
		b.WriteByte('\n')
		b.WriteByte(kind)
		b.WriteByte(':')
		b.WriteString(foldTerm(w))
	}
}

// foldTerm is a word as it is compared: lower case, on one line.
func foldTerm(w string) string {
	return strings.ToLower(strings.ReplaceAll(strings.TrimSpace(w), "\n", " "))
}

// hasTerm tells whether a card names a topic (t), language (l) or capability
// (c).
func (f *facts) hasTerm(kind byte, folded string) bool {
	return strings.Contains(f.terms, "\n"+string(rune(kind))+":"+folded+"\n")
}
