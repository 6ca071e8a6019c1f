package demo

import (
	"html"
	"strings"
)

// topic is a small notebook: a home page and a page for each entry.
type topic struct {
	title   string
	intro   string
	entries []entry
}

// entry is one page of a notebook. Its path is "/" and the slug.
type entry struct {
	slug, title, text string
}

// link is a further link of a home page, after those to the entries.
type link struct {
	href, text string
	rel        string // value of the rel attribute, "" for none
}

// style is the whole design of the world, inline so that a page needs no second request.
const style = `body{font:18px/1.6 Georgia,serif;max-width:36em;margin:3em auto;padding:0 1em;color:#222;background:#fdfcf8}` +
	`h1{font-weight:normal}a{color:#1a5276}.asks{border-left:4px solid #c8b273;padding-left:1em;color:#555}footer{margin-top:3em;font-size:80%;color:#777}`

// sheet is one HTML page before it is written out.
type sheet struct {
	title string
	head  string // markup for the head, trusted
	asks  string // what the site asks for, shown on its home page
	text  string // paragraphs, separated by an empty line
	links []link
	foot  string
}

// html writes the sheet as a UTF-8 document.
func (s sheet) html() string {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
	b.WriteString(html.EscapeString(s.title))
	b.WriteString("</title>\n<style>" + style + "</style>\n" + s.head + "</head>\n<body>\n<h1>")
	b.WriteString(html.EscapeString(s.title) + "</h1>\n")
	if s.asks != "" {
		b.WriteString("<p class=\"asks\">This site asks: " + html.EscapeString(s.asks) + ".</p>\n")
	}
	for paragraph := range strings.SplitSeq(s.text, "\n\n") {
		b.WriteString("<p>" + html.EscapeString(paragraph) + "</p>\n")
	}
	if len(s.links) > 0 {
		b.WriteString("<ul>\n")
		for _, l := range s.links {
			b.WriteString("<li>" + l.html() + "</li>\n")
		}
		b.WriteString("</ul>\n")
	}
	b.WriteString("<footer>" + html.EscapeString(s.foot) + "</footer>\n</body>\n</html>\n")
	return b.String()
}

func (l link) html() string {
	rel := ""
	if l.rel != "" {
		rel = ` rel="` + html.EscapeString(l.rel) + `"`
	}
	return `<a href="` + html.EscapeString(l.href) + `"` + rel + ">" + html.EscapeString(l.text) + "</a>"
}

// pages gives the notebook as routes: "/" and one page per entry, each of which
// links home and to its neighbour, so that the site is connected both ways.
func (t topic) pages(host, asks, head string, more []link) routes {
	r := make(routes, len(t.entries)+1)
	home := sheet{title: t.title, head: head, asks: asks, text: t.intro, foot: host}
	for i, e := range t.entries {
		home.links = append(home.links, link{href: "/" + e.slug, text: e.title})
		next := t.entries[(i+1)%len(t.entries)]
		r["/"+e.slug] = page(sheet{
			title: e.title, text: e.text, foot: host,
			links: []link{{href: "/", text: t.title}, {href: "/" + next.slug, text: next.title}},
		})
	}
	home.links = append(home.links, more...)
	r["/"] = page(home)
	return r
}
