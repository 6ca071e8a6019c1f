package frontier

import (
	"errors"
	"testing"
)

func TestScope(t *testing.T) {
	seeds := []string{"http://example.com/docs/index.html?v=/x/", "https://sub.shop.co.uk:8443/"}
	for _, tc := range []struct {
		name string
		kind ScopeKind
		url  string
		want string
	}{
		{"page: the seed", ScopePage, "http://example.com/docs/index.html?v=/x/", ""},
		{"page: the seed by https", ScopePage, "https://example.com/docs/index.html?v=/x/", ""},
		{"page: another query", ScopePage, "http://example.com/docs/index.html", "scope.page"},
		{"prefix: in the directory", ScopePrefix, "http://example.com/docs/a/b", ""},
		{"prefix: the directory", ScopePrefix, "https://example.com/docs/", ""},
		{"prefix: the directory without its slash", ScopePrefix, "http://example.com/docs", "scope.prefix"},
		{"prefix: a sister", ScopePrefix, "http://example.com/docs2/", "scope.prefix"},
		{"prefix: a slash in a query opens no directory", ScopePrefix, "http://example.com/a?/docs/", "scope.prefix"},
		{"prefix: another host", ScopePrefix, "http://www.example.com/docs/a", "scope.prefix"},
		{"prefix: another port", ScopePrefix, "http://example.com:81/docs/a", "scope.prefix"},
		{"prefix: the root of the second seed", ScopePrefix, "https://sub.shop.co.uk:8443/any", ""},
		{"host: anywhere on it", ScopeHost, "https://example.com/", ""},
		{"host: any port", ScopeHost, "https://sub.shop.co.uk/", ""},
		{"host: a host below it", ScopeHost, "http://www.example.com/", "scope.host"},
		{"host: a name that ends alike", ScopeHost, "http://notexample.com/", "scope.host"},
		{"domain: a host below it", ScopeDomain, "http://a.b.example.com/", ""},
		{"domain: a sister of the seed's host", ScopeDomain, "http://other.shop.co.uk/", ""},
		{"domain: a neighbour under the suffix", ScopeDomain, "http://other.co.uk/", "scope.domain"},
		{"any: anywhere", ScopeAny, "http://elsewhere.test/", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := NewScope(tc.kind, seeds, nil, nil, -1)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Judge(tc.url, 1, false); got != tc.want {
				t.Errorf("Judge(%q) = %q, want %q", tc.url, got, tc.want)
			}
		})
	}
}

func TestScopeFilters(t *testing.T) {
	seeds := []string{"http://example.com/"}
	for _, tc := range []struct {
		name             string
		include, exclude []string
		maxDepth         int
		url              string
		depth            int
		seed             bool
		want             string
	}{
		{"depth 0 is the seeds", nil, nil, 0, "http://example.com/", 0, true, ""},
		{"depth 0 has no links", nil, nil, 0, "http://example.com/a", 1, false, "scope.depth"},
		{"the last depth counts", nil, nil, 2, "http://example.com/a", 2, false, ""},
		{"beyond the depth", nil, nil, 2, "http://example.com/a", 3, false, "scope.depth"},
		{"a negative depth is no bound", nil, nil, -1, "http://example.com/a", 1 << 30, false, ""},
		{"exclude is not anchored", nil, []string{`\.pdf$`}, -1, "http://example.com/a.pdf", 1, false, "scope.exclude"},
		{"exclude holds for seeds", nil, []string{"example"}, -1, "http://example.com/", 0, true, "scope.exclude"},
		{"exclude wins over include", []string{"/a"}, []string{"/a/b"}, -1, "http://example.com/a/b", 1, false, "scope.exclude"},
		{"one include is enough", []string{"/x", "/a"}, nil, -1, "http://example.com/a", 1, false, ""},
		{"no include matches", []string{"/x", "/y"}, nil, -1, "http://example.com/a", 1, false, "scope.include"},
		{"seeds need no include", []string{"/x"}, nil, -1, "http://example.com/", 0, true, ""},
		{"include does not widen", []string{"elsewhere"}, nil, -1, "http://elsewhere.test/", 1, false, "scope.host"},
		{"a seed is in scope wherever it is", nil, nil, -1, "http://late.test/", 0, true, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := NewScope(ScopeHost, seeds, tc.include, tc.exclude, tc.maxDepth)
			if err != nil {
				t.Fatal(err)
			}
			if got := s.Judge(tc.url, tc.depth, tc.seed); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestScopeErrors(t *testing.T) {
	for _, tc := range []struct {
		name             string
		kind             ScopeKind
		seed, inc, exclu string
		cause            error
	}{
		{"an unknown kind", "site", "http://example.com/", "", "", ErrScope},
		{"no kind", "", "http://example.com/", "", "", ErrScope},
		{"a seed without scheme", ScopeHost, "example.com", "", "", ErrURL},
		{"a seed with credentials", ScopeHost, "http://a:b@example.com", "", "", ErrUserinfo},
		{"a broken include", ScopeHost, "http://example.com/", "(", "", ErrScope},
		{"a broken exclude", ScopeHost, "http://example.com/", "", "(", ErrScope},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := NewScope(tc.kind, []string{tc.seed}, []string{tc.inc}, []string{tc.exclu}, -1)
			if !errors.Is(err, ErrScope) || !errors.Is(err, tc.cause) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestAScopeWithMoreSeedsLeavesTheFirstAsItIs(t *testing.T) {
	for kind, urls := range map[ScopeKind][2]string{
		ScopePage:   {"http://a.test/x", "http://b.test/y"},
		ScopePrefix: {"http://a.test/x/", "http://a.test/y/"},
		ScopeHost:   {"http://a.test/", "http://b.test/"},
		ScopeDomain: {"http://a.test/", "http://b.test/"},
	} {
		first, err := NewScope(kind, urls[:1], nil, nil, -1)
		if err != nil {
			t.Fatal(err)
		}
		wider, err := first.With(urls[1:])
		if err != nil {
			t.Fatal(err)
		}
		if first.Judge(urls[1], 1, false) == "" || wider.Judge(urls[1], 1, false) != "" || wider.Judge(urls[0], 1, false) != "" {
			t.Errorf("%s: first %q, wider %q and %q", kind, first.Judge(urls[1], 1, false), wider.Judge(urls[1], 1, false), wider.Judge(urls[0], 1, false))
		}
		if _, err := wider.With([]string{"no url"}); !errors.Is(err, ErrScope) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}
