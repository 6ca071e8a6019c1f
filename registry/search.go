package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"heed/registry/card"
)

// searchHit is a card in the answer to a search: what it says about consent and
// proof, and on demand all of it.
type searchHit struct {
	Domain       string          `json:"domain"`
	Href         string          `json:"href"`
	Name         json.RawMessage `json:"name"`
	Summary      json.RawMessage `json:"summary"`
	Topics       json.RawMessage `json:"topics"`
	AllowBots    json.RawMessage `json:"allow_bots"`
	Consent      json.RawMessage `json:"consent"`
	Verification json.RawMessage `json:"verification"`
	Updated      json.RawMessage `json:"updated"`
	URLs         []string        `json:"urls,omitempty"`
	Card         json.RawMessage `json:"card,omitempty"`
}

// searchAnswer is the body of /v1/search. Hits come by domain: a search ranks
// nothing.
type searchAnswer struct {
	Results []searchHit `json:"results"`
	Total   int         `json:"total"`
}

// search carries out a search.
func (s *Server) search(ctx context.Context, q url.Values) ([]byte, error) {
	sq, err := readSearchQuery(q)
	if err != nil {
		return nil, err
	}
	if err := s.current(ctx); err != nil {
		return nil, err
	}
	answer := searchAnswer{Results: []searchHit{}}
	var found []string
	for _, known := range s.shelf.view().sites {
		if !sq.matches(known) {
			continue
		}
		if answer.Total >= sq.offset && len(found) < sq.limit {
			found = append(found, known.domain)
		}
		answer.Total++
	}
	for _, domain := range found {
		_, d, err := s.served(domain)
		if err != nil {
			return nil, err
		}
		if d != nil { // else removed in between
			answer.Results = append(answer.Results, s.hit(domain, d.octets, &sq))
		}
	}
	body, err := json.Marshal(answer)
	if err != nil {
		return nil, fmt.Errorf("registry: encode search results: %w", err)
	}
	return append(body, '\n'), nil
}

func (s *Server) hit(domain string, served card.JSON, q *searchQuery) searchHit {
	h := searchHit{Domain: domain, Href: s.base + "/v1/site/" + domain}
	for name, value := range served.Members() {
		switch raw := json.RawMessage(value); name {
		case "name":
			h.Name = raw
		case "summary":
			h.Summary = raw
		case "topics":
			h.Topics = raw
		case "allow_bots":
			h.AllowBots = raw
		case "consent":
			h.Consent = raw
		case "verification":
			h.Verification = raw
		case "updated":
			h.Updated = raw
		case "pages":
			if q.withURLs {
				h.URLs = []string{}
				for page := range value.Elements() {
					u, _ := page.Member("url").Text()
					h.URLs = append(h.URLs, u)
				}
			}
		}
	}
	if q.withCard {
		h.Card = json.RawMessage(served)
	}
	return h
}

// readSearch answers GET /v1/search.
func (s *Server) readSearch(w http.ResponseWriter, r *http.Request) {
	q, err := query(r)
	var body []byte
	if err == nil {
		body, err = s.search(r.Context(), q)
	}
	if err != nil {
		s.answerError(w, r, err)
		return
	}
	s.answer(w, r, newDocument(jsonType, body))
}
