package feed_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/crawler/feed"
)

// dated reads a page with a lastmod.
func dated(lastmod string) reading {
	return read(fmt.Appendf(nil, "<urlset><url><loc>https://shop.test/</loc><lastmod>%s</lastmod></url></urlset>", lastmod), "", feed.Options{})
}

func TestLastModForms(t *testing.T) {
	const day, west = 24 * time.Hour, 12 * time.Hour
	for _, c := range []struct {
		name, lastmod, at string
		span              time.Duration
	}{
		{"W3C: a year", "2024", "2024-01-01T00:00:00Z", 366*day + west},
		{"W3C: a month", "2026-02", "2026-02-01T00:00:00Z", 28*day + west},
		{"W3C: a day", "2026-11-27", "2026-11-27T00:00:00Z", day + west},
		{"W3C: minutes", "2026-11-27T10:00+01:00", "2026-11-27T09:00:00Z", time.Minute},
		{"W3C: seconds", "2026-11-27T10:00:30Z", "2026-11-27T10:00:30Z", time.Second},
		{"W3C: a fraction", "2026-11-27T10:00:30.45-05:00", "2026-11-27T15:00:30Z", time.Second},
		{"29 February of a leap year", "2024-02-29", "2024-02-29T00:00:00Z", day + west},
		{"no leading zeros", "2026-1-2", "2026-01-02T00:00:00Z", day + west},
		{"a space for the T", "2026-11-27 10:00:30", "2026-11-27T10:00:30Z", time.Second + west},
		{"a space before the offset", "2026-11-27 10:00:30 +0100", "2026-11-27T09:00:30Z", time.Second},
		{"UTC by name", "2026-11-27 10:00:30 UTC", "2026-11-27T10:00:30Z", time.Second},
		{"small letters", "2026-11-27t10:00z", "2026-11-27T10:00:00Z", time.Minute},
		{"an offset of hours", "2026-11-27T10:00+01", "2026-11-27T09:00:00Z", time.Minute},
		{"the end of a day", "2026-11-27T24:00:00Z", "2026-11-28T00:00:00Z", time.Second},
		{"a leap second", "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", time.Second},
		{"RFC 822: all of it", "Fri, 27 Nov 2026 10:00:30 +0100", "2026-11-27T09:00:30Z", time.Second},
		{"RFC 822: least of it", "7 Nov 26 10:00 EST", "2026-11-07T15:00:00Z", time.Minute},
		{"RFC 822: eastern summer", "7 Jul 2026 10:00 edt", "2026-07-07T14:00:00Z", time.Minute},
		{"RFC 822: central winter", "7 Nov 2026 10:00 CST", "2026-11-07T16:00:00Z", time.Minute},
		{"RFC 822: central summer", "7 Jul 2026 10:00 CDT", "2026-07-07T15:00:00Z", time.Minute},
		{"RFC 822: mountain winter", "7 Nov 2026 10:00 MST", "2026-11-07T17:00:00Z", time.Minute},
		{"RFC 822: mountain summer", "7 Jul 2026 10:00 MDT", "2026-07-07T16:00:00Z", time.Minute},
		{"RFC 822: pacific winter", "7 Nov 2026 10:00 PST", "2026-11-07T18:00:00Z", time.Minute},
		{"RFC 822: pacific summer", "7 Jul 2026 10:00 PDT", "2026-07-07T17:00:00Z", time.Minute},
		{"RFC 822: a year of the last century", "7 Nov 97 10:00 GMT", "1997-11-07T10:00:00Z", time.Minute},
		{"RFC 822: no zone", "27 Nov 2026 10:00:30", "2026-11-27T10:00:30Z", time.Second + west},
		{"RFC 822: no time", "Friday, 27 November 2026", "2026-11-27T00:00:00Z", day + west},
		{"RFC 850", "Friday, 27-Nov-26 10:00:30 GMT", "2026-11-27T10:00:30Z", time.Second},
		{"an offset behind GMT", "Fri, 27 Nov 2026 10:00:30 GMT+0100", "2026-11-27T09:00:30Z", time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := dated(c.lastmod)
			if len(got.Findings) > 0 || len(got.entries) != 1 {
				t.Fatal(got)
			}
			e := got.entries[0]
			if at := e.LastMod.Format(time.RFC3339); at != c.at || e.LastModSpan != c.span {
				t.Errorf("%s and %s, want %s and %s", at, e.LastModSpan, c.at, c.span)
			}
		})
	}
}

