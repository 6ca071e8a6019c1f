package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestReads(t *testing.T) {
	t.Run("BC-R-014 anonymous reads are answered", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").prove(shop, minimal(shop))
		for _, path := range []string{"/.well-known/botcentral-index.json", "/v1/site/" + shop, "/v1/changes", "/v1/snapshot", "/v1/schema.json"} {
			if a := w.get(path); a.status != http.StatusOK {
				t.Errorf("%s: %d", path, a.status)
			}
		}
	})
	t.Run("BC-R-015 BC-R-038 BC-D-025 the discovery document names every resource and every listed card", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").prove(shop, full(shop))
		a := w.get("/.well-known/botcentral-index.json")
		if a.header.Get("Content-Type") != "application/json" {
			t.Errorf("type %q", a.header.Get("Content-Type"))
		}
		d := a.json(t)
		if d["botcentral"] != "1.1" || d["registry"] != "Test Registry" {
			t.Errorf("document is %v", d)
		}
		for _, name := range []string{"search", "docs", "schema", "changes", "snapshot"} {
			uri, _ := d[name].(string)
			path, ok := strings.CutPrefix(uri, testBase)
			if !ok || w.get(path).status == http.StatusNotFound {
				t.Errorf("%s is %q", name, uri)
			}
		}
		for _, name := range []string{"openapi", "mcp"} { // answered beside this handler
			if uri, _ := d[name].(string); !strings.HasPrefix(uri, testBase+"/") {
				t.Errorf("%s is %q", name, uri)
			}
		}
		want := []any{map[string]any{"domain": shop, "name": "Sample Shop", "href": testBase + "/v1/site/" + shop}}
		if !reflect.DeepEqual(d["listed"], want) {
			t.Errorf("listed is %v", d["listed"])
		}
	})
	t.Run("BC-R-016 a registry below a path hands out URIs below it and answers there", func(t *testing.T) {
		w := newWorld(t, func(o *Options) { o.PublicURL = testBase + "/bc/" })
		w.publisher("pub-7", "*").prove(shop, minimal(shop))
		d := w.expect("/.well-known/botcentral-index.json")
		for _, name := range []string{"search", "schema", "changes", "snapshot"} {
			uri, _ := d[name].(string)
			if !strings.HasPrefix(uri, testBase+"/bc/") || w.get(strings.TrimPrefix(uri, testBase)).status != http.StatusOK {
				t.Errorf("%s is %q", name, uri)
			}
		}
		href, _ := d["listed"].([]any)[0].(map[string]any)["href"].(string)
		w.expect(strings.TrimPrefix(href, testBase))
	})
	t.Run("BC-R-017 an unlisted domain is 404 with a JSON error", func(t *testing.T) {
		w := newWorld(t)
		if a := w.get("/v1/site/none.example"); a.status != http.StatusNotFound || a.code(t) != "not-listed" {
			t.Errorf("answer %d %s", a.status, a.body)
		}
	})
	t.Run("BC-R-018 BC-R-903 the ETag is strong, names the served octets, and is honoured", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, full(shop))
		first := w.get("/v1/site/" + shop)
		sum := sha256.Sum256([]byte(first.body))
		tag := first.header.Get("ETag")
		if tag != `"`+hex.EncodeToString(sum[:])[:32]+`"` {
			t.Errorf("ETag %s does not name the octets", tag)
		}
		for _, field := range []string{tag, "W/" + tag, `"other", ` + tag, "*"} {
			a := w.get("/v1/site/"+shop, "If-None-Match", field)
			if a.status != http.StatusNotModified || a.body != "" || a.header.Get("ETag") != tag {
				t.Errorf("If-None-Match %s: %d, ETag %s, %d octets", field, a.status, a.header.Get("ETag"), len(a.body))
			}
		}
		if got := w.Stats(); got.NotModified != 4 {
			t.Errorf("%d answers of 304 are counted, want 4", got.NotModified)
		}
		p.write(shop, minimal(shop))
		if a := w.get("/v1/site/"+shop, "If-None-Match", tag); a.status != http.StatusOK || a.header.Get("ETag") == tag {
			t.Errorf("after a change: %d, ETag %s", a.status, a.header.Get("ETag"))
		}
	})
	t.Run("BC-R-903 a change of the proof state changes the ETag and is in the feed", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").prove(shop, minimal(shop))
		before := w.get("/v1/site/" + shop).header.Get("ETag")
		cursor := w.expect("/v1/changes")["cursor"].(string)
		w.pass(169 * time.Hour)
		list := w.expect("/v1/changes?since=" + cursor)["changes"].([]any)
		after := w.get("/v1/site/" + shop).header.Get("ETag")
		if len(list) != 1 || after == before || `"`+list[0].(map[string]any)["etag"].(string)+`"` != after {
			t.Errorf("feed %v, ETag %s after %s", list, after, before)
		}
	})
	t.Run("BC-R-904 other forms of the name are sent to the one form", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		p.prove("xn--bcher-kva.example", minimal("xn--bcher-kva.example"))
		for form, want := range map[string]string{"WWW.Shop.Example": shop, "a.b.shop.example": shop, "shop.example.": shop,
			"b%C3%BCcher.example": "xn--bcher-kva.example"} {
			a := w.get("/v1/site/" + form)
			if a.status != http.StatusPermanentRedirect || a.header.Get("Location") != testBase+"/v1/site/"+want {
				t.Errorf("%s: %d to %s", form, a.status, a.header.Get("Location"))
			}
		}
		if a := w.get("/v1/site/www.shop.example/robots.txt"); a.header.Get("Location") != testBase+"/v1/site/shop.example/robots.txt" {
			t.Errorf("robots: %d to %s", a.status, a.header.Get("Location"))
		}
		for _, bad := range []string{"test", "com", "co.uk", "github.io", "a..b", "-a.example", "192.0.2.1", "a%20b.example", "%5B::1%5D", strings.Repeat("a", 64) + ".example", "x_y.example"} {
			if a := w.get("/v1/site/" + bad); a.status != http.StatusBadRequest {
				t.Errorf("%s: %d", bad, a.status)
			}
		}
		if a := w.get("/v1/site/WWW.None.Example"); a.status != http.StatusNotFound {
			t.Errorf("unlisted: %d", a.status)
		}
	})
	t.Run("BC-R-906 BC-R-907 a pending card is read by its name and is nowhere else", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		for _, domain := range []string{"a.example", "b.example", "c.example"} {
			p.prove(domain, minimal(domain))
		}
		cursor := w.expect("/v1/changes")["cursor"].(string)
		if a := p.put(shop, minimal(shop)); a.status != http.StatusAccepted {
			t.Errorf("the write answers %d", a.status)
		}
		if v := verification(w.card(shop)); v["method"] != "pending" {
			t.Errorf("verification %v", v)
		}
		if listed := w.expect("/.well-known/botcentral-index.json")["listed"].([]any); len(listed) != 3 {
			t.Errorf("listed has %d entries", len(listed))
		}
		if got := w.expect("/v1/changes?since=" + cursor)["changes"].([]any); len(got) != 0 {
			t.Errorf("feed has %v", got)
		}
		if total := w.expect("/v1/search")["total"]; total != json.Number("3") {
			t.Errorf("search finds %v", total)
		}
		if count := w.expect("/v1/snapshot")["count"]; count != json.Number("3") {
			t.Errorf("snapshot counts %v", count)
		}
	})
	t.Run("BC-R-907 beyond the bound the list goes on at next", func(t *testing.T) {
		sites := make([]*site, maxListed+5)
		for i := range sites {
			sites[i] = &site{domain: fmt.Sprintf("d%06d.example", i), listed: i != 7, rev: 1, facts: facts{name: "N"}}
		}
		w := newWorld(t)
		v := view{sites: sites, listed: len(sites) - 1}
		var domains []string
		after := ""
		for {
			d, err := w.indexPage(v, after)
			if err != nil {
				t.Fatal(err)
			}
			var page struct {
				Next   string
				Listed []struct{ Domain string }
			}
			if err := json.Unmarshal(d.octets, &page); err != nil {
				t.Fatal(err)
			}
			for _, e := range page.Listed {
				domains = append(domains, e.Domain)
			}
			if page.Next == "" {
				break
			}
			_, after, _ = strings.Cut(page.Next, "after=")
		}
		if len(domains) != len(sites)-1 || !slices.IsSorted(domains) {
			t.Errorf("%d entries on all pages", len(domains))
		}
	})
	t.Run("BC-R-039 no text of the registry claims to enforce anything", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").prove(shop, full(shop))
		for _, path := range []string{"/.well-known/botcentral-index.json", "/v1/site/" + shop, "/v1/schema.json", "/v1/agents"} {
			if text := strings.ToLower(w.get(path).body); strings.Contains(text, "blocked") || strings.Contains(text, "enforce") {
				t.Errorf("%s claims enforcement", path)
			}
		}
		if !strings.Contains(w.get("/docs").body, "enforces\nnothing") {
			t.Error("the contract does not say that nothing is enforced")
		}
	})
	t.Run("HEAD is answered like GET without a body", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").prove(shop, minimal(shop))
		get, head := w.get("/v1/site/"+shop), w.send("HEAD", "/v1/site/"+shop, "")
		if head.status != http.StatusOK || head.body != "" || head.header.Get("Content-Length") != strconv.Itoa(len(get.body)) || head.header.Get("ETag") != get.header.Get("ETag") {
			t.Errorf("HEAD: %d %v", head.status, head.header)
		}
	})
	t.Run("unknown paths and methods are problems", func(t *testing.T) {
		w := newWorld(t)
		if a := w.get("/v2/site"); a.status != http.StatusNotFound || a.code(t) != "no-resource" {
			t.Errorf("answer %d", a.status)
		}
		if a := w.send("POST", "/v1/snapshot", ""); a.status != http.StatusMethodNotAllowed {
			t.Errorf("answer %d", a.status)
		}
		if a := w.get("/healthz"); a.status != http.StatusOK || a.body != "ok\n" {
			t.Errorf("health %d %s", a.status, a.body)
		}
	})
}

