package registry

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestProof(t *testing.T) {
	miss := Finding{Method: Unverified, Note: "token absent"}
	trouble := Finding{Method: Pending, Note: "timeout; SERVFAIL"}
	t.Run("BC-R-003 BC-P-015 BC-P-020 a write alone proves nothing, the operator's own account included", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("operator", "*").write(shop, full(shop))
		if v := verification(w.card(shop)); v["method"] != "pending" || v["checked"] != nil {
			t.Errorf("verification %v", v)
		}
	})
	t.Run("BC-P-019 a method in the body is not believed", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").write(shop, `{"canonical":"https://shop.example","verification":{"method":"dns-txt","checked":"2026-03-01T00:00:00Z"}}`)
		if v := verification(w.card(shop)); v["method"] != "pending" {
			t.Errorf("verification %v", v)
		}
	})
	t.Run("BC-P-001 only the two methods of a finding prove", func(t *testing.T) {
		for method := Pending; method <= DNSTXT; method++ {
			w := newWorld(t)
			p := w.publisher("pub-7", "*")
			p.write(shop, full(shop))
			p.issue(shop)
			w.prover.find(shop, Finding{Method: method, Note: "as found"})
			p.check(shop)
			got, proven := verification(w.card(shop))["method"], method == WellKnownFile || method == DNSTXT
			if got != method.String() {
				t.Errorf("%v is served as %v", method, got)
			}
			if listed := len(w.expect("/.well-known/botcentral-index.json")["listed"].([]any)) == 1; listed != proven {
				t.Errorf("%v: listed is %v", method, listed)
			}
		}
	})
	t.Run("BC-P-014 the first success names the method, and a finding of no token is none", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		p.issue(shop)
		w.prover.find(shop, Finding{Method: DNSTXT, Token: 5})
		if got := p.check(shop); got["method"] != "pending" {
			t.Errorf("check gives %v", got)
		}
		w.prover.find(shop, Finding{Method: DNSTXT, Validated: true, Note: "TXT record matched"})
		p.check(shop)
		if v := verification(w.card(shop)); v["method"] != "dns-txt" || v["dnssec"] != "validated" || v["note"] != "TXT record matched" {
			t.Errorf("verification %v", v)
		}
	})
	t.Run("BC-P-002 the token of a domain is never looked for at another", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write("a.example", minimal("a.example"))
		p.write("b.example", minimal("b.example"))
		a, b := p.issue("a.example"), p.issue("b.example")
		w.prover.plant("b.example", a)
		if got := p.check("b.example"); got["method"] != "unverified" || a == b {
			t.Errorf("check gives %v", got)
		}
	})
	t.Run("BC-P-008 BC-P-016 a first check that fails is unverified with its cause in the note", func(t *testing.T) {
		notes := map[string]bool{}
		for _, cause := range []string{"origin unreachable", "robots.txt unreachable", "token absent", "HTML returned", "robots.txt bars SampleBot"} {
			w := newWorld(t)
			p := w.publisher("pub-7", "*")
			p.write(shop, full(shop))
			p.issue(shop)
			w.prover.find(shop, Finding{Method: Unverified, Partial: cause == "origin unreachable", Note: cause})
			p.check(shop)
			v := verification(w.card(shop))
			note, _ := v["note"].(string)
			if v["method"] != "unverified" || note == "" || notes[note] || v["checked"] != "2026-03-01T10:00:00Z" {
				t.Errorf("%s: %v", cause, v)
			}
			notes[note] = true
		}
	})
	t.Run("SERVFAIL on a first check leaves it pending, with a note", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		p.issue(shop)
		w.prover.find(shop, trouble)
		p.check(shop)
		if v := verification(w.card(shop)); v["method"] != "pending" || v["note"] != trouble.Note || v["checked"] != nil {
			t.Errorf("verification %v", v)
		}
	})
	t.Run("a card whose publisher asked for no token is unverified without a look", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		if got := p.check(shop); got["method"] != "unverified" || w.prover.questions() != 0 {
			t.Errorf("check gives %v", got)
		}
	})
	t.Run("BC-P-906 BC-P-018 BC-P-031 two definite misses an hour apart end a proof, the first leaves checked alone", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		w.prover.find(shop, miss)
		for _, step := range []struct {
			pass            time.Duration
			method, checked string
		}{
			{time.Minute, "well-known-file", "2026-03-01T10:00:00Z"},
			{30 * time.Minute, "well-known-file", "2026-03-01T10:00:00Z"},
			{29 * time.Minute, "well-known-file", "2026-03-01T10:00:00Z"},
			{time.Minute, "unverified", "2026-03-01T11:01:00Z"},
		} {
			w.pass(step.pass)
			p.login()
			p.check(shop)
			v := verification(w.card(shop))
			if v["method"] != step.method || v["checked"] != step.checked || v["note"] != "token absent" {
				t.Errorf("after %v: %v", step.pass, v)
			}
		}
		if v := verification(w.card(shop)); v["proven"] != "2026-03-01T10:00:00Z" {
			t.Errorf("BC-P-907: %v", v)
		}
		if n := len(w.expect("/.well-known/botcentral-index.json")["listed"].([]any)); n != 1 {
			t.Errorf("%d are listed", n)
		}
	})
	t.Run("a pass between two misses makes them two first ones", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		token := p.issue(shop)
		for range 3 {
			w.prover.find(shop, miss)
			p.login()
			p.check(shop)
			w.pass(time.Hour)
			w.prover.plant(shop, token)
			p.login()
			p.check(shop)
			w.pass(time.Hour)
		}
		if v := verification(w.card(shop)); v["method"] != "well-known-file" {
			t.Errorf("verification %v", v)
		}
	})
	t.Run("BC-P-906 BC-P-907 BC-P-013 trouble keeps method and checked, and ages into stale", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		w.prover.find(shop, trouble)
		for hours := 0; hours < 168; hours += 24 {
			w.pass(24 * time.Hour)
			p.login()
			p.check(shop)
			if v := verification(w.card(shop)); v["method"] != "well-known-file" || v["checked"] != "2026-03-01T10:00:00Z" {
				t.Errorf("after %d h: %v", hours+24, v)
			}
		}
		w.pass(time.Hour)
		if v := verification(w.card(shop)); v["method"] != "stale" || v["checked"] != "2026-03-01T10:00:00Z" {
			t.Errorf("after 169 h: %v", v)
		}
		w.prover.find(shop, Finding{Method: Unverified, Partial: true, Note: "origin unreachable"})
		p.login()
		p.check(shop)
		if v := verification(w.card(shop)); v["method"] != "stale" {
			t.Errorf("after half an answer: %v", v)
		}
	})
	t.Run("BC-P-017 BC-P-023 states follow from the time of the last check", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		w.pass(168 * time.Hour)
		if v := verification(w.card(shop)); v["method"] != "well-known-file" {
			t.Errorf("at 168 h: %v", v)
		}
		w.pass(time.Second)
		if v := verification(w.card(shop)); v["method"] != "stale" {
			t.Errorf("behind 168 h: %v", v)
		}
		s := w.Stats()
		if s.Stale != 1 || s.Fresh != 0 || s.Cards != 1 || s.Listed != 1 {
			t.Errorf("stats %+v", s)
		}
	})
	t.Run("BC-D-020 the owner's window counts", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, `{"canonical":"https://shop.example","crawl":{"revalidate_hours":24}}`)
		w.pass(25 * time.Hour)
		if v := verification(w.card(shop)); v["method"] != "stale" {
			t.Errorf("at 25 h: %v", v)
		}
	})
	t.Run("BC-R-027 no write freshens, not even one with a longer window", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		w.pass(169 * time.Hour)
		p.login()
		for _, body := range []string{minimal(shop), full(shop), `{"canonical":"https://shop.example","crawl":{"revalidate_hours":8000}}`} {
			p.write(shop, body)
			if v := verification(w.card(shop)); v["method"] != "stale" || v["checked"] != "2026-03-01T10:00:00Z" {
				t.Errorf("after a write: %v", v)
			}
		}
		p.check(shop)
		if v := verification(w.card(shop)); v["method"] != "well-known-file" {
			t.Errorf("after a check: %v", v)
		}
	})
	t.Run("BC-P-908 robots trouble beside a proof is a note and a lower score", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, full(shop))
		before := fmt.Sprint(w.card(shop)["pages"].([]any)[0].(map[string]any)["score"])
		w.prover.find(shop, Finding{Method: WellKnownFile, Crawl: CrawlBarred, Note: "proven; robots.txt bars SampleBot"})
		p.check(shop)
		c := w.card(shop)
		after := fmt.Sprint(c["pages"].([]any)[0].(map[string]any)["score"])
		if v := verification(c); v["method"] != "well-known-file" || v["note"] == nil || before != "100" || after != "90" {
			t.Errorf("verification %v, score %s after %s", v, after, before)
		}
		w.prover.mu.Lock()
		defer w.prover.mu.Unlock()
		if got := w.prover.asked[0].Allow; len(got) != 1 || got[0] != "SampleBot" {
			t.Errorf("the prover was told of %v", got)
		}
	})
	t.Run("a note of a prover stays one line and bounded", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		p.issue(shop)
		w.prover.find(shop, Finding{Method: Unverified, Note: "a\r\nb\x00\"\\" + strings.Repeat("ü", 600)})
		p.check(shop)
		note, _ := verification(w.card(shop))["note"].(string)
		if len(note) > maxNote || strings.ContainsAny(note, "\r\n\x00") || !strings.HasPrefix(note, `a  b "\ü`) {
			t.Errorf("note of %d octets: %.20q", len(note), note)
		}
	})
}