func TestADateInNoKnownFormIsAFindingAndNoDate(t *testing.T) {
	for _, lastmod := range []string{
		"now", "0000-00-00", "0000-01-01", "2026-13-01", "2026-02-29", "2026-11-31", "2026-00-10", "2026-11-27T", "2026-11-27T10",
		"2026-11-27T10:0", "2026-11-27T25:00Z", "2026-11-27T24:00:01Z", "2026-11-27T10:60Z", "2026-11-27T10:00:61Z",
		"2026-", "2026-11-27T10:00:3Z", "2026-11-27T10:00+010", "27 Nov 2026 10:00 +", "2026-11-27T10:00:30.Z", "2026-11-27T10:00:30+1", "2026-11-27T10:00:30+25:00", "2026-11-27T10:00:30Zulu",
		"2026-11-27x", "2026-11-27T10:00Z and more", "2026/11/27", "20261127", "27.11.2026", "12026-11-27", "-2026", "{{ date }}",
		"27 Foo 2026", "27 No 2026", "32 Nov 2026", "27 Nov 202", "27 Nov 2026 10", "27 Nov 2026 10:00 XYZ", "Fri", "27", "Fri, 27 Nov 2026 10:00:00 GMT more",
	} {
		t.Run(lastmod, func(t *testing.T) {
			got := dated(lastmod)
			if got.found(feed.CodeDate) != 1 || len(got.entries) != 1 || !got.entries[0].LastMod.IsZero() || got.entries[0].LastModSpan != 0 {
				t.Error(got)
			}
		})
	}
}

func TestEveryTimestampIsReadAsItWasWritten(t *testing.T) {
	zones := []*time.Location{time.UTC, time.FixedZone("", 5*3600+1800), time.FixedZone("", -11*3600)}
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(-60_000_000_000, 250_000_000_000).Draw(t, "seconds"), 0).
			In(rapid.SampledFrom(zones).Draw(t, "zone"))
		layout := rapid.SampledFrom([]string{time.RFC3339, time.RFC1123Z, "2006-01-02 15:04:05-0700", "2 January 2006 15:04:05 -07:00"}).Draw(t, "layout")
		got := dated(at.Format(layout))
		if len(got.entries) != 1 || !got.entries[0].LastMod.Equal(at) {
			t.Fatalf("%s: %v", at.Format(layout), got)
		}
	})
}

func TestIncremental(t *testing.T) {
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	for _, c := range []struct {
		name, lastmod, prev string
		want                bool
	}{
		{"changed since", "2026-11-27T10:00:00Z", "2026-11-27T09:59:59Z", true},
		{"not changed since", "2026-11-27T10:00:00Z", "2026-11-27T10:00:01Z", false},
		{"changed in the second of the last fetch", "2026-11-27T10:00:00Z", "2026-11-27T10:00:00Z", true},
		{"a day covers its evening in the far west", "2026-11-27", "2026-11-28T11:59:59Z", true},
		{"a day is over everywhere", "2026-11-27", "2026-11-28T12:00:00Z", false},
		{"a month covers its end", "2026-11", "2026-11-30T10:00:00Z", true},
		{"no statement is no promise", "", "2026-11-27T10:00:00Z", true},
		{"a broken statement is none", "soon", "2026-11-27T10:00:00Z", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := feed.Incremental(at(c.prev), dated(c.lastmod).entries[0]); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
	t.Run("never seen before", func(t *testing.T) {
		if !feed.Incremental(time.Time{}, dated("2001-01-01").entries[0]) {
			t.Error("it is not due")
		}
	})
}
