//go:build e2e && linux

package e2e

import (
	"bytes"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// htmlFiles lists the pages below root, relative and with slashes.
func htmlFiles(t *testing.T, root string) map[string]bool {
	t.Helper()
	files := make(map[string]bool)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		rel, err := filepath.Rel(root, path)
		files[filepath.ToSlash(rel)] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// walker finds the pages of one site that are reachable by links over allowed
// pages. It parses whole trees, unlike heed, and maps URLs to files itself.
type walker struct {
	t     *testing.T
	site  site
	pages map[string]bool // URLs that a crawl must keep
	seen  map[string]bool
	queue []*url.URL
}

// reachable returns the URLs of the pages that a crawl from / must keep.
func reachable(t *testing.T, s site) map[string]bool {
	t.Helper()
	w := &walker{t: t, site: s, pages: make(map[string]bool), seen: make(map[string]bool)}
	w.add(&url.URL{Scheme: "https", Host: s.Host, Path: "/"})
	for len(w.queue) > 0 {
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.visit(next)
	}
	return w.pages
}

func (w *walker) add(u *url.URL) {
	if u.Scheme != "https" || u.Host != w.site.Host {
		return
	}
	clean := *u
	clean.Fragment, clean.RawFragment = "", ""
	if clean.Path == "" {
		clean.Path = "/"
	}
	if key := clean.String(); !w.seen[key] {
		w.seen[key] = true
		w.queue = append(w.queue, &clean)
	}
}

func (w *walker) visit(u *url.URL) {
	if !w.site.rules.allows(u.RequestURI()) {
		return
	}
	path := filepath.Join(w.site.Root, filepath.FromSlash(u.Path))
	info, err := os.Stat(path)
	if err != nil {
		return // 404
	}
	if info.IsDir() {
		if !strings.HasSuffix(u.Path, "/") { // nginx redirects
			u.Path += "/"
			w.add(u)
			return
		}
		path = filepath.Join(path, "index.html")
		if _, err := os.Stat(path); err != nil {
			return // 403
		}
	} else if strings.HasSuffix(u.Path, "/") {
		return // 404
	}
	if filepath.Ext(path) != ".html" {
		return // fetched, but not a page that is compared
	}
	text, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.pages[u.String()] = true
	w.follow(u, text)
}

// linkAttributes are the attributes whose URL a crawler follows.
var linkAttributes = map[string]string{
	"a": "href", "area": "href", "iframe": "src", "frame": "src",
}

func (w *walker) follow(u *url.URL, text []byte) {
	tree, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		w.t.Fatalf("%s: %v", u, err)
	}
	for n := range tree.Descendants() {
		name, ok := linkAttributes[n.Data]
		if n.Type != html.ElementNode || !ok || strings.Contains(attribute(n, "rel"), "nofollow") {
			continue
		}
		for _, a := range n.Attr {
			if a.Key != name || a.Namespace != "" {
				continue
			}
			if target, err := u.Parse(strings.TrimSpace(a.Val)); err == nil {
				w.add(target)
			}
		}
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return strings.ToLower(a.Val)
		}
	}
	return ""
}
