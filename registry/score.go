package registry

import "heed/registry/card"

// The score of a page: the sum of six facts, an integer from 0 to 100
// (BC-R-012). It is a hint for the order of work on one site and says nothing
// about its quality. Nothing else enters: neither words of the card nor members
// the registry does not know (BC-R-013).
//
//	proof      25  proven by file or DNS within the window or before it
//	consent    20  the served card permits retrieval. train, act and tdm do not
//	               count, so that no owner gains by giving up a reservation
//	freshness  15  the proof is inside its window; 5 if it is stale
//	crawl      15  robots.txt was read and bars nobody whom allow names; 10 not
//	               looked at yet; 5 it bars one of them; 0 it could not be had
//	role       15  rel is home; 12 index, docs, help, about, contact, policy;
//	               8 any other
//	surface    10  4, and 2 for each of pointers.robots, .sitemap and .llms
const (
	scoreProof        = 25
	scoreConsent      = 20
	scoreFresh        = 15
	scoreStale        = 5
	scoreCrawlFine    = 15
	scoreCrawlUnknown = 10
	scoreCrawlBarred  = 5
	scoreRoleHome     = 15
	scoreRoleKnown    = 12
	scoreRoleOther    = 8
	scoreSurface      = 4
	scorePointer      = 2
)

// siteScore is the part of the score that all pages of a card share.
func siteScore(s *site) int {
	score := scoreSurface + scorePointer*int(s.facts.pointers)
	if s.facts.permits("retrieve") {
		score += scoreConsent
	}
	if s.proof.method.Proven() {
		score += scoreProof
		if s.stale {
			score += scoreStale
		} else {
			score += scoreFresh
		}
	}
	switch s.proof.crawl {
	case CrawlFine:
		score += scoreCrawlFine
	case CrawlUnknown:
		score += scoreCrawlUnknown
	case CrawlBarred:
		score += scoreCrawlBarred
	}
	return score
}

// roleScore is the part of a page.
func roleScore(page card.JSON) int {
	switch rel, _ := page.Member("rel").Text(); rel {
	case "home":
		return scoreRoleHome
	case "index", "docs", "help", "about", "contact", "policy":
		return scoreRoleKnown
	}
	return scoreRoleOther
}
