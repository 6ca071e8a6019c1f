package frontier

import (
	"strings"
	"testing"
)

func TestTrap(t *testing.T) {
	for _, tc := range []struct{ name, path, want string }{
		{"the root", "/", ""},
		{"an ordinary path", "/a/b/c/d.html", ""},
		{"three times the same", "/a/a/a/b", ""},
		{"four times the same in a row", "/a/a/a/a", "scope.trap"},
		{"four times the same with a slash at the end", "/a/a/a/a/", "scope.trap"},
		{"four times the same, scattered", "/a/b/a/c/a/d/a/e", "scope.trap"},
		{"two directories in turn", "/en/shop/en/shop/en/shop/en/shop/x", "scope.trap"},
		{"names that begin alike", "/a/ab/abc/abcd/a", ""},
		{"the query does not count", "/a?/a/a/a/a", ""},
		{"three empty segments", "//" + "//x", ""},
		{"four empty segments", "/////x", "scope.trap"},
		{"forty segments", distinctSegments(40), ""},
		{"forty-one segments", distinctSegments(41), "scope.trap"},
		{"forty segments and a slash at the end", distinctSegments(40) + "/", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := Trap("http://example.com"+tc.path, DefaultRepeat); got != tc.want {
				t.Errorf("Trap(%q, DefaultRepeat) = %q, want %q", tc.path, got, tc.want)
			}
		})
	}
	for _, raw := range []string{"", "http://example.com", "a/a/a"} {
		if got := Trap(raw, DefaultRepeat); got != "" {
			t.Errorf("Trap(%q, DefaultRepeat) = %q", raw, got)
		}
	}
	if n := testing.AllocsPerRun(100, func() { Trap("http://example.com/a/b/a/c/a/d?x", DefaultRepeat) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func distinctSegments(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteByte('/')
		b.WriteString(strings.Repeat("s", i+1))
	}
	return b.String()
}
