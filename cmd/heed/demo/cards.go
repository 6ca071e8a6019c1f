package demo

import (
	"fmt"
	"time"

	"heed/registry"
)

// own is the name of a site with a domain of its own: a card speaks for a whole
// domain, and these sites must not share one.
func own(behaviour string) string { return behaviour + ".test" }

// opens is a consent that grants training and reserves nothing.
const opens = `"consent":{"retrieve":true,"train":true,"tdm":"open"}`

// cardSites have a consent card, in every state that a card can be in.
func cardSites() []Site {
	read := []Expectation{Kept{atLeast(4)}}
	grants := func(answer string) []Expectation { return append(read[:1:1], Use{"train", answer}) }
	refuses := func(code string) []Expectation {
		return []Expectation{Kept{exactly(0)}, Only{policyDocuments()}, Reason{[]string{code}}}
	}
	const long = 9 * 24 * time.Hour // a proof holds a week
	return []Site{
		{Name: own("card-fresh"), Asks: "card, proven: train on this too", about: bees,
			card: proven(opens), Expect: grants("yes")},
		{Name: own("card-stale"), Asks: "card, proof of nine days ago: train on this", about: moss,
			card: &consentCard{registry.WellKnownFile, long, opens}, Expect: grants("unsaid")},
		{Name: own("card-pending"), Asks: "card, not proven yet, so not listed: train on this", about: tides,
			card: &consentCard{members: opens}, Expect: grants("unsaid")},
		{Name: own("card-unverified"), Asks: "card, proof failed: train on this", about: letters,
			card: &consentCard{registry.Unverified, time.Hour, opens}, Expect: grants("unsaid")},
		{Name: own("card-unverified-no"), Asks: "card, proof failed: do not read", about: bakery,
			card: &consentCard{registry.Unverified, time.Hour, `"consent":{"retrieve":false}`}, Expect: refuses("card.retrieve-false")},
		{Name: own("card-no-retrieve"), Asks: "card, proven: do not read", about: lighthouse,
			card: proven(`"consent":{"retrieve":false}`), Expect: refuses("card.retrieve-false")},
		{Name: own("card-denied-by-name"), Asks: "card, proven: everybody but heed", about: bees,
			card: proven(`"deny":["heed"],` + opens), Expect: refuses("card.denied-by-name")},
		{Name: own("card-no-bots"), Asks: "card, proven: allow_bots false, whatever else it says", about: moss,
			card: proven(`"allow_bots":false,` + opens), Expect: refuses("card.allow-bots-off")},
		{Name: own("card-tdm-reserved"), Asks: "card, proven: train, and text mining reserved", about: tides,
			card: proven(`"consent":{"train":true,"tdm":"reserved"}`), Expect: grants("no")},
		{Name: own("card-against-tdmrep"), Asks: "card: train on this; its own tdmrep.json: reserved", about: letters,
			card: proven(opens), routes: routes{"/.well-known/tdmrep.json": reservation(1)}, Expect: grants("no")},
		{Name: own("card-yields-to-tdmrep"), Asks: "card: train, but reserved; its own tdmrep.json: open", about: bakery,
			card: proven(`"consent":{"train":true,"tdm":"reserved"}`), routes: routes{"/.well-known/tdmrep.json": reservation(0)}, Expect: grants("yes")},
		{Name: "blog." + own("card-above"), Asks: "the card of the domain above: train on that", about: lighthouse,
			card: proven(opens), Expect: grants("unsaid")},
		{Name: own("card-pages"), Asks: "card: here is a page that nothing links to", about: bees,
			card:   proven(`"pages":[{"url":"https://` + own("card-pages") + `/harvest","rel":"page"}]`),
			routes: routes{"/harvest": page(sheet{title: "Harvest", text: "Twelve jars, and one for the neighbour.", links: []link{{href: "/", text: "Home"}}})},
			Expect: []Expectation{Kept{atLeast(5)}, Asked{Filter{Half: 1, Target: "/harvest"}, exactly(1)}}},
	}
}

// reservation is a tdmrep.json about a whole site: 1 reserves, 0 does not.
func reservation(value int) document {
	return document{contentType: "application/json", body: fmt.Appendf(nil, "[{\"location\": \"/\", \"tdm-reservation\": %d}]\n", value)}
}