func TestChecks(t *testing.T) {
	t.Run("who asks for a check that is on its way gets its result", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Clock = time.Now })
			p := w.publisher("pub-7", "*")
			p.write(shop, minimal(shop))
			w.prover.plant(shop, p.issue(shop))
			hold := make(chan struct{})
			w.prover.before = func() { <-hold }
			results := make(chan answer, 5)
			for range cap(results) {
				go func() { results <- p.send("POST", "/v1/site/"+shop+"/check", "") }()
			}
			synctest.Wait()
			close(hold)
			for range cap(results) {
				if a := <-results; a.status != http.StatusOK || a.json(t)["state"] != "fresh" {
					t.Errorf("answer %d %s", a.status, a.body)
				}
			}
			if n := w.prover.questions(); n != 1 {
				t.Errorf("%d checks", n)
			}
		})
	})
	t.Run("a check that its asker gives up is not recorded", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		p.issue(shop)
		before := w.get("/v1/site/" + shop).body
		ctx, stop := context.WithCancel(t.Context())
		w.prover.before = stop
		if _, err := w.Admin().Check(ctx, shop); err == nil {
			t.Error("it succeeds")
		}
		if after := w.get("/v1/site/" + shop).body; after != before {
			t.Errorf("card %s, was %s", after, before)
		}
	})
	t.Run("a registry without a prover says so", func(t *testing.T) {
		w := newWorld(t, func(o *Options) { o.Prover = nil })
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		if a := p.send("POST", "/v1/site/"+shop+"/check", ""); a.status != http.StatusServiceUnavailable || a.code(t) != "no-checks" {
			t.Errorf("answer %d", a.status)
		}
	})
}

