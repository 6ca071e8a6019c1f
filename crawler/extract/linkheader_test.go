package extract_test

import (
	"reflect"
	"strings"
	"testing"

	"heed/crawler/extract"
)

func TestLinkFieldSyntax(t *testing.T) {
	link := func(target string, rel ...string) extract.HeaderLink {
		return extract.HeaderLink{Target: target, Rel: rel}
	}
	tests := []struct {
		name   string
		fields []string
		want   []extract.HeaderLink
	}{
		{"LC-139 commas and semicolons in brackets and quotes do not split", []string{`</x,y;z>; title="a, b; rel=llm-context"; rel="next", </l.md>; rel="alternate llm-context"; rel="next"`},
			[]extract.HeaderLink{{Target: "/x,y;z", Rel: []string{"next"}, Title: "a, b; rel=llm-context"}, link("/l.md", "alternate", "llm-context")}},
		{"LC-139 several fields", []string{`</a>;rel=a`, `</b>;rel=b`}, []extract.HeaderLink{link("/a", "a"), link("/b", "b")}},
		{"LC-139 names and relation types without regard to case, blanks around", []string{`< /a > ; REL = Next`}, []extract.HeaderLink{link("/a", "next")}},
		{"LC-139 rev is ignored", []string{`</a>; rev=llm-context`}, []extract.HeaderLink{link("/a")}},
		{"LC-139 malformed values are skipped, the rest kept", []string{`junk, </a>; rel="x, </b>; rel=b`, `/c; rel=c, </d>; rel=d`, `</e>; rel=e f, </g>;;rel=g;`},
			[]extract.HeaderLink{link("/d", "d"), link("/g", "g")}},
		{"LC-139 empty elements", []string{` , ,</a>;rel=a,, `}, []extract.HeaderLink{link("/a", "a")}},
		{"an anchor, even an empty one", []string{`</a>; rel=a; anchor=""; anchor="/x"`}, []extract.HeaderLink{{Target: "/a", Rel: []string{"a"}, HasAnchor: true}}},
		{"title* beats title, wherever it stands", []string{`</a>; title*=UTF-8''%e2%82%ac%20x; title="e"; hreflang=de; type="text/markdown"`},
			[]extract.HeaderLink{{Target: "/a", Title: "€ x", HrefLang: "de", Type: "text/markdown"}}},
		{"a broken title* leaves title", []string{`</a>; title="e"; title*=%zz`}, []extract.HeaderLink{{Target: "/a", Title: "e"}}},
		{"escapes in quotes", []string{`</a>; title="a\"b\\, c"; rel=a`}, []extract.HeaderLink{{Target: "/a", Rel: []string{"a"}, Title: `a"b\, c`}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := extract.LinkHeader(test.fields); !reflect.DeepEqual(got, test.want) {
				t.Errorf("\n got %+v\nwant %+v", got, test.want)
			}
		})
	}
	t.Run("LC-139 at most 100 links", func(t *testing.T) {
		if got := extract.LinkHeader([]string{strings.Repeat("</a>;rel=a,", 150), "</b>"}); len(got) != 100 {
			t.Errorf("%d links", len(got))
		}
	})
}

func TestRelatedTargets(t *testing.T) {
	tests := []struct {
		name, field string
		want        []string
	}{
		{"LC-028 the recovered form", `</llms.txt>; rel="llm-context"; type="text/markdown"`, []string{"https://shop.example/llms.txt"}},
		{"LC-032 the type hint decides nothing", `</l>; rel=llm-context; type="text/html"`, []string{"https://shop.example/l"}},
		{"LC-139 a foreign anchor is ignored", `</l>; rel=llm-context; anchor="https://other.test/"`, nil},
		{"LC-139 an anchor of the same origin counts", `</l>; rel=llm-context; anchor="/about"`, []string{"https://shop.example/l"}},
		{"LC-139 relative to the response", `<l#x>; rel=llm-context`, []string{"https://shop.example/dir/l"}},
		{"a foreign target is the caller's to judge", `<https://other.test/l>; rel=llm-context`, []string{"https://other.test/l"}},
		{"an empty target and other schemes are none", `<>; rel=llm-context, <file:///x>; rel=llm-context`, nil},
		{"not a longer word", `</l>; rel=llm-contexts`, nil},
		{"facts 2.2", `</style.css>; rel="preload"; as="style", </ctx/index.md>; title="a, b; c"; rel="alternate llm-context"; type="text/html"`, []string{"https://shop.example/ctx/index.md"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			links := extract.LinkHeader([]string{test.field})
			same(t, "targets", extract.Related(links, relation, "https://shop.example/dir/page", webResolver{}), test.want...)
		})
	}
}
