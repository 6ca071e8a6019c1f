package registry

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestReplays(t *testing.T) {
	t.Run("a check that is asked for again looks again, and believes what it sees", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		w.prover.plant(shop) // the owner takes the token away
		for range 3 {        // two misses that are an hour apart end a proof
			p.check(shop)
			w.pass(31 * time.Minute)
			p.login()
		}
		if got := verification(w.card(shop))["method"]; got != "unverified" {
			t.Errorf("method %v", got)
		}
	})
	t.Run("checks cost ten writes, and beyond them nobody is asked", func(t *testing.T) {
		w := newWorld(t, func(o *Options) { o.WriteRate = 32 })
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		p.issue(shop)
		refused := 0
		for range 50 {
			if a := p.send("POST", "/v1/site/"+shop+"/check", ""); a.status == http.StatusTooManyRequests && a.code(t) == "rate-limited" && a.header.Get("Retry-After") != "" {
				refused++
			}
		}
		if asked := w.prover.questions(); refused != 47 || asked != 3 {
			t.Errorf("%d refused, %d looked for", refused, asked)
		}
	})
	t.Run("a write that is sent again changes nothing but its time", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, full(shop))
		tag := w.get("/v1/site/" + shop).header.Get("ETag")
		p.write(shop, minimal(shop))
		after := w.get("/v1/site/" + shop).body
		if a := p.put(shop, full(shop), "If-Match", tag); a.status != http.StatusPreconditionFailed || a.code(t) != "precondition" {
			t.Errorf("answer %d: %s", a.status, a.body)
		}
		if got := w.get("/v1/site/" + shop).body; got != after {
			t.Errorf("card %s, was %s", got, after)
		}
	})
}

// A flood of reads is answered by 429 beyond what each address has, keeps nothing
// on disk and no more than a bucket in memory, and hurts nobody else.
func TestAFloodOfAnonymousReads(t *testing.T) {
	reads := 20_000
	if os.Getenv("HEED_SLOW") != "" {
		reads = 1_000_000
	}
	const addresses, each = 64, 120
	w := newWorld(t, func(o *Options) { o.Rate = each })
	p := w.publisher("pub-7", "*")
	p.prove(shop, minimal(shop))
	sizes := func() (list []int64) {
		for _, name := range []string{stateName, logName} {
			info, err := os.Stat(filepath.Join(w.folder, name))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, info.Size())
		}
		return list
	}
	before, head := sizes(), w.shelf.head()
	paths := []string{"/v1/site/" + shop, "/v1/snapshot", "/v1/search?q=a", "/v1/changes", "/nothing", "/v1/site/%00"}
	full, limited := 0, 0
	for i := range reads {
		switch a := w.get(paths[i%len(paths)], "remote", fmt.Sprintf("198.51.100.%d:9", i%addresses)); a.status {
		case http.StatusOK, http.StatusNotFound, http.StatusBadRequest:
			full++
		case http.StatusTooManyRequests:
			if limited++; limited == 1 && (a.code(t) != "rate-limited" || a.header.Get("Retry-After") == "") {
				t.Errorf("refused by %v %s", a.header, a.body)
			}
		default:
			t.Fatalf("read %d is answered %d: %s", i, a.status, a.body)
		}
	}
	if full != addresses*each || limited != reads-full {
		t.Errorf("%d of %d reads are answered, %d refused", full, reads, limited)
	}
	if after := sizes(); after[0] != before[0] || after[1] != before[1] || w.shelf.head() != head || len(w.limiter.buckets) > addresses+1 {
		t.Errorf("files %d, were %d; change %d, was %d; %d buckets", after, before, w.shelf.head(), head, len(w.limiter.buckets))
	}
	if a := w.get("/v1/site/"+shop, "remote", "203.0.113.77:9"); a.status != http.StatusOK {
		t.Errorf("another reader gets %d", a.status)
	}
	p.write(shop, minimal(shop))
}
