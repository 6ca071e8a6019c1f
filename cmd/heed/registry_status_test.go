package main_test

import (
	"net/http"
	"regexp"
	"testing"

	"heed/cmd/heed/app"
)

// broken is a site that is open and whose registry does not answer.
type broken struct{ signalSite }

func (b broken) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Host == "registry.test" {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	b.signalSite.ServeHTTP(w, r)
}

// A registry that does not answer holds up no page that needs no grant, and the end
// of the crawl says so.
func TestASummaryTellsHowRegistriesFare(t *testing.T) {
	site := signalSite{name: "fares", card: `"consent":{"retrieve":true}`, pages: map[string]string{"/": "home"}}
	for name, row := range map[string]struct {
		server http.Handler
		cards  int
		says   string
	}{
		"one that answers": {site, 1, `registry https://registry\.test: 1 domains listed, 1 cards held\n`},
		"one that is down": {broken{site}, 0, `registry https://registry\.test: 0 domains listed, 0 cards held; no answer since .* \(.*503`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFarm(t, row.server)
			environ := append(f.environ(t.TempDir()), "HEED_PURPOSE=index", "HEED_CONTEXT=off", "HEED_REGISTRY=https://registry.test")
			var sum app.Summary
			start(t, environ, "crawl", "https://fares.test/", "--json").expect(t, 0).json(t, &sum)
			if len(sum.Registries) != 1 {
				t.Fatalf("%d registries", len(sum.Registries))
			}
			r := sum.Registries[0]
			if down := row.cards == 0; r.Cards != row.cards || r.Requests == 0 || r.UnavailableSince.IsZero() == down || (r.Problem == "") == down {
				t.Errorf("%+v", r)
			}
			if out := start(t, environ, "crawl").expect(t, 0).out.String(); !regexp.MustCompile(row.says).MatchString(out) {
				t.Errorf("%s, want %s", out, row.says)
			}
		})
	}
}
