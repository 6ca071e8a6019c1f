package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/crawler"
	"heed/crawler/fetch"
	"heed/politeness"
	"heed/politeness/standards"
	"heed/registry/card"
)

// versions is the history of a document as "status first..last", with the digest
// left out, times in minutes since the first one.
func (j *job) versions(url string, since time.Time) string {
	j.world.t.Helper()
	list, err := j.PolicyHistory(j.world.t.Context(), url)
	if err != nil {
		j.world.t.Fatal(err)
	}
	minutes := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return fmt.Sprint(int(at.Sub(since).Round(time.Minute).Minutes()))
	}
	var parts []string
	for _, v := range list {
		if (len(v.SHA256) == 64) != (v.Status == 200) {
			j.world.t.Errorf("digest %q of status %d", v.SHA256, v.Status)
		}
		parts = append(parts, fmt.Sprintf("%d %s..%s", v.Status, minutes(v.First), minutes(v.Last)))
	}
	return strings.Join(parts, ", ")
}

func TestADocumentThatChangesIsFoundByItsHistory(t *testing.T) {
	fresh := "Cache-Control: max-age=60"
	shut, open := text("User-agent: *\nDisallow: /x\n", fresh), text("User-agent: *\nDisallow:\n", fresh)
	for _, tt := range []struct {
		name    string
		answers []reply // one every hour
		want    string
	}{
		{"a document that stays has none", []reply{open, open, status(304)}, ""},
		{"two versions", []reply{open, shut}, "200 ..0, 200 60.."},
		{"the old one was confirmed before it went", []reply{open, open, shut}, "200 ..60, 200 120.."},
		{"back to what it was", []reply{open, shut, open}, "200 ..0, 200 60..60, 200 120.."},
		{"it goes and comes back", []reply{open, status(404, fresh), open}, "200 ..0, 404 60..60, 200 120.."},
		{"an error page that varies is one answer", []reply{text("a", fresh), answer(404, "b", fresh), answer(404, "c", fresh)}, "200 ..0, 404 60.."},
		{"a document that cannot be read has not changed", []reply{open, status(503), open}, ""},
		{"it changes behind a redirect", []reply{open, redirect(302, "/r"), redirect(302, "/r")}, "200 ..0, 200 60.."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			w.on(shop+"/robots.txt", turns(tt.answers...)).on(shop+"/r", shut)
			j := w.open(brisk)
			began := w.time.now()
			for range tt.answers {
				if _, err := j.Check(t.Context(), shop+"/a", crawler.Demand{}); err != nil {
					t.Fatal(err)
				}
				w.time.advance(time.Hour)
			}
			if got := j.versions(shop+"/robots.txt", began); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheHistoryOfADocumentIsBoundedAndKeepsTheNewest(t *testing.T) {
	w := newWorld(t)
	var answers []reply
	for i := range 40 {
		answers = append(answers, text(fmt.Sprintf("# %d\n", i), "Cache-Control: max-age=60"))
	}
	w.on(shop+"/robots.txt", turns(answers...))
	j := w.open(brisk)
	var last politeness.Decision
	for range answers {
		var err error
		if last, err = j.Check(t.Context(), shop+"/a", crawler.Demand{}); err != nil {
			t.Fatal(err)
		}
		w.time.advance(time.Hour)
	}
	list, err := j.PolicyHistory(t.Context(), shop+"/robots.txt")
	if err != nil || len(list) != 32 {
		t.Fatalf("%d versions, %v", len(list), err)
	}
	var digest string
	for _, o := range last.Opinions {
		if o.Doc != nil && o.Doc.URL == shop+"/robots.txt" {
			digest = o.Doc.SHA256
		}
	}
	if newest := list[31]; newest.SHA256 != digest || digest == "" || !newest.Last.IsZero() {
		t.Errorf("%+v, the decision rests on %q", newest, digest)
	}
}

func TestAHistoryThatCannotBeReadIsAnError(t *testing.T) {
	if _, err := crawler.DecodePolicyHistory([]byte(`{"sha256":`)); !errors.Is(err, crawler.ErrPolicyHistory) {
		t.Error(err)
	}
}

// shelf holds one card that a test replaces.
type shelf struct{ held card.Held }

func (s *shelf) Lookup(domain string) []card.Held {
	if domain != "shop.test" {
		return nil
	}
	return []card.Held{s.held}
}

// cardOf is a fresh card of shop.test.
func cardOf(t *testing.T, now time.Time, consent string) card.Held {
	t.Helper()
	text := fmt.Sprintf(`{"botcentral":"1.1","domain":"shop.test","canonical":"https://shop.test","allow_bots":true,"verification":{"method":"dns-txt","checked":%q},"consent":%s}`,
		now.UTC().Format(time.RFC3339), consent)
	c, err := card.Parse("shop.test", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	held := c.Hold([]string{"heed"})
	held.Registry, held.URL, held.FetchedAt = "https://registry.test", "https://registry.test/v1/site/shop.test", now
	return held
}

// afterEach tells of every exchange that has ended.
type afterEach struct {
	crawler.Fetcher
	tell func(url string)
}

func (f afterEach) Do(ctx context.Context, r fetch.Request) (*fetch.Exchange, error) {
	defer f.tell(r.URL)
	return f.Fetcher.Do(ctx, r)
}

// What a site changes counts from the next claim on: what is queued is judged
// again, what is on its way ends, and the decisions of before name the document
// of before.
func TestAP138BCC008AChangedPolicyIsObeyedAtTheNextClaim(t *testing.T) {
	const half = 6 * time.Minute // longer than the shortest freshness of a document (AP-137)
	pages := []string{"/a", "/b", "/c", "/d"}
	for name, change := range map[string]struct {
		reason string
		first  func(*world)
		then   func(*world)
	}{
		"robots.txt": {"robots.disallow", func(*world) {},
			func(w *world) { w.on(shop+"/robots.txt", text("User-agent: *\nDisallow: /\n")) }},
		"automation-preferences.txt": {"automation.method", func(w *world) {
			w.on(shop+"/automation-preferences.txt", text("AllowedMethods: GET\n", "Cache-Control: max-age=0"))
		},
			func(w *world) { w.on(shop+"/automation-preferences.txt", text("DisallowedMethods: GET, HEAD\n")) }},
		"a card": {"card.retrieve-false", func(*world) {}, func(*world) {}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.on(shop+"/robots.txt", text("User-agent: *\nDisallow:\n", "Cache-Control: max-age=60")).on(shop+"/", links(pages...)).on(shop+" *", html("page"))
			change.first(w)
			held := &shelf{cardOf(t, w.time.now(), `{"retrieve":true}`)}
			var j *job
			served := 0
			j = w.open(func(s *setup) {
				s.seeds, s.every, s.Patience = []string{shop + "/"}, true, time.Hour
				s.signals.Card = standards.Card(held, standards.CardOptions{Registrable: func(host string) string { return host }})
				s.pace.Delay = half
				s.fetcher = func(f crawler.Fetcher) crawler.Fetcher {
					return afterEach{f, func(url string) {
						if slices.Contains(pages, strings.TrimPrefix(url, shop)) {
							if served++; served == 2 {
								change.then(w)
								if name == "a card" {
									held.held = cardOf(t, w.time.now(), `{"retrieve":false}`)
								}
							}
						}
					}}
				}
			})
			j.run()
			fetched, refused := 0, 0
			for _, p := range pages {
				switch j.story(shop + p) {
				case "fetched":
					fetched++
				case "refused " + change.reason:
					refused++
				default:
					t.Errorf("%s: %s", p, j.story(shop+p))
				}
			}
			if fetched != 2 || refused != 2 || served != 2 {
				t.Errorf("%d fetched, %d refused, %d served", fetched, refused, served)
			}
		})
	}
}