func TestChangeFeed(t *testing.T) {
	follow := func(w *world, known map[string]string, cursor string) string {
		w.t.Helper()
		for {
			page := w.expect("/v1/changes?limit=3&since=" + cursor)
			for _, e := range page["changes"].([]any) {
				c := e.(map[string]any)
				if tag, ok := c["etag"].(string); ok {
					known[c["domain"].(string)] = tag
				} else {
					delete(known, c["domain"].(string))
				}
			}
			cursor = page["cursor"].(string)
			if page["more"] == false {
				return cursor
			}
		}
	}
	t.Run("BC-R-019 two writes behind a cursor are there once each, and nothing behind the next", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove("c.example", minimal("c.example"))
		c0 := w.expect("/v1/changes")["cursor"].(string)
		p.prove("a.example", minimal("a.example"))
		p.prove("b.example", minimal("b.example"))
		p.write("a.example", full("a.example"))
		page := w.expect("/v1/changes?since=" + c0)
		var domains []string
		for _, e := range page["changes"].([]any) {
			domains = append(domains, e.(map[string]any)["domain"].(string))
		}
		if !reflect.DeepEqual(domains, []string{"b.example", "a.example"}) || page["more"] != false {
			t.Errorf("feed %v", page)
		}
		if rest := w.expect("/v1/changes?since=" + page["cursor"].(string))["changes"].([]any); len(rest) != 0 {
			t.Errorf("behind the cursor is %v", rest)
		}
	})
	t.Run("BC-R-901 pages lose and double nothing while writes go on", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		for i := range 10 {
			d := fmt.Sprintf("d%d.example", i)
			p.prove(d, minimal(d))
		}
		page := w.expect("/v1/changes?limit=4")
		seen := map[string]int{}
		for turn := 0; ; turn++ {
			for _, e := range page["changes"].([]any) {
				seen[e.(map[string]any)["domain"].(string)]++
			}
			if page["more"] == false {
				break
			}
			if turn == 0 {
				p.write("d9.example", full("d9.example"))
				p.prove("new.example", minimal("new.example"))
			}
			page = w.expect("/v1/changes?limit=4&since=" + page["cursor"].(string))
		}
		if len(seen) != 11 {
			t.Errorf("seen %v", seen)
		}
		for domain, n := range seen {
			if n != 1 {
				t.Errorf("%s was there %d times", domain, n)
			}
		}
	})
	t.Run("BC-R-901 a removal has a null, an unknown cursor is 410", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		p.prove(shop, minimal(shop))
		if a := p.send("DELETE", "/v1/site/"+shop, ""); a.status != http.StatusNoContent {
			t.Fatalf("DELETE: %d", a.status)
		}
		e := w.expect("/v1/changes")["changes"].([]any)[0].(map[string]any)
		if tag, ok := e["etag"]; !ok || tag != nil || e["domain"] != shop {
			t.Errorf("entry %v", e)
		}
		for _, cursor := range []string{"bogus", "00000000-1-0", strings.Repeat("z", 200), w.shelf.meta.Epoch + "-zz-0", w.shelf.meta.Epoch + "-1-zz"} {
			if a := w.get("/v1/changes?since=" + cursor); a.status != http.StatusGone || a.code(t) != "cursor" {
				t.Errorf("cursor %.20s: %d", cursor, a.status)
			}
		}
		for _, limit := range []string{"0", "1001", "x", "-1"} {
			if a := w.get("/v1/changes?limit=" + limit); a.status != http.StatusBadRequest {
				t.Errorf("limit %s: %d", limit, a.status)
			}
		}
	})
	t.Run("BC-R-901 a cursor from before a forgotten removal is 410, one that began behind it is not", func(t *testing.T) {
		w := newWorld(t, func(o *Options) { o.KeepRemoved = time.Hour })
		p := w.publisher("pub-7", "*")
		for _, d := range []string{"a.example", "b.example", "c.example"} {
			p.prove(d, minimal(d))
		}
		early := w.expect("/v1/changes?limit=1")["cursor"].(string)
		p.send("DELETE", "/v1/site/b.example", "")
		late := w.expect("/v1/changes")["cursor"].(string)
		w.pass(2 * time.Hour)
		if err := w.purge(t.Context(), instantOf(w.clock())); err != nil {
			t.Fatal(err)
		}
		if a := w.get("/v1/changes?since=" + early); a.status != http.StatusGone {
			t.Errorf("early cursor: %d", a.status)
		}
		if a := w.get("/v1/changes?since=" + late); a.status != http.StatusOK {
			t.Errorf("late cursor: %d", a.status)
		}
		first := w.expect("/v1/changes?limit=1")
		second := w.expect("/v1/changes?limit=1&since=" + first["cursor"].(string))
		if second["changes"].([]any)[0].(map[string]any)["domain"] != "c.example" || second["more"] != false {
			t.Errorf("second page %v", second)
		}
	})
	t.Run("BC-R-020 BC-R-902 the snapshot is the hash over the lines, stays over a restart and ignores the order of writes", func(t *testing.T) {
		w := newWorld(t)
		p := w.publisher("pub-7", "*")
		domains := []string{"b.example", "a.example", "c.example"}
		for _, d := range domains {
			p.prove(d, full(d))
		}
		known := map[string]string{}
		follow(w, known, "")
		var lines []string
		for d, tag := range known {
			lines = append(lines, d+"\t"+tag+"\n")
		}
		sort.Strings(lines)
		sum := sha256.Sum256([]byte(strings.Join(lines, "")))
		s := w.expect("/v1/snapshot")
		if s["snapshot"] != "sha256:"+hex.EncodeToString(sum[:]) || s["count"] != json.Number("3") {
			t.Errorf("snapshot %v", s)
		}
		w.reopen()
		if again := w.expect("/v1/snapshot"); !reflect.DeepEqual(again, s) {
			t.Errorf("after a restart %v", again)
		}
		other := newWorld(t)
		q := other.publisher("pub-7", "*")
		slices.Reverse(domains)
		for _, d := range domains {
			q.prove(d, full(d))
		}
		if got := other.expect("/v1/snapshot")["snapshot"]; got != s["snapshot"] {
			t.Errorf("in another order %v", got)
		}
		if rest := w.expect("/v1/changes?since=" + s["cursor"].(string))["changes"].([]any); len(rest) != 0 {
			t.Errorf("behind the cursor of the snapshot: %v", rest)
		}
		p.write("a.example", strings.Replace(full("a.example"), "Invented shop.", "Invented shop!", 1))
		if got := w.expect("/v1/snapshot")["snapshot"]; got == s["snapshot"] {
			t.Error("one other octet leaves the snapshot as it was")
		}
	})
	t.Run("BC-R-902 a state that flips by time changes the snapshot", func(t *testing.T) {
		w := newWorld(t)
		w.publisher("pub-7", "*").prove(shop, minimal(shop))
		before := w.expect("/v1/snapshot")["snapshot"]
		w.pass(169 * time.Hour)
		if w.expect("/v1/snapshot")["snapshot"] == before {
			t.Error("it does not")
		}
	})
}

