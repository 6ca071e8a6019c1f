package demo

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// stories reads testdata/rows.txtar.
func stories(t *testing.T) []txtar.File {
	t.Helper()
	data, err := os.ReadFile("testdata/rows.txtar")
	if err != nil {
		t.Fatal(err)
	}
	return txtar.Parse(data).Files
}

func TestExplainTellsARightRowFromAWrongOne(t *testing.T) {
	ok, wrong := map[string]int{}, map[string]int{}
	for _, story := range stories(t) {
		t.Run(story.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				behaviour, _, _ := strings.Cut(story.Name, ":")
				p := player{t: t, world: furnish(), host: host(behaviour), held: map[string]http.Header{}}
				if strings.Contains(behaviour, ".") {
					p.host = behaviour // a domain of its own
				}
				if _, known := p.world.sites[p.host]; !known {
					t.Fatalf("no site %s", p.host)
				}
				for line := range strings.Lines(string(story.Data)) {
					if f := strings.Fields(line); len(f) > 0 {
						p.play(f)
					}
				}
				switch p.verdict {
				case "ok":
					ok[p.host]++
				case "wrong":
					wrong[p.host]++
				default:
					t.Error("the story has no end")
				}
			})
		})
	}
	for _, s := range Sites() {
		if ok[s.Name] == 0 || wrong[s.Name] == 0 {
			t.Errorf("%s: %d right and %d wrong stories, want at least one of each", s.Name, ok[s.Name], wrong[s.Name])
		}
	}
}

// player plays one story against the handlers of a world.
type player struct {
	t       *testing.T
	world   *World
	host    string
	held    map[string]http.Header // validators by target
	seen    Observation
	verdict string
}

func (p *player) play(f []string) {
	arg := func(i int) string {
		if i < len(f) {
			return f[i]
		}
		return ""
	}
	switch f[0] {
	case "pages":
		p.ask(p.host, "/", "200|304", true)
		for _, e := range p.entries() {
			p.ask(p.host, "/"+e.slug, "200|304", true)
		}
	case "get":
		p.ask(p.host, arg(1), arg(2), true)
	case "bare":
		p.ask(p.host, arg(1), arg(2), false)
	case "at":
		p.ask(host(arg(1)), arg(2), arg(3), false)
	case "plain":
		r := p.request(p.host, arg(1))
		r.TLS = nil
		p.send(r, &sink{}, arg(2))
	case "declare":
		r := p.request(p.host, arg(1))
		r.Header.Set("Automation-Purpose", "search")
		p.send(r, &sink{}, arg(2))
	case "leave":
		ctx, cancel := context.WithTimeout(p.t.Context(), p.duration(arg(2)))
		defer cancel()
		p.send(p.request(p.host, arg(1)).WithContext(ctx), &sink{}, "200")
	case "cap":
		p.send(p.request(p.host, arg(1)), &sink{limit: int64(p.number(arg(2)))}, "200")
	case "wait":
		<-time.After(p.duration(arg(1))) // virtual: the story runs in a bubble
	case "advance":
		p.world.Advance()
	case "kept":
		p.seen.Pages = p.number(arg(1))
	case "gone":
		p.seen.Gone = p.number(arg(1))
	case "refused":
		p.seen.Refused = merged(p.seen.Refused, map[string]int{arg(1): 1})
	case "failed":
		p.seen.Failed = merged(p.seen.Failed, map[string]int{arg(1): 1})
	case "waiting":
		p.seen.Waiting = merged(p.seen.Waiting, map[string]int{arg(1): 1})
	case "delay":
		p.seen.Delay = p.duration(arg(1))
	case "use":
		p.seen.Uses = map[string]string{arg(1): arg(2)}
		p.seen.Withheld = map[string]string{arg(1): arg(3)}
	case "context":
		p.seen.ContextState, p.seen.ContextReason, p.seen.ContextMechanism = arg(1), arg(2), arg(3)
	case "did":
		p.contains(p.row().Did, strings.Join(f[1:], " "))
	case "why":
		p.contains(p.row().Why, strings.Join(f[1:], " "))
	case "row":
		p.verdict = arg(1)
		row := p.row()
		if row.OK != (p.verdict == "ok") {
			p.t.Errorf("row OK = %t, want %s\ndid: %s\nwhy: %s", row.OK, p.verdict, row.Did, row.Why)
		}
		if row.Site != p.host || row.Asked == "" || row.Did == "" {
			p.t.Errorf("incomplete row: %+v", row)
		}
	default:
		p.t.Fatalf("unknown line %q", f)
	}
}

// entries are those of the notebook of the site.
func (p *player) entries() []entry {
	about := p.world.sites[p.host].about
	if about == nil {
		about = bakery // http-to-https serves its notebook itself
	}
	return about().entries
}

func (p *player) row() Row { return p.world.sites[p.host].Explain(p.seen, p.world.Log()) }

func (p *player) request(host, target string) *http.Request {
	r := httptest.NewRequestWithContext(p.t.Context(), http.MethodGet, target, nil)
	r.Host = host
	r.TLS = &tls.ConnectionState{}
	r.Header.Set("Accept-Encoding", "br, gzip, zstd, deflate")
	return r
}

func (p *player) ask(host, target, want string, validate bool) {
	r := p.request(host, target)
	if held := p.held[host+target]; validate && held != nil {
		if tag := held.Get("ETag"); tag != "" {
			r.Header.Set("If-None-Match", tag)
		} else if date := held.Get("Last-Modified"); date != "" {
			r.Header.Set("If-Modified-Since", date)
		}
	}
	s := &sink{}
	p.send(r, s, want)
	if s.status == http.StatusOK && p.held != nil {
		p.held[host+target] = s.Header()
	}
}

