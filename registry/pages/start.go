package pages

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
)

// pageSize is how many results one page shows; the most a search answers with.
const pageSize = 25

// maxOffset bounds how far one can page.
const maxOffset = 1_000_000

// start is the content of the start page.
type start struct {
	Query    string
	Consent  string
	Consents []choice
	Asked    bool // something is looked for
	Total    int
	Results  []hit
	First    int    // number of the first result, from one
	Last     int    // number of the last
	Back     string // query of the page before; "" if there is none
	Next     string
}

// Count is the total as people read it: 100,002.
func (s start) Count() string {
	text := strconv.Itoa(s.Total)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// choice is one purpose to filter by.
type choice struct{ Value, Label string }

// hit is one result.
type hit struct {
	Domain  string
	Name    string
	Summary string
}

func (p *Pages) start(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	s := start{Query: short(asked.Get("q"), 256), Consents: []choice{{"retrieve", "may be fetched for answers and search"},
		{"train", "may be used for training"}, {"act", "may be acted on"}, {"cite", "expects attribution"}}}
	parameters := url.Values{"limit": {strconv.Itoa(pageSize)}}
	if s.Query != "" {
		parameters.Set("q", s.Query)
	}
	for _, c := range s.Consents {
		if asked.Get("consent") == c.Value {
			s.Consent = c.Value
			parameters.Set("consent", c.Value)
		}
	}
	s.Asked = s.Query != "" || s.Consent != ""
	offset, err := strconv.Atoi(asked.Get("offset"))
	if err != nil || offset < 0 || offset > maxOffset {
		offset = 0
	}
	parameters.Set("offset", strconv.Itoa(offset))

	status, body, err := p.catalog.Search(r.Context(), parameters)
	if err != nil {
		p.problem(w, http.StatusInternalServerError, "The catalog cannot be read", "This is a fault of the registry. Try again later.")
		return
	}
	if status != http.StatusOK {
		p.refused(w, status, body)
		return
	}
	if s.Results, s.Total, err = hits(body); err != nil {
		p.problem(w, http.StatusInternalServerError, "The catalog cannot be read", "This is a fault of the registry. Try again later.")
		return
	}
	s.First, s.Last = offset+1, offset+len(s.Results)
	if offset > 0 {
		s.Back = p.frame.Root + "/?" + s.query(max(offset-pageSize, 0))
	}
	if s.Last < s.Total && len(s.Results) > 0 && s.Last <= maxOffset {
		s.Next = p.frame.Root + "/?" + s.query(s.Last)
	}
	title := "Consent cards"
	if s.Asked {
		title = "Search"
	}
	p.render(w, http.StatusOK, "start", page{Title: title, NoIndex: s.Asked || offset > 0, Content: s})
}

// query writes the link to another page of the same search.
func (s start) query(offset int) string {
	v := make(url.Values)
	if s.Query != "" {
		v.Set("q", s.Query)
	}
	if s.Consent != "" {
		v.Set("consent", s.Consent)
	}
	if offset > 0 {
		v.Set("offset", strconv.Itoa(offset))
	}
	return v.Encode()
}

// hits reads the answer of a search.
func hits(body []byte) ([]hit, int, error) {
	var answer struct {
		Results []hit
		Total   int
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, 0, err
	}
	list := answer.Results
	for i, h := range list {
		list[i] = hit{short(h.Domain, maxDomain), short(h.Name, maxName), short(h.Summary, maxTeaser)}
	}
	return list, answer.Total, nil
}
