package mirror

import (
	"bytes"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestBCC936TheRobotsOfARegistryStopsNothingButIsTold(t *testing.T) {
	const told = "robots.txt of the registry forbids"
	for _, tt := range []struct {
		name   string
		answer func(Request) (Answer, error)
		warns  int
	}{
		{"BC-C-936 the interface is disallowed", body("User-agent: *\nDisallow: /v1/\n"), 1},
		{"BC-C-936 something else is", body("User-agent: *\nDisallow: /admin/\n"), 0},
		{"BC-C-936 there is none", status(404), 0},
		{"BC-C-936 it fails", status(500), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeRegistry("shop.test", "other.test")
				f.override(pathRobots, tt.answer)
				var log bytes.Buffer
				notes := newMemory()
				look := func(o *Options) {
					o.Log = slog.New(slog.NewTextHandler(&log, nil))
					o.Forbids = func(robots []byte, url string) bool {
						return strings.Contains(string(robots), "Disallow: /v1/") && strings.HasPrefix(url, origin+"/v1/")
					}
				}
				m := open(t, f, notes, look)
				syncNow(t, m, "shop.test")
				if got, want := f.requests(), []string{pathIndex, pathRobots, "/v1/site/shop.test"}; !slices.Equal(got, want) {
					t.Errorf("asked for %q, want %q", got, want)
				}
				time.Sleep(pollEvery + pollEvery/5)
				syncNow(t, m, "other.test")
				m = open(t, f, notes, look) // a new process asks no sooner
				syncNow(t, m, "other.test")
				if got := f.requests(); slices.Contains(got, pathRobots) || !slices.Contains(got, pathSnapshot) {
					t.Errorf("then for %q", got)
				}
				time.Sleep(discoverEvery)
				syncNow(t, m)
				if got := f.requests(); !slices.Contains(got, pathRobots) {
					t.Errorf("a day later for %q", got)
				}
				if n := strings.Count(log.String(), told); n != 2*tt.warns { // once a process that has looked
					t.Errorf("%d warnings:\n%s", n, log.String())
				}
			})
		})
	}
}