func (p *player) send(r *http.Request, s *sink, want string) {
	p.t.Helper()
	p.world.ServeHTTP(s, r)
	if got := strconv.Itoa(s.status); want != "" && !strings.Contains("|"+want+"|", "|"+got+"|") {
		p.t.Errorf("%s %s: status %s, want %s", r.Host, r.RequestURI, got, want)
	}
}

func (p *player) contains(text, want string) {
	p.t.Helper()
	if !strings.Contains(text, want) {
		p.t.Errorf("%q does not contain %q", text, want)
	}
}

func (p *player) number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		p.t.Fatal(err)
	}
	return n
}

func (p *player) duration(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		p.t.Fatal(err)
	}
	return d
}

// sink is a client that counts, and hangs up after limit octets if that is set.
type sink struct {
	header http.Header
	status int
	taken  int64
	limit  int64
}

var errHungUp = errors.New("client hung up")

func (s *sink) Header() http.Header {
	if s.header == nil {
		s.header = http.Header{}
	}
	return s.header
}

func (s *sink) WriteHeader(code int) { s.status = code }

func (s *sink) Write(b []byte) (int, error) {
	if s.status == 0 {
		s.status = http.StatusOK
	}
	if s.limit > 0 && s.taken+int64(len(b)) > s.limit {
		return 0, errHungUp
	}
	s.taken += int64(len(b))
	return len(b), nil
}

func (s *sink) Flush() {}

func TestACrawlerThatOverstatesIsWrong(t *testing.T) {
	log := Log{
		{Host: host("x"), Target: "/", Half: 1, Status: 200, InFlight: 1},
		{Host: host("x"), Target: "/", Half: 2, Status: 304, InFlight: 1},
		{Host: host("y"), Target: "/", Half: 1, Status: 200, InFlight: 1},
	}
	s := Site{Name: host("x"), Expect: []Expectation{Asked{Times: exactly(2)}}}
	for _, tt := range []struct {
		name string
		seen Observation
		did  string // "" if the row is right
	}{
		{"all as sent", Observation{Pages: 1, NotModified: 1, Statuses: map[int]int{200: 1, 304: 1}}, ""},
		{"less than sent", Observation{}, ""},
		{"a page of another host", Observation{Pages: 2}, "claims 2 pages of 1 sent"},
		{"a 304 too many", Observation{NotModified: 2}, "claims 2 unchanged of 1 sent"},
		{"a status never sent", Observation{Statuses: map[int]int{200: 1, 410: 1}}, "claims 1 answers with 410 of 0 sent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			row := s.Explain(tt.seen, log)
			if row.OK != (tt.did == "") || !strings.Contains(row.Did, tt.did) {
				t.Errorf("row %+v, want %q", row, tt.did)
			}
		})
	}
}

func TestTotalsNameWhatWasSaved(t *testing.T) {
	seen := Observation{Pages: 2, NotModified: 3, SavedBytes: 2048, Waiting: map[string]int{"pace.back-off": 1}}
	if got, want := totals(seen, make(Log, 6)), "6 requests, 2 kept, 3 unchanged, 1 waiting, 2.0 KiB saved"; got != want {
		t.Errorf("totals = %q, want %q", got, want)
	}
}

func TestNoSiteIsRightWithoutEvidence(t *testing.T) {
	for _, s := range Sites() {
		if row := s.Explain(Observation{}, nil); row.OK {
			t.Errorf("%s is OK although nothing was seen: %+v", s.Name, row)
		}
	}
}

func TestASiteThatExpectsNothingIsNeverRight(t *testing.T) {
	if (Site{Name: host("empty")}).Explain(Observation{Pages: 1}, nil).OK {
		t.Error("OK without an expectation")
	}
}

func TestTabulateGivesOneRowPerSiteInOrder(t *testing.T) {
	sites := Sites()
	table := Tabulate(sites, nil, nil)
	if len(table) != len(sites) {
		t.Fatalf("%d rows for %d sites", len(table), len(sites))
	}
	for i, row := range table {
		if row.Site != sites[i].Name {
			t.Errorf("row %d is about %s, want %s", i, row.Site, sites[i].Name)
		}
	}
	for name, tt := range map[string]struct {
		table Table
		want  bool
	}{
		"an empty table is not right":      {nil, false},
		"one wrong row spoils it":          {Table{{OK: true}, {OK: false}}, false},
		"a table of right rows is right":   {Table{{OK: true}, {OK: true}}, true},
		"a table made of nothing is wrong": {table, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tt.table.OK(); got != tt.want {
				t.Errorf("OK = %t", got)
			}
		})
	}
}

func TestWhyFallsBackOnEveryReasonSeen(t *testing.T) {
	s := Site{Name: host("x"), Expect: []Expectation{Kept{exactly(0)}}}
	row := s.Explain(Observation{Refused: map[string]int{"robots.disallow": 2}, Failed: map[string]int{"made.up": 1}}, nil)
	if want := "made.up; robots.disallow: a rule of robots.txt forbids it"; row.Why != want {
		t.Errorf("why = %q, want %q", row.Why, want)
	}
}

func TestContextReasonWordsExistForEveryReasonASiteAccepts(t *testing.T) {
	for _, s := range Sites() {
		for _, x := range s.Expect {
			var codes []string
			switch x := x.(type) {
			case Reason:
				codes = x.Codes
			case Context:
				codes = x.Reasons
			}
			for _, code := range codes {
				if sentence(code) == "" {
					t.Errorf("%s accepts %q, which has no sentence", s.Name, code)
				}
			}
		}
	}
}