func TestRateLimit(t *testing.T) {
	limited := func(o *Options) { o.Rate = 120 }
	t.Run("BC-R-908 the 121st full read in a minute is 429 with Retry-After", func(t *testing.T) {
		w := newWorld(t, limited)
		for i := range 120 {
			if a := w.get("/v1/snapshot"); a.status != http.StatusOK {
				t.Fatalf("read %d: %d", i, a.status)
			}
		}
		a := w.get("/v1/snapshot")
		seconds, err := strconv.Atoi(a.header.Get("Retry-After"))
		if a.status != http.StatusTooManyRequests || a.code(t) != "rate-limited" || err != nil || seconds < 1 || seconds > 60 {
			t.Errorf("answer %d, Retry-After %q", a.status, a.header.Get("Retry-After"))
		}
		if a.header.Get("RateLimit-Limit") != "120" || a.header.Get("RateLimit-Remaining") != "0" {
			t.Errorf("fields %v", a.header)
		}
		w.pass(time.Duration(seconds) * time.Second)
		if a := w.get("/v1/snapshot"); a.status != http.StatusOK {
			t.Errorf("after Retry-After: %d", a.status)
		}
	})
	t.Run("BC-R-908 a 304 costs a tenth", func(t *testing.T) {
		w := newWorld(t, limited)
		tag := w.get("/v1/snapshot").header.Get("ETag")
		for i := range 1190 {
			if a := w.get("/v1/snapshot", "If-None-Match", tag); a.status != http.StatusNotModified {
				t.Fatalf("read %d: %d", i, a.status)
			}
		}
		if a := w.get("/v1/snapshot", "If-None-Match", tag); a.status != http.StatusTooManyRequests {
			t.Errorf("the bucket was not empty: %d", a.status)
		}
	})
	t.Run("BC-R-908 a wrong tag does not make full reads cheap", func(t *testing.T) {
		w := newWorld(t, limited)
		n := 0
		for ; n < 1000 && w.get("/v1/snapshot", "If-None-Match", `"x"`).status == http.StatusOK; n++ {
		}
		if n != 120 {
			t.Errorf("%d full reads", n)
		}
	})
	t.Run("BC-R-908 IPv6 counts by /64 and addresses do not share a bucket otherwise", func(t *testing.T) {
		w := newWorld(t, limited)
		for i := range 120 {
			w.get("/v1/snapshot", "remote", fmt.Sprintf("[2001:db8::%x]:9", i+1))
		}
		for remote, want := range map[string]int{"[2001:db8::ffff:1]:9": 429, "[2001:db8:0:1::1]:9": 200, "198.51.100.1:9": 200, "[::ffff:198.51.100.1]:9": 200} {
			if a := w.get("/v1/snapshot", "remote", remote); a.status != want {
				t.Errorf("%s: %d", remote, a.status)
			}
		}
	})
	t.Run("forwarded addresses count only from trusted proxies", func(t *testing.T) {
		trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		for name, test := range map[string]struct {
			remote, field string
			trusted       []netip.Prefix
			want          string
		}{
			"no proxy is trusted":      {"10.0.0.1:1", "198.51.100.7", nil, "10.0.0.1/32"},
			"a trusted proxy":          {"10.0.0.1:1", "192.0.2.1, 198.51.100.7", trusted, "198.51.100.7/32"},
			"two of them":              {"10.0.0.1:1", "198.51.100.7, 10.2.0.1", trusted, "198.51.100.7/32"},
			"a stranger":               {"203.0.113.9:1", "198.51.100.7", trusted, "203.0.113.9/32"},
			"an entry that is no name": {"10.0.0.1:1", "198.51.100.7, unknown", trusted, "10.0.0.1/32"},
			"no field":                 {"10.0.0.1:1", "", trusted, "10.0.0.1/32"},
			"a socket":                 {"@", "", trusted, "invalid Prefix"},
		} {
			r, err := http.NewRequest("GET", testBase, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.RemoteAddr = test.remote
			if test.field != "" {
				r.Header.Set("X-Forwarded-For", test.field)
			}
			if got := client(r, test.trusted).String(); got != test.want {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
	t.Run("BC-R-036 nothing on disk names a reader, and memory forgets", func(t *testing.T) {
		w := newWorld(t, limited)
		w.publisher("pub-7", "*").prove(shop, minimal(shop))
		for range 100 {
			w.get("/v1/site/"+shop, "remote", "198.51.100.7:1")
		}
		w.pass(time.Hour)
		files, err := filepath.Glob(filepath.Join(w.folder, "*"))
		if err != nil || len(files) < 2 {
			t.Fatal(files, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "198.51.100.7") {
				t.Errorf("%s names the reader", file)
			}
		}
		w.limiter.forget()
		if n := len(w.limiter.buckets); n != 0 {
			t.Errorf("%d buckets are left", n)
		}
	})
	t.Run("a million addresses do not take more than their room", func(t *testing.T) {
		l := newLimiter[int](120, time.Now)
		for i := range 1_000_000 {
			l.spend(i, priceRead, false)
		}
		if len(l.buckets) > maxBuckets {
			t.Errorf("%d buckets", len(l.buckets))
		}
	})
}
