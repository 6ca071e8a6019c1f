package registry

import (
	_ "embed"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// contract is the documentation that the discovery document names.
//
//go:embed contract.txt
var contract []byte

// routes builds the public handler.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	read := func(pattern string, h http.HandlerFunc) { mux.Handle("GET "+pattern, s.reader(h)) }
	read("/.well-known/botcentral-index.json", s.readIndex)
	read("/v1/site/{domain}", s.readCard)
	read("/v1/site/{domain}/robots.txt", s.readRobots)
	read("/v1/site/{domain}/tdmrep.json", s.readTDMRep)
	read("/v1/changes", s.readChanges)
	read("/v1/snapshot", s.readSnapshot)
	read("/v1/search", s.readSearch)
	read("/v1/agents", s.fixed(newDocument(jsonType, agentList())))
	schema := newDocument(schemaType, s.validate.schema.octets)
	docs := newDocument(textType, contract)
	schema.cache, docs.cache = "public, max-age=3600", "public, max-age=3600"
	read("/v1/schema.json", s.fixed(schema))
	read("/docs", s.fixed(docs))
	read("/.well-known/oauth-authorization-server", s.fixed(newDocument(jsonType, s.bearer.serverMetadata())))
	read("/.well-known/oauth-protected-resource", s.fixed(newDocument(jsonType, s.bearer.resourceMetadata(s.o.Name, s.docs))))
	mux.Handle("POST /oauth/token", http.HandlerFunc(s.grantToken))
	mux.Handle("PUT /v1/site/{domain}", s.writer("put", s.putCard))
	mux.Handle("DELETE /v1/site/{domain}", s.writer("delete", s.deleteCard))
	mux.Handle("POST /v1/site/{domain}/token", s.writer("token", s.issueToken))
	mux.Handle("POST /v1/site/{domain}/check", s.writer("check", s.requestCheck))
	mux.Handle("POST /v1/site/{domain}/revocation", s.reader(http.HandlerFunc(s.revokeByOwner)))
	mux.HandleFunc("GET /healthz", s.health)
	mux.Handle("/", s.reader(http.HandlerFunc(s.unknown)))
	u, err := url.Parse(s.base)
	if err != nil || u.Path == "" || u.Path == "/" {
		return mux
	}
	prefix := strings.TrimRight(u.Path, "/")
	below := http.StripPrefix(prefix, mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, prefix+"/") {
			below.ServeHTTP(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

func (s *Server) fixed(d *document) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, d) }
}

// unknown answers for paths and methods that there are none of.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		refuse(http.StatusMethodNotAllowed, "method", "this resource does not know the method").write(w, s.docs)
		return
	}
	refuse(http.StatusNotFound, "no-resource", "there is no such resource").write(w, s.docs)
}

func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	status, text := http.StatusOK, "ok\n"
	if s.Healthy(r.Context()) != nil {
		status, text = http.StatusServiceUnavailable, "writes are refused\n"
	}
	w.Header().Set("Content-Type", textType)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text)) // the asker has gone
}

// answerError sends a refusal as it is, and of anything else no more than that
// it happened; the log has the rest.
func (s *Server) answerError(w http.ResponseWriter, r *http.Request, err error) {
	var p *problem
	if errors.As(err, &p) {
		p.write(w, s.docs)
		return
	}
	if r.Context().Err() != nil { // the asker has gone
		return
	}
	s.o.Log.Error("request failed", "path", r.URL.Path, "error", err)
	p = refuse(http.StatusServiceUnavailable, "unavailable", "the registry cannot do this now")
	p.retry = 30
	p.write(w, s.docs)
}
