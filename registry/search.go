package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"heed/registry/card"
)

// Bounds of a search.
const (
	maxResults     = 25
	defaultResults = 10
	maxOffset      = 1_000_000
	maxWords       = 16 // of q
	maxParameter   = 2048
)

// searchParameters are the parameters of /v1/search and the arguments of the MCP
// tool search_catalog (BC-R-909).
var searchParameters = [...]string{"q", "topic", "language", "capability", "consent", "verified", "allow_bots", "include", "limit", "offset"}

// searchQuery is a search that was understood. Nil pointers do not filter.
type searchQuery struct {
	words                       []string // all of them occur in domain, name, summary or topics
	topic, language, capability string   // folded
	consent                     string
	verified, allowBots         *bool
	withCard, withURLs          bool
	limit, offset               int
}

func readSearchQuery(q url.Values) (sq searchQuery, err error) {
	for _, name := range searchParameters {
		if len(q[name]) > 1 || len(q.Get(name)) > maxParameter {
			return sq, parameterProblem(name, "is given more than once or too long")
		}
	}
	if sq.words = strings.Fields(strings.ToLower(q.Get("q"))); len(sq.words) > maxWords {
		return sq, parameterProblem("q", fmt.Sprintf("has more than %d words", maxWords))
	}
	sq.topic, sq.language, sq.capability = foldTerm(q.Get("topic")), foldTerm(q.Get("language")), foldTerm(q.Get("capability"))
	switch sq.consent = q.Get("consent"); sq.consent {
	case "", "retrieve", "train", "act", "cite":
	default:
		return sq, parameterProblem("consent", "is retrieve, train, act or cite")
	}
	if sq.verified, err = readFlag(q, "verified"); err != nil {
		return sq, err
	}
	if sq.allowBots, err = readFlag(q, "allow_bots"); err != nil {
		return sq, err
	}
	switch q.Get("include") {
	case "":
	case "card":
		sq.withCard = true
	case "urls":
		sq.withURLs = true
	default:
		return sq, parameterProblem("include", "is card or urls")
	}
	if sq.limit, err = readNumber(q, "limit", 1, maxResults, defaultResults); err != nil {
		return sq, err
	}
	sq.offset, err = readNumber(q, "offset", 0, maxOffset, 0)
	return sq, err
}

func parameterProblem(name, detail string) *problem {
	return refuse(http.StatusBadRequest, "parameter", "parameter "+name+" "+detail)
}

func readFlag(q url.Values, name string) (*bool, error) {
	var flag bool
	switch q.Get(name) {
	case "":
		return nil, nil
	case "true":
		flag = true
	case "false":
	default:
		return nil, parameterProblem(name, "is true or false")
	}
	return &flag, nil
}

func readNumber(q url.Values, name string, low, high, otherwise int) (int, error) {
	text := q.Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, parameterProblem(name, fmt.Sprintf("is a number from %d to %d", low, high))
	}
	return n, nil
}

// matches tells whether a listed card is meant.
func (q *searchQuery) matches(s *site) bool {
	f := &s.facts
	switch {
	case !s.listed,
		q.consent != "" && !f.permits(q.consent),
		q.verified != nil && *q.verified != (s.proof.method.Proven() && !s.stale),
		q.allowBots != nil && *q.allowBots != f.allowBots,
		q.topic != "" && !f.hasTerm('t', q.topic),
		q.language != "" && !f.hasTerm('l', q.language),
		q.capability != "" && !f.hasTerm('c', q.capability):
		return false
	}
	for _, word := range q.words {
		if !strings.Contains(f.text, word) {
			return false
		}
	}
	return true
}

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

// Search answers GET /v1/search with these parameters for callers beside HTTP:
// the status and the body, which is a problem document for all but 200. An error
// means that the registry could not answer.
func (s *Server) Search(ctx context.Context, parameters url.Values) (status int, body []byte, err error) {
	body, err = s.search(ctx, parameters)
	return s.plain(body, err)
}

// Site answers GET /v1/site/{domain} for callers beside HTTP; other forms of the
// name of a card give that card.
func (s *Server) Site(ctx context.Context, domain string) (status int, body []byte, err error) {
	name, err := registrable(domain)
	if err != nil {
		return s.plain(nil, domainProblem(err))
	}
	if err := s.current(ctx); err != nil {
		return s.plain(nil, err)
	}
	_, d, err := s.served(name)
	if err == nil && d == nil {
		err = errNotListed
	}
	if err != nil {
		return s.plain(nil, err)
	}
	return http.StatusOK, d.octets, nil
}

func (s *Server) plain(body []byte, err error) (int, []byte, error) {
	var p *problem
	switch {
	case err == nil:
		return http.StatusOK, body, nil
	case errors.As(err, &p):
		return p.status, p.body(s.docs), nil
	}
	return 0, nil, err
}