func TestHeldDomains(t *testing.T) {
	t.Run("a proven domain answers another publisher with domain-held until the owner publishes its token", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.publisher("pub-7", "*"), w.publisher("pub-9", "*")
		a.prove(shop, full(shop))
		for _, got := range []answer{b.put(shop, minimal(shop)), b.send("DELETE", "/v1/site/"+shop, "")} {
			if got.status != http.StatusForbidden || got.code(t) != "domain-held" {
				t.Errorf("answer %d %s", got.status, got.body)
			}
		}
		token := b.issue(shop)
		if got := b.check(shop); got["found"] != "unverified" || got["method"] != "well-known-file" {
			t.Errorf("check without the token: %v", got)
		}
		w.prover.plant(shop, token)
		w.pass(time.Minute)
		if got := b.check(shop); got["admitted"] != true || got["checked"] != "2026-03-01T10:00:00Z" {
			t.Errorf("check with the token: %v", got)
		}
		if w.card(shop)["listed_by"] != "pub-7" {
			t.Error("a check has changed the writer")
		}
		if got := b.put(shop, minimal(shop)); got.status != http.StatusOK {
			t.Errorf("write: %d %s", got.status, got.body)
		}
		c := w.card(shop)
		if v := verification(c); c["listed_by"] != "pub-9" || v["method"] != "well-known-file" || v["checked"] != "2026-03-01T10:01:00Z" {
			t.Errorf("card %v", c)
		}
		if got := a.put(shop, full(shop)); got.code(t) != "domain-held" {
			t.Errorf("the former publisher: %d", got.status)
		}
	})
	t.Run("BC-P-002 another publisher's token does not prove the card of the writer", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.publisher("pub-7", "*"), w.publisher("pub-9", "*")
		token := a.issue(shop)
		b.write(shop, minimal(shop))
		b.issue(shop)
		w.prover.plant(shop, token)
		b.check(shop)
		if v := verification(w.card(shop)); v["method"] != "unverified" {
			t.Errorf("verification %v", v)
		}
	})
	t.Run("a newcomer's card over an unproven one starts pending, and nobody removes another's", func(t *testing.T) {
		w := newWorld(t)
		a, b := w.publisher("pub-7", "*"), w.publisher("pub-9", "*")
		a.write(shop, minimal(shop))
		a.issue(shop)
		a.check(shop)
		if got := b.send("DELETE", "/v1/site/"+shop, ""); got.status != http.StatusForbidden {
			t.Errorf("DELETE: %d", got.status)
		}
		b.write(shop, minimal(shop))
		if v := verification(w.card(shop)); v["method"] != "pending" {
			t.Errorf("verification %v", v)
		}
	})
}

