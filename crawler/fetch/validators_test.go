package fetch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

func TestValidatorsGoBackWordForWord(t *testing.T) {
	for _, tt := range []struct {
		name string
		v    Validators
		want string
	}{
		{"strong tag", Validators{ETag: `"h1"`}, `map[If-None-Match:["h1"]]`},
		{"weak tag with a proxy's suffix", Validators{ETag: `W/"a1--gzip"`, LastModified: "x"}, `map[If-None-Match:[W/"a1--gzip"]]`},
		{"tag without quotes", Validators{ETag: `abc`}, `map[If-None-Match:[abc]]`},
		{"date only", Validators{LastModified: "Tue, 03 Feb 2026 08:00:00 GMT"}, `map[If-Modified-Since:[Tue, 03 Feb 2026 08:00:00 GMT]]`},
		{"odd date", Validators{LastModified: "yesterday"}, `map[If-Modified-Since:[yesterday]]`},
		{"Date alone is the caller's to use", Validators{Date: "Tue, 03 Feb 2026 08:00:00 GMT"}, `map[]`},
		{"none", Validators{}, `map[]`},
		{"control octet", Validators{ETag: "\"a\nb\""}, `map[]`},
		{"control octet in the tag, good date", Validators{ETag: "\x00", LastModified: "x"}, `map[If-Modified-Since:[x]]`},
		{"too long to send", Validators{ETag: strings.Repeat("a", maxValidatorBytes+1)}, `map[]`},
	} {
		h := http.Header{}
		tt.v.apply(h)
		if got := fmt.Sprint(h); got != tt.want || tt.v.Empty() != (tt.want == "map[]") {
			t.Errorf("%s: got %s, empty %v", tt.name, got, tt.v.Empty())
		}
	}
}

// The sequence of requests 2, 3 and 4 to a server that changes its tag with a
// 304 and then drops it.
func TestATagChangedByA304IsTheNextOneSent(t *testing.T) {
	var seen []string
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("If-None-Match")+"|"+r.Header.Get("If-Modified-Since"))
		switch len(seen) {
		case 1:
			w.Header().Set("ETag", `W/"a1--gzip"`)
			w.Header().Set("Last-Modified", "Tue, 03 Feb 2026 08:00:00 GMT")
		case 2:
			w.Header().Set("ETag", `W/"a2--gzip"`)
			w.WriteHeader(http.StatusNotModified)
		}
	})
	c := newClient(t, nil)
	var stored http.Header
	for range 4 {
		x, _ := get(t, c, Request{URL: url, Validators: ValidatorsOf(stored)})
		if x.Status == http.StatusNotModified {
			stored = Merge304(stored, x.Header)
		} else {
			stored = x.Header
		}
	}
	want := []string{"|", `W/"a1--gzip"|`, `W/"a2--gzip"|`, "|"}
	if fmt.Sprint(seen) != fmt.Sprint(want) {
		t.Errorf("sent %q, want %q", seen, want)
	}
}
