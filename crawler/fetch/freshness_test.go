package fetch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var testDate = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// fields reads "Name: value" lines into a header.
func fields(text string) http.Header {
	h := http.Header{}
	for line := range strings.SplitSeq(text, "\n") {
		if name, value, ok := strings.Cut(line, ": "); ok {
			h.Add(name, value)
		}
	}
	return h
}

func TestFreshness(t *testing.T) {
	const date = "Date: Mon, 30 Nov 2026 12:00:00 GMT\n"
	for _, tt := range []struct {
		name, head string
		status     int
		want       string // lifetime age flags
	}{
		{"RFC 9111 4.2.1 max-age", date + "Cache-Control: max-age=60", 200, "1m0s 0s explicit"},
		{"RFC 9111 4.2.1 s-maxage does not concern a private cache", date + "Cache-Control: s-maxage=600, max-age=60", 200, "1m0s 0s explicit"},
		{"RFC 9111 4.2.1 max-age beats Expires", date + "Cache-Control: max-age=60\nExpires: Mon, 30 Nov 2026 18:00:00 GMT", 200, "1m0s 0s explicit"},
		{"RFC 9111 4.2.1 Expires minus Date", date + "Expires: Mon, 30 Nov 2026 13:00:00 GMT", 200, "1h0m0s 0s explicit"},
		{"RFC 9111 5.3 Expires 0 is in the past", date + "Expires: 0", 200, "0s 0s explicit"},
		{"RFC 9111 5.3 an invalid Expires is in the past", date + "Expires: tomorrow\nLast-Modified: Mon, 30 Nov 2026 02:00:00 GMT", 200, "0s 0s explicit"},
		{"RFC 9111 5.3 Expires before Date", date + "Expires: Mon, 30 Nov 2026 11:00:00 GMT", 200, "0s 0s explicit"},
		{"RFC 9111 4.2.1 two Expires are stale", date + "Expires: Mon, 30 Nov 2026 13:00:00 GMT\nExpires: Mon, 30 Nov 2026 14:00:00 GMT", 200, "0s 0s explicit"},
		{"RFC 9111 4.2.1 of two max-age the smaller", date + "Cache-Control: max-age=60\nCache-Control: max-age=30", 200, "30s 0s explicit"},
		{"RFC 9111 4.2.1 a max-age that is no number is stale", date + "Cache-Control: max-age=abc", 200, "0s 0s explicit"},
		{"RFC 9111 4.2.1 a negative max-age is stale", date + "Cache-Control: max-age=-60", 200, "0s 0s explicit"},
		{"RFC 9111 4.2.1 a max-age without a value is stale", date + "Cache-Control: max-age", 200, "0s 0s explicit"},
		{"RFC 9111 1.2.2 a huge max-age is 2^31 seconds", date + "Cache-Control: max-age=99999999999999999999", 200, "596523h14m8s 0s explicit"},
		{"RFC 9111 5.2 a quoted max-age", date + `Cache-Control: max-age="60"`, 200, "1m0s 0s explicit"},
		{"RFC 9111 5.2 names are case-insensitive", date + "Cache-Control: Max-Age=60, NO-CACHE", 200, "1m0s 0s no-cache explicit"},
		{"RFC 9111 5.2 a comma in a quoted string separates nothing", date + `Cache-Control: x="max-age=1, no-store", max-age=60`, 200, "1m0s 0s explicit"},
		{"RFC 9111 5.2 an escaped quote ends nothing", date + `Cache-Control: x="\", no-store", max-age=60`, 200, "1m0s 0s explicit"},
		{"RFC 9111 5.2.2.5 no-store", date + "Cache-Control: no-store", 200, "0s 0s no-store"},
		{"RFC 9111 5.2.2.4 no-cache with field names counts for all", date + `Cache-Control: no-cache="Set-Cookie", max-age=60`, 200, "1m0s 0s no-cache explicit"},
		{"RFC 9111 5.2.2.2 must-revalidate", date + "Cache-Control: max-age=60, must-revalidate", 200, "1m0s 0s must-revalidate explicit"},
		{"RFC 9111 4.2.2 a tenth of the time since the last change", date + "Last-Modified: Mon, 30 Nov 2026 02:00:00 GMT", 200, "1h0m0s 0s heuristic"},
		{"RFC 9111 4.2.2 at most 24 h", date + "Last-Modified: Mon, 30 Nov 2020 02:00:00 GMT", 200, "24h0m0s 0s heuristic"},
		{"RFC 9111 4.2.2 a change in the future says nothing", date + "Last-Modified: Mon, 30 Nov 2026 13:00:00 GMT", 200, "0s 0s"},
		{"RFC 9111 4.2.2 404 may be guessed", date + "Last-Modified: Mon, 30 Nov 2026 02:00:00 GMT", 404, "1h0m0s 0s heuristic"},
		{"RFC 9111 4.2.2 301 may be guessed", date + "Last-Modified: Mon, 30 Nov 2026 02:00:00 GMT", 301, "1h0m0s 0s heuristic"},
		{"RFC 9111 4.2.2 302 may not", date + "Last-Modified: Mon, 30 Nov 2026 02:00:00 GMT", 302, "0s 0s"},
		{"RFC 9111 4.2.2 302 may if public", date + "Cache-Control: public\nLast-Modified: Mon, 30 Nov 2026 02:00:00 GMT", 302, "1h0m0s 0s heuristic"},
		{"RFC 9111 4.2.1 302 with an explicit lifetime", date + "Cache-Control: max-age=5", 302, "5s 0s explicit"},
		{"RFC 9111 4.2.3 Age counts", date + "Cache-Control: max-age=60\nAge: 50", 200, "1m0s 50s explicit"},
		{"RFC 9111 5.1 the first of several ages", date + "Age: 50, 60", 200, "0s 50s"},
		{"RFC 9111 5.1 an invalid Age is ignored", date + "Age: -5", 200, "0s 0s"},
		{"RFC 9111 4.2.3 a Date in the past is an age", "Date: Mon, 30 Nov 2026 11:59:00 GMT", 200, "0s 1m0s"},
		{"RFC 9111 4.2.3 a Date in the future is no negative age", "Date: Mon, 30 Nov 2026 13:00:00 GMT", 200, "0s 0s"},
		{"RFC 9110 6.6.1 without Date the time of receipt", "Expires: Mon, 30 Nov 2026 13:00:00 GMT", 200, "1h0m0s 0s explicit"},
		{"nothing said", "", 200, "0s 0s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := ParseFreshness(fields(tt.head), tt.status, testDate, testDate)
			got := fmt.Sprint(f.Lifetime, " ", f.Age)
			for _, flag := range []struct {
				name string
				on   bool
			}{{"no-store", f.NoStore}, {"no-cache", f.NoCache}, {"must-revalidate", f.MustRevalidate}, {"explicit", f.Explicit}, {"heuristic", f.Heuristic}} {
				if flag.on {
					got += " " + flag.name
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAgeIncludesTheTimeOnTheWay(t *testing.T) {
	h := fields("Date: Mon, 30 Nov 2026 12:00:00 GMT\nAge: 10\nCache-Control: max-age=60")
	f := ParseFreshness(h, 200, testDate, testDate.Add(5*time.Second))
	if f.Age != 15*time.Second {
		t.Errorf("age %v, want 15s", f.Age)
	}
	response := testDate.Add(5 * time.Second)
	if until := f.FreshUntil(response); !until.Equal(testDate.Add(50 * time.Second)) {
		t.Errorf("fresh until %v", until)
	}
	if !f.Fresh(response, testDate.Add(49*time.Second)) || f.Fresh(response, testDate.Add(50*time.Second)) {
		t.Error("the edge of freshness is wrong")
	}
}

func TestNoCacheAndNoStoreAreNeverFresh(t *testing.T) {
	for _, v := range []string{"no-cache, max-age=60", "no-store, max-age=60"} {
		f := ParseFreshness(http.Header{"Cache-Control": {v}}, 200, testDate, testDate)
		if f.Fresh(testDate, testDate) || f.FreshUntil(testDate).After(testDate) {
			t.Errorf("%s is fresh", v)
		}
	}
}

func TestMerge304(t *testing.T) {
	stored := fields("Content-Type: text/html\nContent-Encoding: gzip\nContent-Length: 10\nEtag: W/\"a1--gzip\"\nX-Old: kept\nAge: 50\nCache-Control: max-age=1")
	fresh := fields("Content-Type: text/plain\nContent-Encoding: br\nContent-Length: 0\nContent-Range: bytes 0-1/2\nEtag: W/\"a2--gzip\"\n" +
		"Cache-Control: max-age=60\nCache-Control: public\nConnection: close, X-Hop\nX-Hop: 1\nTransfer-Encoding: chunked\nX-New: 1")
	before := fmt.Sprint(stored, fresh)
	got := Merge304(stored, fresh)
	want := fields("Content-Type: text/html\nContent-Encoding: gzip\nContent-Length: 10\nEtag: W/\"a2--gzip\"\nX-Old: kept\nCache-Control: max-age=60\nCache-Control: public\nX-New: 1")
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	got.Set("X-New", "2")
	got["Cache-Control"][0] = "x"
	if fmt.Sprint(stored, fresh) != before {
		t.Error("an argument was changed")
	}
	if got := Merge304(nil, fields("Etag: a\nAge: 3")); got.Get("Etag") != "a" || got.Get("Age") != "3" {
		t.Errorf("into nothing: %v", got)
	}
}

func TestMoreCacheControlNeverLengthensALife(t *testing.T) {
	directive := rapid.SampledFrom([]string{"max-age=60", "max-age=5", "max-age=x", "no-cache", "no-store", "must-revalidate", "private", "s-maxage=9", `x="a,b"`, "", "immutable"})
	rapid.Check(t, func(rt *rapid.T) {
		some := append(rapid.SliceOfN(directive, 0, 4).Draw(rt, "some"), "max-age=100")
		more := append(rapid.SliceOfN(directive, 0, 4).Draw(rt, "more"), some...)
		a := ParseFreshness(http.Header{"Cache-Control": {strings.Join(some, ", ")}}, 200, testDate, testDate)
		b := ParseFreshness(http.Header{"Cache-Control": more}, 200, testDate, testDate)
		if b.FreshUntil(testDate).After(a.FreshUntil(testDate)) {
			rt.Fatalf("%q lives longer than %q", more, some)
		}
	})
}

func FuzzCacheControl(f *testing.F) {
	for _, s := range []string{"max-age=60", `no-cache="a,b", max-age="5"`, `x="\"`, ",,=,", `="`, "max-age=99999999999999999999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := parseCacheControl([]string{s})
		if d.maxAge < 0 || d.maxAge > maxDeltaSeconds || d.maxAge != 0 && !d.hasMaxAge {
			t.Fatalf("%q gives %+v", s, d)
		}
		if low := strings.ToLower(s); d.noStore && !strings.Contains(low, "no-store") || d.hasMaxAge && !strings.Contains(low, "max-age") {
			t.Fatalf("%q gives %+v", s, d)
		}
	})
}