// flipped is another token that differs in its last character.
func flipped(token string) string {
	if strings.HasSuffix(token, "A") {
		return token[:len(token)-1] + "B"
	}
	return token[:len(token)-1] + "A"
}

func TestRevocation(t *testing.T) {
	revocation := "/v1/site/" + shop + "/revocation"
	t.Run("BC-R-035 an owner revokes a publisher by a token of its own", func(t *testing.T) {
		w := newWorld(t)
		p, other := w.publisher("pub-7", "*"), w.publisher("pub-9", "*")
		p.prove(shop, full(shop))
		a := w.send("POST", revocation, `{"publisher":"pub-7"}`)
		token, _ := a.json(t)["token"].(string)
		if a.status != http.StatusAccepted || token == "" {
			t.Fatalf("answer %d %s", a.status, a.body)
		}
		with := `{"publisher":"pub-7","token":"` + token + `"}`
		if a := w.send("POST", revocation, with); a.status != http.StatusConflict || a.code(t) != "not-proven" {
			t.Errorf("before it is published: %d", a.status)
		}
		before := w.card(shop)["verification"]
		w.prover.plant(shop, token)
		for _, wrong := range []string{`{"publisher":"pub-9","token":"` + token + `"}`, `{"publisher":"pub-7","token":"` + flipped(token) + `"}`, `{"publisher":"pub-7","token":"x"}`} {
			if a := w.send("POST", revocation, wrong); a.status != http.StatusForbidden {
				t.Errorf("%s: %d", wrong, a.status)
			}
		}
		if a := w.send("POST", "/v1/site/other.example/revocation", with); a.status != http.StatusForbidden {
			t.Errorf("for another domain: %d", a.status)
		}
		if a := w.send("POST", revocation, with); a.status != http.StatusOK {
			t.Errorf("when it is published: %d %s", a.status, a.body)
		}
		if a := p.put(shop, minimal(shop)); a.status != http.StatusForbidden || a.code(t) != "revoked" {
			t.Errorf("a write with a token that is still valid: %d", a.status)
		}
		if got := w.card(shop)["verification"]; fmt.Sprint(got) != fmt.Sprint(before) {
			t.Errorf("BC-R-913: %v after %v", got, before)
		}
		if a := other.put(shop, minimal(shop)); a.status != http.StatusAccepted {
			t.Errorf("another publisher: %d %s", a.status, a.body)
		}
		if v := verification(w.card(shop)); v["method"] != "pending" {
			t.Errorf("its card is %v", v)
		}
	})
	t.Run("BC-R-035 the proof of a revoked publisher ends with the next two checks", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		if err := w.Admin().Revoke(t.Context(), shop, "pub-7"); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"well-known-file", "unverified"} {
			if _, err := w.Admin().Check(t.Context(), shop); err != nil {
				t.Fatal(err)
			}
			if v := verification(w.card(shop)); v["method"] != want {
				t.Errorf("verification %v", v)
			}
			w.pass(time.Hour)
		}
		if err := w.Admin().Restore(t.Context(), shop, "pub-7"); err != nil {
			t.Fatal(err)
		}
		p.login()
		p.prove(shop, minimal(shop))
	})
	t.Run("a proof that is found while its publisher is revoked does not count", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		w.prover.plant(shop, p.issue(shop))
		w.prover.before = func() {
			if err := w.Admin().Revoke(t.Context(), shop, "pub-7"); err != nil {
				t.Error(err)
			}
		}
		p.check(shop)
		if v := verification(w.card(shop)); v["method"] != "pending" {
			t.Errorf("verification %v", v)
		}
	})
	t.Run("a revocation token ends after a week", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.write(shop, minimal(shop))
		token, _ := w.send("POST", revocation, `{"publisher":"pub-7"}`).json(t)["token"].(string)
		w.prover.plant(shop, token)
		w.pass(ownerTokenLasts + time.Second)
		if a := w.send("POST", revocation, `{"publisher":"pub-7","token":"`+token+`"}`); a.status != http.StatusForbidden {
			t.Errorf("answer %d", a.status)
		}
	})
	t.Run("bad requests are refused", func(t *testing.T) {
		w := newWorld(t)
		for body, status := range map[string]int{``: 422, `{}`: 422, `[]`: 400, `{"publisher":"nobody"}`: 422, `{"publisher":1}`: 422, strings.Repeat("a", 1<<16): 413} {
			if a := w.send("POST", revocation, body); a.status != status {
				t.Errorf("%.20s: %d", body, a.status)
			}
		}
	})
}

