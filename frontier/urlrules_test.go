package frontier

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func urlRules(t interface{ Fatal(...any) }, o URLRuleOptions) *URLRules {
	r, err := NewURLRules(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestURLRules(t *testing.T) {
	const at = "http://shop.test"
	tracks, sessions := URLRuleOptions{DropTracking: true}, URLRuleOptions{DropSessions: true}
	for _, tc := range []struct {
		name     string
		o        URLRuleOptions
		url, got string
	}{
		{"tracking goes, the rest keeps order and octets", tracks, "/a?b=%2f&utm_source=x&a=&UTM_Medium=y&fbclid=1&c", "/a?b=%2f&a=&c"},
		{"a query of nothing else goes whole", tracks, "/a?utm_source=x&gclid=1", "/a"},
		{"an empty query stays", tracks, "/a?", "/a?"},
		{"a name that only begins alike stays", tracks, "/a?gclidx=1&utm=2", "/a?gclidx=1&utm=2"},
		{"names that were asked for", URLRuleOptions{DropParams: []string{"Ref", "x_*"}}, "/a?ref=1&X_y=2&xy=3&preref=4", "/a?xy=3&preref=4"},
		{"an escaped name is another", URLRuleOptions{DropParams: []string{"ref"}}, "/a?%72ef=1", "/a?%72ef=1"},
		{"no rule about parameters", sessions, "/a?utm_source=x", "/a?utm_source=x"},
		{"jsessionid in the path", sessions, "/a/b.jsp;jsessionid=0A1B2C3D4E5F.node1;v=1?c=d", "/a/b.jsp;v=1?c=d"},
		{"jsessionid in the middle", sessions, "/a;JSessionID=0A1B2C3D4E5F/b", "/a/b"},
		{"jsessionid in the query", sessions, "/a?jsessionid=0A1B2C3D4E5F", "/a"},
		{"a jsessionid that names itself", sessions, "/docs/;jsessionid=explained", "/docs/;jsessionid=explained"},
		{"PHPSESSID", sessions, "/a?b=1&PHPSESSID=0123456789abcdef0123456789abcdef", "/a?b=1"},
		{"a sid that is a session", sessions, "/a?sid=0123456789abcdef0123456789abcdef&t=1", "/a?t=1"},
		{"a sid that is the number of a story", sessions, "/a?sid=20261130", "/a?sid=20261130"},
		{"a sid that is a long number", sessions, "/a?sid=012345678901234567890123", "/a?sid=012345678901234567890123"},
		{"a sid of words", sessions, "/a?sid=how-to-feed-the-cat-2026", "/a?sid=how-to-feed-the-cat-2026"},
		{"classic ASP", sessions, "/a?ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX", "/a"},
		{"ASP.NET", sessions, "/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "/a.aspx"},
		{"ASP.NET at the end", sessions, "/(S(lit3py55t21z5v55vlm25s55))", "/"},
		{"brackets of another kind", sessions, "/(S(x))/a", "/(S(x))/a"},
		{"what would become another path stays", sessions, "/a/..;jsessionid=0A1B2C3D4E5F/b", "/a/..;jsessionid=0A1B2C3D4E5F/b"},
		{"lower case, escapes left out", URLRuleOptions{LowerPath: []string{"shop.test"}}, "/A/B%C3%9C%zZ?Q=A", "/a/b%C3%9C%zz?Q=A"},
		{"a host below", URLRuleOptions{LowerPath: []string{"*.test"}}, "/A", "/a"},
		{"another host", URLRuleOptions{LowerPath: []string{"*.shop.test", "other.test"}}, "/A", "/A"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := urlRules(t, tc.o).Apply(at + tc.url); got != at+tc.got {
				t.Errorf("%s became %s, want %s", tc.url, strings.TrimPrefix(got, at), tc.got)
			}
		})
	}
}

func TestWithoutRulesNothingChanges(t *testing.T) {
	r, err := NewURLRules(URLRuleOptions{})
	if r != nil || err != nil {
		t.Fatalf("%v, %v", r, err)
	}
	const url = "http://shop.test/A;jsessionid=0A1B2C3D4E5F?utm_source=x"
	if n := testing.AllocsPerRun(10, func() {
		if r.Apply(url) != url {
			t.Error("changed")
		}
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestURLRulesRefuse(t *testing.T) {
	for _, o := range []URLRuleOptions{
		{DropParams: []string{""}}, {DropParams: []string{"*"}}, {DropParams: []string{"a*b"}}, {DropParams: []string{"a=b"}},
		{LowerPath: []string{""}}, {LowerPath: []string{"Shop.test"}}, {LowerPath: []string{"shop.test:80"}}, {LowerPath: []string{"*"}}, {LowerPath: []string{"a/b"}},
	} {
		if _, err := NewURLRules(o); !errors.Is(err, ErrURLRules) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// What the rules make of a URL is its key and what is requested, by rules as by the
// standard alone.
func TestWhatRulesMakeOfAURLIsItsKeyAndRequest(t *testing.T) {
	piece := rapid.SampledFrom([]string{"/", "/A", "..", ".", ";jsessionid=0A1B2C3D4E5F", ";v=1", "(S(lit3py55t21z5v55vlm25s55))", "%C3%9C", "%zz", "%2E",
		"?", "&", "utm_a=1", "a=b", "sid=0123456789abcdef0123", "gclid", "=", "Ü", " ", "\\", "//"})
	r := urlRules(t, URLRuleOptions{DropTracking: true, DropSessions: true, DropParams: []string{"a"}, LowerPath: []string{"*.test"}})
	rapid.Check(t, func(t *rapid.T) {
		url, err := Canonical("http://shop.test/" + strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), ""))
		if err != nil {
			return
		}
		got := r.Apply(url)
		checkCanonical(t, got)
		if Origin(got) != Origin(url) || r.Apply(got) != got {
			t.Fatalf("%q became %q, and then %q", url, got, r.Apply(got))
		}
	})
}

func BenchmarkURLRules(b *testing.B) {
	r := urlRules(b, URLRuleOptions{DropTracking: true, DropSessions: true})
	for _, url := range []string{"http://shop.test/a/b/c.html", "http://shop.test/a/b/c.html?id=17&page=2"} {
		b.Run(url, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Apply(url)
			}
		})
	}
}
