package standards

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNormalPath(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"RFC 9309 2.2.2 an ordinary path is itself", "/foo/bar?baz=quz", "/foo/bar?baz=quz"},
		{"RFC 9309 2.2.2 octets outside ASCII are encoded", "/foo/bar/ツ", "/foo/bar/%E3%83%84"},
		{"RFC 9309 2.2.2 an encoded unreserved letter is decoded", "/foo/bar/%62%61%7A", "/foo/bar/baz"},
		{"RFC 9309 2.2.3 a literal star is encoded", "/path/file-with-a-*.html", "/path/file-with-a-%2A.html"},
		{"RFC 9309 2.2.3 a literal dollar is encoded", "/fee$", "/fee%24"},
		{"hex is in upper case", "/a%2fb%e3", "/a%2Fb%E3"},
		{"an encoded slash stays", "/a%2Fb", "/a%2Fb"},
		{"space and controls are encoded", "/a b\t\x7f", "/a%20b%09%7F"},
		{"a stray percent stays", "/50%", "/50%"},
		{"a broken escape stays", "/%zz/%4", "/%zz/%4"},
		{"a percent sign is not decoded twice", "/%2541", "/%2541"},
		{"one octet of Latin-1 is that octet", "/caf\xe9", "/caf%E9"},
		{"empty", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := normalPath(tt.in); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestUnfold(t *testing.T) {
	tests := []struct {
		name    string
		in      string
		inQuery bool
		want    string
	}{
		{"RFC 9309 2.2.2 an encoded URL in a query", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", false, "/foo/bar?baz=https://foo.bar"},
		{"a path keeps its escapes", "/a%2Fb%3Ac", false, "/a%2Fb%3Ac"},
		{"only what follows the question mark", "/a%2Fb?c%2Fd", false, "/a%2Fb?c/d"},
		{"the structure of a query stays", "/?a=1%26b%3D2%2B3%23", false, "/?a=1%26b%3D2%2B3%23"},
		{"star and dollar stay encoded", "/?a=%2A%24", false, "/?a=%2A%24"},
		{"a part within a query", "c%2Fd", true, "c/d"},
		{"a second question mark", "/?a%3Fb", false, "/?a?b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := unfold(tt.in, tt.inQuery); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// pathText draws texts in which escapes and operators are frequent.
func pathText() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{"a", "b", "/", "?", "%2F", "%2f", "%41", "%7E", "~", "%", "%2A", "$", "*", "é", "\xe9", "%C3%A9",
		" ", "%3A", ":", "&", "=", "%26", "%24", "\x01", "."})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
	})
}

// decoded is what a server sees in the end. Broken escapes stay.
func decoded(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if i+2 < len(s) {
			if d, err := url.PathUnescape(s[i : i+3]); err == nil && s[i] == '%' {
				b.WriteString(d)
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func TestNormalisingKeepsTheMeaningAndSettles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := pathText().Filter(func(s string) bool {
			return !strings.Contains(escapes.ReplaceAllString(s, ""), "%") // a stray one has no meaning to keep
		}).Draw(t, "text")
		n := normalPath(s)
		u := unfold(n, false)
		if decoded(n) != decoded(s) || decoded(u) != decoded(s) {
			t.Fatalf("%q means %q, its forms %q and %q mean %q and %q", s, decoded(s), n, u, decoded(n), decoded(u))
		}
		if again := normalPath(n); again != n {
			t.Fatalf("%q becomes %q, then %q", s, n, again)
		}
	})
}

var escapes = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)

func TestNormalFormsHoldGraphicOctetsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(pathText(), rapid.String()).Draw(t, "text")
		for _, c := range []byte(normalPath(s)) {
			if c <= ' ' || c >= 0x7f || c == '*' || c == '$' {
				t.Fatalf("the form of %q has octet %#x", s, c)
			}
		}
	})
}

// naive matches by a regular expression: another way to the same answer.
func naive(value, path string) bool {
	spell := func(s string, unfolded bool, inQuery bool) string {
		s = normalPath(s)
		if unfolded {
			s = unfold(s, inQuery)
		}
		return s
	}
	for _, unfolded := range []bool{false, true} {
		body, anchored := strings.CutSuffix(value, "$")
		expression, inQuery := `(?s)^`, false
		for i, part := range strings.Split(body, "*") {
			if i > 0 {
				expression += `.*`
			}
			expression += regexp.QuoteMeta(spell(part, unfolded, inQuery))
			inQuery = inQuery || strings.Contains(part, "?")
		}
		if anchored {
			expression += `$`
		}
		if regexp.MustCompile(expression).MatchString(spell(path, unfolded, false)) {
			return true
		}
	}
	return false
}

func TestMatchingAgreesWithRegularExpressions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.SampledFrom([]string{"/", "*"}).Draw(t, "start") + pathText().Draw(t, "value")
		path := "/" + pathText().Draw(t, "path")
		if rapid.Bool().Draw(t, "related") {
			path = strings.NewReplacer("*", "ab", "$", "").Replace(value) + path
		}
		p, ok := compilePattern(value)
		if !ok {
			t.Fatalf("%q does not compile", value)
		}
		if got, want := p.fits(newTarget(path)), naive(value, path); got != want {
			t.Fatalf("%q on %q: %v, want %v", value, path, got, want)
		}
	})
}

func TestPatternsThatFitNoPathAreDropped(t *testing.T) {
	for _, value := range []string{"", "$", "foo", "https://shop.test/x", "%2Fa", "\xa0/a"} {
		if _, ok := compilePattern(value); ok {
			t.Errorf("%q compiles", value)
		}
	}
}

func TestLengthOfAPatternCountsOctetsOfTheNormalForm(t *testing.T) {
	for value, want := range map[string]int{"/": 1, "/a": 2, "/a$": 3, "/a*": 3, "/a*$": 4, "/***": 4, "/é": 7, "/%C3%A9": 7, "/%41": 2, "/a$b": 6, "/a%24b": 6} {
		p, ok := compilePattern(value)
		if !ok || p.octets != want {
			t.Errorf("%q has %d octets, want %d", value, p.octets, want)
		}
	}
}

func FuzzPattern(f *testing.F) {
	for _, seed := range [][2]string{{"/*.pdf$", "/a.pdf"}, {"/a*b*c", "/abc"}, {"*?u=http%3A", "/x?u=http:"}, {"/a%2", "/a%2"}, {"/$", "/"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, value, path string) {
		if len(value) > 500 || len(path) > 500 {
			return
		}
		p, ok := compilePattern(value)
		if !ok {
			return
		}
		if got, want := p.fits(newTarget(path)), naive(value, path); got != want {
			t.Errorf("%q on %q: %v, want %v", value, path, got, want)
		}
	})
}