// inBubble runs a registry with its scheduler under fake time.
func inBubble(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, folder: t.TempDir(), prover: &fakeProver{findings: map[string]Finding{}, planted: map[string][]string{}}}
		w.open(func(o *Options) { o.Clock = time.Now })
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		test(t, w)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestScheduler(t *testing.T) {
	t.Run("BC-P-022 a proof is checked again before its window ends, for weeks", func(t *testing.T) {
		inBubble(t, func(t *testing.T, w *world) {
			w.publisher("pub-7", "*").prove(shop, minimal(shop))
			n := w.prover.questions()
			for range 8 {
				time.Sleep(84*time.Hour + 2*time.Minute)
				synctest.Wait()
				if v := verification(w.card(shop)); v["method"] != "well-known-file" {
					t.Fatalf("verification %v", v)
				}
				if got := w.prover.questions(); got != n+1 {
					t.Errorf("%d checks in half a week", got-n)
				}
				n = w.prover.questions()
			}
		})
	})
	t.Run("BC-P-906 the second check after a miss comes an hour later by itself", func(t *testing.T) {
		inBubble(t, func(t *testing.T, w *world) {
			w.publisher("pub-7", "*").prove(shop, minimal(shop))
			w.prover.plant(shop)
			time.Sleep(84*time.Hour + 30*time.Minute)
			synctest.Wait()
			if v := verification(w.card(shop)); v["method"] != "well-known-file" || v["note"] != "token absent" {
				t.Errorf("after the first: %v", v)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			if v := verification(w.card(shop)); v["method"] != "unverified" {
				t.Errorf("after the second: %v", v)
			}
		})
	})
	t.Run("a new card is checked a while after the write", func(t *testing.T) {
		inBubble(t, func(t *testing.T, w *world) {
			p := w.publisher("pub-7", "*")
			p.write(shop, minimal(shop))
			w.prover.plant(shop, p.issue(shop))
			time.Sleep(firstCheckAfter - time.Minute)
			synctest.Wait()
			if v := verification(w.card(shop)); v["method"] != "pending" {
				t.Errorf("at once: %v", v)
			}
			time.Sleep(3 * time.Minute)
			synctest.Wait()
			if v := verification(w.card(shop)); v["method"] != "well-known-file" {
				t.Errorf("later: %v", v)
			}
		})
	})
	t.Run("BC-P-024 a change of registration data brings the check forward into a day", func(t *testing.T) {
		inBubble(t, func(t *testing.T, w *world) {
			w.publisher("pub-7", "*").prove(shop, `{"canonical":"https://shop.example","crawl":{"revalidate_hours":168}}`)
			n := w.prover.questions()
			if err := w.Admin().RegistrationChanged(t.Context(), shop); err != nil {
				t.Fatal(err)
			}
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			if w.prover.questions() == n {
				t.Error("no check in a day")
			}
		})
	})
	t.Run("trouble is tried again with growing pauses", func(t *testing.T) {
		inBubble(t, func(t *testing.T, w *world) {
			p := w.publisher("pub-7", "*")
			p.prove(shop, minimal(shop))
			w.prover.find(shop, Finding{Method: Pending, Note: "timeout"})
			n := w.prover.questions()
			time.Sleep((84 + 24) * time.Hour)
			synctest.Wait()
			// 15, 30, 60, 120, 240, 360, 360 ... minutes.
			if got := w.prover.questions() - n; got < 7 || 9 < got {
				t.Errorf("%d checks in a day", got)
			}
		})
	})
	t.Run("a proof that cannot be renewed turns stale without a reader", func(t *testing.T) {
		inBubble(t, func(t *testing.T, w *world) {
			w.publisher("pub-7", "*").prove(shop, minimal(shop))
			w.prover.find(shop, Finding{Method: Pending, Note: "timeout"})
			time.Sleep(169 * time.Hour)
			synctest.Wait()
			if s := w.shelf.lookup(shop); !s.stale {
				t.Error("it does not")
			}
		})
	})
	t.Run("removed cards are forgotten after their time", func(t *testing.T) {
		inBubble(t, func(t *testing.T, w *world) {
			p := w.publisher("pub-7", "*")
			p.prove(shop, minimal(shop))
			p.send("DELETE", "/v1/site/"+shop, "")
			time.Sleep(defaultKeepRemoved + 2*time.Hour)
			synctest.Wait()
			if w.stored(shop) {
				t.Error("it is not")
			}
		})
	})
}
