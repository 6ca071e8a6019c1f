package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestReadersSeeWholeCardsWhileTheyChange reads on all surfaces while cards are
// written, checked and removed. A reader is never shown octets under the ETag of
// others, and the card is never that of two writes.
func TestReadersSeeWholeCardsWhileTheyChange(t *testing.T) {
	w := newWorld(t)
	p := w.publisher("pub-7", "*")
	const domains = 4
	name := func(i int) string { return fmt.Sprintf("d%d.example", i%domains) }
	for i := range domains {
		p.prove(name(i), minimal(name(i)))
	}
	ctx, stop := context.WithCancel(t.Context())
	var readers, writers sync.WaitGroup
	for r := range 3 {
		readers.Go(func() {
			for i := r; ctx.Err() == nil; i++ {
				for _, path := range []string{"/v1/site/" + name(i), "/v1/changes", "/v1/snapshot", "/v1/search?include=card"} {
					rec := httptest.NewRecorder()
					w.Handler().ServeHTTP(rec, httptest.NewRequest("GET", testBase+path, nil))
					body := rec.Body.String()
					if rec.Code == http.StatusNotFound {
						continue
					}
					sum := sha256.Sum256([]byte(body))
					if want := `"` + hex.EncodeToString(sum[:16]) + `"`; rec.Code != http.StatusOK || rec.Header().Get("ETag") != want {
						t.Errorf("%s: %d, ETag %s, of the octets %s", path, rec.Code, rec.Header().Get("ETag"), want)
						return
					}
					if a, rest, ok := strings.Cut(body, `"x_first":`); ok && strings.HasPrefix(path, "/v1/site/") {
						number, _, _ := strings.Cut(rest, ",")
						if !strings.Contains(rest, `"x_last":`+number+",") {
							t.Errorf("a card of two writes: %s %s", a, rest)
							return
						}
					}
				}
			}
		})
	}
	for i := range 4 {
		writers.Go(func() {
			for n := range 60 {
				domain := name(i + n)
				if n%20 == 19 {
					p.send("DELETE", "/v1/site/"+domain, "")
					continue
				}
				p.put(domain, fmt.Sprintf(`{"x_first":%[1]d,"canonical":"https://%[2]s","summary":"%[3]s","x_last":%[1]d}`, n*10+i, domain, strings.Repeat("s", n*20)))
				p.send("POST", "/v1/site/"+domain+"/check", "")
			}
		})
	}
	writers.Wait()
	stop()
	readers.Wait()
	w.sound()
	mirror := map[string]string{}
	followFeed(t, w.Server, mirror, "")
	compareWithCatalog(t, w.Server, mirror)
}
