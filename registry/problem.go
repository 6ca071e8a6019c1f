package registry

import (
	"encoding/json"
	"net/http"
	"strconv"
)

// problem is an answer that refuses: a problem document of RFC 9457. Code is
// the stable word for programs and the fragment of the type URI; Detail is for
// people. It is an error so that a decision of the writer can carry it.
type problem struct {
	status  int
	code    string
	detail  string
	pointer string // JSON pointer (RFC 6901) to the faulty member of the body
	retry   int    // seconds for Retry-After, 0 for none
	header  http.Header
}

func refuse(status int, code, detail string) *problem {
	return &problem{status: status, code: code, detail: detail}
}

// Error implements error.
func (p *problem) Error() string { return "registry: " + p.code + ": " + p.detail }

// problemBody is the wire form of a problem.
type problemBody struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Status  int    `json:"status"`
	Detail  string `json:"detail,omitempty"`
	Code    string `json:"code"`
	Pointer string `json:"pointer,omitempty"`
}

// body is the problem document. A type URI leads into the documentation.
func (p *problem) body(docs string) []byte {
	b, err := json.Marshal(problemBody{Type: docs + "#" + p.code, Title: http.StatusText(p.status),
		Status: p.status, Detail: p.detail, Code: p.code, Pointer: p.pointer})
	if err != nil { // impossible: strings and numbers only
		return []byte("{}")
	}
	return append(b, '\n')
}

// write sends the problem.
func (p *problem) write(w http.ResponseWriter, docs string) {
	body := p.body(docs)
	h := w.Header()
	for name, values := range p.header {
		h[name] = values
	}
	h.Set("Content-Type", "application/problem+json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retry))
	}
	w.WriteHeader(p.status)
	_, _ = w.Write(body) // the reader has gone
}
