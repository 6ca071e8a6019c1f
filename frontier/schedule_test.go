package frontier

import (
	"net/http"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const day = 24 * time.Hour

var daily = Schedule{First: day, Min: time.Hour, Max: 30 * day, Gone: 60 * day}

func TestDue(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	modified := func(ago time.Duration) string { return at.Add(-ago).Format(http.TimeFormat) }
	for _, row := range []struct {
		name  string
		state State
		page  Page
		want  time.Duration // after at; 0 is never
	}{
		{"what is queued is not due again", Ready, Page{FetchedAt: at, Checks: 1}, 0},
		{"what was never asked for is not due again", Fetched, Page{}, 0},
		{"the first answer", Fetched, Page{FetchedAt: at, Checks: 1}, day},
		{"a confirmation makes it longer", NotModified, Page{FetchedAt: at, Checks: 2}, 3 * day},
		{"many confirmations, up to the longest", NotModified, Page{FetchedAt: at, Checks: 100}, 30 * day},
		{"a change makes it shorter", Fetched, Page{FetchedAt: at, Checks: 2, Changes: 1}, 8 * time.Hour},
		{"one change in two checks holds it", Fetched, Page{FetchedAt: at, Checks: 3, Changes: 1}, day},
		{"a change at every check, down to the shortest", Fetched, Page{FetchedAt: at, Checks: 100, Changes: 99}, time.Hour},
		{"more changes than checks count as all", Fetched, Page{FetchedAt: at, Checks: 2, Changes: 9}, 8 * time.Hour},
		{"RFC 9111 4.2.1 explicit freshness holds", Fetched, Page{FetchedAt: at, Checks: 1, FreshUntil: at.Add(5 * day)}, 5 * day},
		{"explicit freshness that ends early changes nothing", Fetched, Page{FetchedAt: at, Checks: 1, FreshUntil: at.Add(time.Minute)}, day},
		{"explicit freshness has its bound", Fetched, Page{FetchedAt: at, Checks: 1, FreshUntil: at.Add(3650 * day)}, 30 * day},
		{"RFC 9111 4.2.2 heuristic freshness", Fetched, Page{FetchedAt: at, Checks: 1, LastModified: modified(50 * day)}, 5 * day},
		{"changed a moment ago", Fetched, Page{FetchedAt: at, Checks: 1, LastModified: modified(time.Minute)}, time.Hour},
		{"untouched for years", Fetched, Page{FetchedAt: at, Checks: 1, LastModified: modified(5000 * day)}, 30 * day},
		{"a date from the future says nothing", Fetched, Page{FetchedAt: at, Checks: 1, LastModified: modified(-day)}, day},
		{"gone once", Gone, Page{FetchedAt: at, Checks: 1, Status: 404}, day},
		{"gone twice", Gone, Page{FetchedAt: at, Checks: 2, Status: 404}, 60 * day},
		{"moved for good", Redirected, Page{FetchedAt: at, Status: 308}, 60 * day},
		{"moved for now", Redirected, Page{FetchedAt: at, Status: 302}, day},
		{"refused", Refused, Page{FetchedAt: at}, day},
		{"failed", Failed, Page{FetchedAt: at, Status: 500}, day},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := daily.Due(row.state, row.page)
			if row.want == 0 && !got.IsZero() || row.want > 0 && !got.Equal(at.Add(row.want)) {
				t.Errorf("due after %v, want %v", got.Sub(at), row.want)
			}
		})
	}
}

func TestTheIntervalStaysWithinItsBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "at"), 0)
		p := Page{FetchedAt: at, Checks: rapid.Uint32().Draw(t, "checks"), Changes: rapid.Uint32().Draw(t, "changes"),
			FreshUntil: at.Add(time.Duration(rapid.Int64().Draw(t, "fresh")))}
		if due := daily.Due(Fetched, p).Sub(at); due < daily.Min || due > daily.Max {
			t.Fatalf("due after %v", due)
		}
		more := p
		more.Changes, p.Changes = max(p.Changes, more.Changes), min(p.Changes, p.Changes/2)
		if daily.Due(Fetched, more).After(daily.Due(Fetched, p)) {
			t.Fatal("more changes made the interval longer")
		}
	})
}
