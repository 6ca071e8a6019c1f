package app

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"time"

	"heed/registry/mcp"
	"heed/registry/openapi"
	"heed/registry/pages"
)

// public joins all that readers and publishers may ask for: the registry itself,
// the tools, the description and the pages for people. Everything that is read
// is paid from the same bucket of its reader.
func (a *App) public() (http.Handler, error) {
	base := a.settings.BaseURL()
	people, err := pages.New(pages.Options{Catalog: a.registry, Name: a.settings.Name, PublicURL: base, Rate: int(a.settings.Rate)})
	if err != nil {
		return nil, err
	}
	tools := mcp.New(mcp.Options{Catalog: a.registry, PublicURL: base, Name: a.settings.Name, Version: a.options.Version})
	mux := http.NewServeMux()
	mux.Handle("/", a.registry.Handler())
	mux.Handle("/mcp", a.registry.Limited(tools))
	mux.Handle("GET /.well-known/mcp.json", a.registry.Limited(note(mcp.Advert(a.settings.Name, base))))
	mux.Handle("GET /openapi.json", a.registry.Limited(openapi.New(base)))
	mux.Handle("GET /{$}", a.registry.Limited(people))
	mux.Handle("GET /about", a.registry.Limited(people))
	mux.Handle("GET /site/{domain}", a.registry.Limited(people))
	return below(base, mux), nil
}

// below serves h at the path of the public URL, and at the root for proxies that
// take the path off.
func below(base string, h http.Handler) http.Handler {
	u, err := url.Parse(base)
	if err != nil || u.Path == "" {
		return h
	}
	stripped := http.StripPrefix(u.Path, h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, u.Path+"/") {
			stripped.ServeHTTP(w, r)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// note serves a small JSON document that does not change while we run.
func note(document []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(document))
	})
}

// strictTransport tells browsers to come back over TLS only.
func strictTransport(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		next.ServeHTTP(w, r)
	})
}
