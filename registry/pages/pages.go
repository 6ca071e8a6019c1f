package pages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Catalog is what the pages read, see the package of the same interface for MCP:
// one JSON object for each call, a problem document where status is not 200.
type Catalog interface {
	Search(ctx context.Context, parameters url.Values) (status int, body []byte, err error)
	Site(ctx context.Context, domain string) (status int, body []byte, err error)
}

// Options configures the pages.
type Options struct {
	Catalog   Catalog
	Name      string // of the registry
	PublicURL string // base URL, with or without a final slash
	Rate      int    // anonymous reads a minute of one address; 0 for no limit
}

//go:embed web
var web embed.FS

// Pages answers GET and HEAD for /, /about and /site/{domain}.
type Pages struct {
	catalog   Catalog
	mux       *http.ServeMux
	templates map[string]*template.Template
	frame     frame
	policy    string
}

// frame is what every page shows around its content.
type frame struct {
	Registry string
	Base     string
	Root     string // path of Base, "" or without a final slash
	Rate     int
	Style    template.CSS
}

// New returns the pages. It fails if the public URL or an embedded file
// is broken.
func New(o Options) (*Pages, error) {
	style, err := web.ReadFile("web/style.css")
	if err != nil {
		return nil, fmt.Errorf("pages: new: %w", err)
	}
	base := strings.TrimSuffix(o.PublicURL, "/")
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("pages: new: public URL: %w", err)
	}
	sum := sha256.Sum256(style)
	p := &Pages{catalog: o.Catalog, mux: http.NewServeMux(), templates: make(map[string]*template.Template),
		frame: frame{Registry: o.Name, Base: base, Root: u.EscapedPath(), Rate: o.Rate, Style: template.CSS(style)},
		policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; " +
			"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"}
	for _, name := range []string{"start", "site", "about", "problem"} {
		t, err := template.New("frame.html").ParseFS(web, "web/frame.html", "web/"+name+".html")
		if err != nil {
			return nil, fmt.Errorf("pages: new: %w", err)
		}
		p.templates[name] = t
	}
	p.mux.HandleFunc("GET /{$}", p.start)
	p.mux.HandleFunc("GET /about", p.about)
	p.mux.HandleFunc("GET /site/{domain}", p.site)
	return p, nil
}

func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.mux.ServeHTTP(w, r) }

// page is the data of one template.
type page struct {
	frame
	Title   string
	NoIndex bool
	Content any
}

// render writes a whole page or, if the template fails, an error without one.
func (p *Pages) render(w http.ResponseWriter, status int, name string, data page) {
	data.frame = p.frame
	var b bytes.Buffer
	if err := p.templates[name].Execute(&b, data); err != nil {
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", p.policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "public, max-age=60")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // the reader has gone away; there is nobody to tell
}

// problem shows that the catalog refused, or failed.
type problem struct {
	Status int
	Title  string
	Detail string
}

func (p *Pages) problem(w http.ResponseWriter, status int, title, detail string) {
	p.render(w, status, "problem", page{Title: title, NoIndex: true, Content: problem{status, title, detail}})
}

func (p *Pages) about(w http.ResponseWriter, _ *http.Request) {
	p.render(w, http.StatusOK, "about", page{Title: "How this registry works"})
}
