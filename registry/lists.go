package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
)

// maxListed bounds the entries of one discovery document (BC-R-907).
const maxListed = 10_000

// lists are the answers about the whole catalog. They are made when somebody
// asks after a change, once for all who ask, and answered from memory until the
// next change.
type lists struct {
	mu       sync.Mutex
	head     uint64 // of the feed, when they were made
	made     bool
	snapshot *document
	index    *document
}

// view is the catalog at one moment.
type view struct {
	sites  []*site // by domain
	listed int
	meta   meta
}

func (s *shelf) view() view {
	s.mu.Lock() // sorted may sort
	defer s.mu.Unlock()
	return view{sites: s.catalog.sorted(), listed: s.catalog.listed, meta: s.meta}
}

func (s *shelf) head() uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.meta.Head
}

// lists gives the two documents as they are now.
func (s *Server) catalogLists() (snapshot, index *document, err error) {
	l := &s.lists
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.made && l.head == s.shelf.head() {
		return l.snapshot, l.index, nil
	}
	v := s.shelf.view()
	index, err = s.indexPage(v, "")
	if err != nil {
		return nil, nil, err
	}
	l.snapshot, l.index, l.head, l.made = newDocument(jsonType, snapshotOf(v)), index, v.meta.Head, true
	return l.snapshot, l.index, nil
}

// snapshotOf renders the hash over the catalog: the lines "domain TAB etag LF"
// of all listed cards, sorted by domain in octet order (BC-R-902). The cursor is
// the place in the feed at which it holds.
func snapshotOf(v view) []byte {
	hash := sha256.New()
	line := make([]byte, 0, maxDomainOctets+2+2*len(etag{}))
	for _, s := range v.sites {
		if !s.listed {
			continue
		}
		line = append(append(line[:0], s.domain...), '\t')
		line = append(hex.AppendEncode(line, s.etag[:]), '\n')
		hash.Write(line)
	}
	dst := hex.AppendEncode([]byte(`{"snapshot":"sha256:`), hash.Sum(nil))
	dst = append(dst, `","count":`...)
	dst = strconv.AppendInt(dst, int64(v.listed), 10)
	dst = append(dst, `,"cursor":"`...)
	dst = append(dst, cursor{v.meta.Epoch, v.meta.Head, v.meta.Floor}.String()...)
	return append(dst, "\"}\n"...)
}

// readSnapshot answers GET /v1/snapshot.
func (s *Server) readSnapshot(w http.ResponseWriter, r *http.Request) {
	s.readList(w, r, func(snapshot, _ *document) *document { return snapshot })
}

func (s *Server) readList(w http.ResponseWriter, r *http.Request, pick func(snapshot, index *document) *document) {
	err := s.current(r.Context())
	var snapshot, index *document
	if err == nil {
		snapshot, index, err = s.catalogLists()
	}
	if err != nil {
		s.answerError(w, r, err)
		return
	}
	s.answer(w, r, pick(snapshot, index))
}

// readIndex answers GET /.well-known/botcentral-index.json, with ?after=DOMAIN
// for the pages behind the first.
func (s *Server) readIndex(w http.ResponseWriter, r *http.Request) {
	q, err := query(r, "after")
	if err != nil {
		s.answerError(w, r, err)
		return
	}
	after := q.Get("after")
	if after == "" {
		s.readList(w, r, func(_, index *document) *document { return index })
		return
	}
	var page *document
	if err = s.current(r.Context()); err == nil {
		page, err = s.indexPage(s.shelf.view(), after)
	}
	if err != nil {
		s.answerError(w, r, err)
		return
	}
	s.answer(w, r, page)
}

// indexDocument is the discovery document without its list (BC-R-015): all
// other resources can be found from it (BC-R-016).
type indexDocument struct {
	Version  string `json:"botcentral"`
	Registry string `json:"registry"`
	Search   string `json:"search"`
	Docs     string `json:"docs"`
	OpenAPI  string `json:"openapi"`
	Schema   string `json:"schema"`
	Changes  string `json:"changes"`
	Snapshot string `json:"snapshot"`
	MCP      string `json:"mcp"`
	Agents   string `json:"agents"`
	Count    int    `json:"count"`
	Next     string `json:"next,omitempty"`
}

// indexPage renders the discovery document with the entries behind a domain.
func (s *Server) indexPage(v view, after string) (*document, error) {
	head := indexDocument{Version: cardVersion, Registry: s.o.Name, Search: s.base + "/v1/search", Docs: s.docs,
		OpenAPI: s.base + "/openapi.json", Schema: s.base + "/v1/schema.json", Changes: s.base + "/v1/changes",
		Snapshot: s.base + "/v1/snapshot", MCP: s.base + "/mcp", Agents: s.base + "/v1/agents", Count: v.listed}
	list := make([]byte, 0, 160*min(v.listed, maxListed)+2)
	list = append(list, '[')
	n, last := 0, ""
	for _, known := range v.sites[from(v.sites, after):] {
		if !known.listed {
			continue
		}
		if n == maxListed {
			head.Next = s.base + "/.well-known/botcentral-index.json?after=" + url.QueryEscape(last)
			break
		}
		if n > 0 {
			list = append(list, ',')
		}
		list = append(list, `{"domain":"`...)
		list = append(list, known.domain...)
		list = append(list, `","name":`...)
		list = appendString(list, known.facts.name)
		list = append(list, `,"href":"`...)
		list = append(list, s.base...)
		list = append(list, "/v1/site/"...)
		list = append(list, known.domain...)
		list = append(list, `"}`...)
		n, last = n+1, known.domain
	}
	list = append(list, ']')
	octets, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("registry: discovery document: %w", err)
	}
	octets = append(octets[:len(octets)-1], `,"listed":`...)
	octets = append(octets, list...)
	return newDocument(jsonType, append(octets, "}\n"...)), nil
}

// query reads the parameters of a request. One that is given twice is refused,
// because nobody can say which one counts; unknown ones mean nothing.
func query(r *http.Request, names ...string) (url.Values, error) {
	if r.URL.RawQuery == "" {
		return nil, nil
	}
	q, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil || len(r.URL.RawQuery) > 4096 {
		return nil, refuse(http.StatusBadRequest, "parameter", "the query cannot be read")
	}
	for _, name := range names {
		if len(q[name]) > 1 {
			return nil, refuse(http.StatusBadRequest, "parameter", fmt.Sprintf("parameter %s is given more than once", name))
		}
	}
	return q, nil
}
