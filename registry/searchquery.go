package registry

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
