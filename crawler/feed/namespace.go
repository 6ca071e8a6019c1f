package feed

import (
	"bytes"
	"strings"
)

// vocabulary is a namespace, or a family of namespaces that mean the same.
type vocabulary uint8

const (
	vocabularyNone  vocabulary = iota // no namespace at all
	vocabularyOther                   // one we do not read
	vocabularyRoot                    // one we do not know, but the root element is in it
	vocabularySitemap
	vocabularyNews
	vocabularyXHTML
	vocabularyRSS
	vocabularyRDF
	vocabularyAtom
	vocabularyDublinCore
)

// vocabularyOf reads a namespace name loosely: publishers write https for http, add a slash, or keep
// versions of twenty years ago.
func vocabularyOf(uri string) vocabulary {
	uri = strings.ToLower(strings.TrimSpace(uri))
	uri = strings.TrimPrefix(strings.TrimPrefix(uri, "http://"), "https://")
	uri = strings.TrimPrefix(uri, "www.")
	uri = strings.TrimRight(uri, "/#")
	switch {
	case uri == "":
		return vocabularyNone
	case strings.HasPrefix(uri, "sitemaps.org/schemas/sitemap/"),
		strings.HasPrefix(uri, "google.com/schemas/sitemap/"):
		return vocabularySitemap
	case strings.HasPrefix(uri, "google.com/schemas/sitemap-news/"):
		return vocabularyNews
	case strings.HasPrefix(uri, "w3.org/1999/xhtml"), strings.HasPrefix(uri, "w3.org/tr/xhtml"):
		return vocabularyXHTML
	case uri == "w3.org/2005/atom", uri == "purl.org/atom/ns":
		return vocabularyAtom
	case uri == "w3.org/1999/02/22-rdf-syntax-ns":
		return vocabularyRDF
	case strings.HasPrefix(uri, "purl.org/dc/"):
		return vocabularyDublinCore
	case uri == "purl.org/rss/1.0", strings.HasPrefix(uri, "my.netscape.com/rdf/simple/"),
		strings.HasPrefix(uri, "channel.netscape.com/rdf/simple/"),
		strings.HasPrefix(uri, "backend.userland.com/rss"), uri == "blogs.law.harvard.edu/tech/rss":
		return vocabularyRSS
	}
	return vocabularyOther
}

// customary is what a prefix means that a document uses without declaring it.
func customary(prefix []byte) vocabulary {
	switch string(prefix) {
	case "":
		return vocabularyNone
	case "news":
		return vocabularyNews
	case "xhtml":
		return vocabularyXHTML
	case "atom":
		return vocabularyAtom
	case "rdf":
		return vocabularyRDF
	case "dc", "dcterms":
		return vocabularyDublinCore
	}
	return vocabularyOther
}

// Bounds of declarations kept. What is above them is a vocabulary we do not read.
const (
	maxBindings       = 64
	maxNamespaceBytes = 256
)

// binding is one xmlns declaration.
type binding struct {
	prefix string
	means  vocabulary
}

// bindings holds the declarations in force, innermost last.
type bindings struct {
	all     []binding
	rootURI string // the namespace of the root element, if it is none we know
}

// declare adds the declarations of a start tag.
func (b *bindings) declare(attrs []byte) {
	for a := (attributes{rest: attrs}); a.next(); {
		prefix, ok := declaredPrefix(a.name)
		if !ok || len(b.all) == maxBindings {
			continue
		}
		means := vocabularyOther
		if len(a.value) <= maxNamespaceBytes {
			uri := string(a.value)
			means = vocabularyOf(uri)
			if means == vocabularyOther && uri == b.rootURI {
				means = vocabularyRoot
			}
		}
		b.all = append(b.all, binding{string(prefix), means})
	}
}

// declaredPrefix tells whether an attribute is a declaration, and of which prefix.
func declaredPrefix(name []byte) ([]byte, bool) {
	if string(name) == "xmlns" {
		return nil, true
	}
	return bytes.CutPrefix(name, []byte("xmlns:"))
}

// adopt makes the namespace of the root element, declared in its attributes or not, the document's own.
func (b *bindings) adopt(prefix, attrs []byte) {
	for a := (attributes{rest: attrs}); a.next(); {
		declared, ok := declaredPrefix(a.name)
		if ok && bytes.Equal(declared, prefix) && len(a.value) <= maxNamespaceBytes {
			b.rootURI = string(a.value)
			break
		}
	}
	b.all = b.all[:0]
	b.declare(attrs)
	b.all = append(b.all, binding{string(prefix), vocabularyRoot})
}

func (b *bindings) lookup(prefix []byte) vocabulary {
	for i := len(b.all) - 1; i >= 0; i-- {
		if b.all[i].prefix == string(prefix) {
			return b.all[i].means
		}
	}
	return customary(prefix)
}
