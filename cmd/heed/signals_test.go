package main_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// signalSite is a site that denies something by one of the ten signals.
type signalSite struct {
	name     string // the signal; the host is NAME.test
	purposes string
	config   string            // further lines of the configuration
	pages    map[string]string // bodies by target; JSON, XML and robots.txt get their types
	fields   map[string]string // further fields "Name: value" of the answers to targets
	status   map[string]int    // other statuses than 200
	card     string            // consent card in the registry, "" for no registry
	seeds    []string          // targets, best first; none is the home page

	denied    []string // never asked for; the first is a seed or is linked from one
	documents []string // policy documents that may be asked for
	open      []string // pages that may be asked for, and are
	exit      int      // of the crawl
}

const (
	robotsDoc     = "/robots.txt"
	automationDoc = "/automation-preferences.txt"
	tdmDoc        = "/.well-known/tdmrep.json"

	signalHome = `<p>home <a href="/shut/a">shut</a> <a href="/open">open</a>`
)

func signalSites() []signalSite {
	linked := func(more map[string]string) map[string]string {
		pages := map[string]string{"/": signalHome, "/open": "open", "/shut/a": "shut"}
		maps.Copy(pages, more)
		return pages
	}
	reading, training := []string{robotsDoc, automationDoc}, []string{robotsDoc, automationDoc, tdmDoc}
	shut, open := []string{"/shut/a"}, []string{"/", "/open"}
	return []signalSite{
		{name: "operator", purposes: "index", config: "rules:\n  - {host: operator.test, deny: true}\n",
			pages: linked(nil), denied: []string{"/", "/open", "/shut/a"}, exit: 20},
		{name: "robots", purposes: "index", pages: linked(map[string]string{robotsDoc: "User-agent: *\nDisallow: /shut/\n"}),
			denied: shut, documents: reading, open: open},
		{name: "automation", purposes: "index", pages: linked(map[string]string{automationDoc: "Scope: /shut/\nDisallowedMethods: GET, HEAD\n"}),
			denied: shut, documents: reading, open: open},
		{name: "card", purposes: "index", pages: linked(nil), card: `"consent":{"retrieve":false}`,
			denied: []string{"/", "/open", "/shut/a"}, documents: reading, exit: 20},
		{name: "aipref", purposes: "train", pages: linked(map[string]string{robotsDoc: "User-agent: *\nContent-Usage: train-ai=y\nContent-Usage: /shut/ train-ai=n\n"}),
			denied: shut, documents: training, open: open},
		{name: "content-signal", purposes: "train", pages: linked(map[string]string{robotsDoc: "User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no\n"}),
			denied: []string{"/", "/open", "/shut/a"}, documents: training, exit: 20},
		{name: "tdm", purposes: "train", pages: linked(map[string]string{robotsDoc: "User-agent: *\nContent-Signal: ai-train=yes\n",
			tdmDoc: `[{"location":"/shut/*","tdm-reservation":1},{"location":"/","tdm-reservation":0}]`}),
			denied: shut, documents: training, open: open},
		// What a response says comes too late for itself, in time for what it links to.
		{name: "xrobots", purposes: "index", pages: linked(nil), fields: map[string]string{"/": "X-Robots-Tag: nofollow"},
			denied: []string{"/shut/a", "/open"}, documents: reading, open: []string{"/"}},
		{name: "rate", purposes: "index", pages: linked(nil), fields: map[string]string{"/busy": "Retry-After: 3600"}, status: map[string]int{"/busy": 429},
			seeds: []string{"/busy", "/shut/a", "/open"}, denied: []string{"/shut/a", "/open"}, documents: reading, open: []string{"/busy"}, exit: 24},
		{name: "rsl", purposes: "train", pages: linked(map[string]string{robotsDoc: "User-agent: *\nContent-Signal: ai-train=yes\nLicense: /license.xml\n",
			"/license.xml": `<rsl><content url="/"><license/></content><content url="/shut/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>`}),
			denied: shut, documents: append(training, "/license.xml"), open: open},
	}
}

// A request that a signal denies never leaves, whoever asks for it; the only
// others are for pages that are open and for the documents that may be read.
func TestNoRequestLeavesEarly(t *testing.T) {
	for _, s := range signalSites() {
		t.Run(s.name, func(t *testing.T) {
			f := newFarm(t, s)
			data := t.TempDir()
			environ := append(f.environ(data), "HEED_PURPOSE="+s.purposes, "HEED_CONTEXT=off", "HEED_PATIENCE=1s")
			if s.config != "" {
				file := filepath.Join(data, "heed.yaml")
				if err := os.WriteFile(file, []byte(s.config), 0o600); err != nil {
					t.Fatal(err)
				}
				environ = append(environ, "HEED_CONFIG="+file)
			}
			if s.card != "" {
				environ = append(environ, "HEED_REGISTRY=https://registry.test")
			}
			host := s.name + ".test"
			start(t, environ, "crawl", "--json", "--seeds", s.seedFile(t)).expect(t, s.exit)
			s.check(t, f)

			// On demand it is the same gate, and the signal is what decides.
			for _, target := range s.denied {
				if s.name == "xrobots" {
					break // nobody forbids to ask for the page itself
				}
				var d struct{ Source string }
				url, source := "https://"+host+target, s.name
				if source == "rate" {
					source = "pace"
				}
				check := start(t, environ, "check", "--json", url)
				code := check.wait(t)
				if check.json(t, &d); code != 20 && code != 24 || d.Source != source {
					t.Errorf("check %s: exit %d, decided by %q", target, code, d.Source)
				}
				if code := start(t, environ, "fetch", url).wait(t); code != 20 && code != 24 {
					t.Errorf("fetch %s: exit %d", target, code)
				}
			}
			s.check(t, f)
		})
	}
}

// The interface of a configured registry is read whatever its robots.txt says, under
// the name that origins see; the operator is told once.
func TestBCC936ARegistryIsAskedUnderTheNameOfTheCrawler(t *testing.T) {
	sites := signalSites()
	site := sites[slices.IndexFunc(sites, func(s signalSite) bool { return s.name == "card" })]
	f := newFarm(t, site)
	environ := append(f.environ(t.TempDir()), "HEED_PURPOSE=index", "HEED_CONTEXT=off", "HEED_REGISTRY=https://registry.test")
	crawl := start(t, environ, "crawl", "https://card.test/").expect(t, 20) // by the card, so it was read
	if n := strings.Count(crawl.err.String(), "robots.txt of the registry forbids"); n != 1 {
		t.Errorf("%d warnings:\n%s", n, crawl.err.String())
	}
	asked := map[string]bool{}
	for _, r := range f.log() {
		asked[r.Host+r.Target] = true
		if !strings.HasPrefix(r.UserAgent, "heed/") || !strings.HasSuffix(r.UserAgent, "(+https://contact.test/bot)") {
			t.Errorf("%s%s was asked for by %q", r.Host, r.Target, r.UserAgent)
		}
	}
	for _, target := range []string{"registry.test/robots.txt", "registry.test/v1/site/card.test", "card.test/robots.txt"} {
		if !asked[target] {
			t.Errorf("%s was not asked for", target)
		}
	}
}

// Scores order the queue (BC-C-917). They stand beside no site in anything that is
// shown or exported.
func TestBCC010BCC917NoOutputRanksSitesByTheirScores(t *testing.T) {
	shown := func(score int) string {
		f := newFarm(t, signalSite{name: "scored", pages: map[string]string{"/": "home"},
			card: fmt.Sprintf(`"consent":{"retrieve":true},"pages":[{"url":"https://scored.test/","rel":"home","score":%d}]`, score)})
		environ := append(f.environ(t.TempDir()), "HEED_PURPOSE=index", "HEED_CONTEXT=off", "HEED_REGISTRY=https://registry.test")
		var all strings.Builder
		for _, command := range []string{"crawl https://scored.test/ --json", "status --json", "hosts --json", "hosts", "export urls", "export jsonl", "card scored.test"} {
			all.WriteString(start(t, environ, strings.Fields(command)...).expect(t, 0).out.String())
		}
		return all.String()
	}
	for _, score := range []int{20, 95} {
		text := shown(score)
		if strings.Contains(strings.ReplaceAll(text, "scored.test", ""), "score") || !strings.Contains(text, "scored.test") {
			t.Errorf("score %d is shown:\n%s", score, text)
		}
	}
}

// seedFile lists the seeds, the first of them to be asked for first.
func (s *signalSite) seedFile(t *testing.T) string {
	t.Helper()
	targets := s.seeds
	if targets == nil {
		targets = []string{"/"}
	}
	var lines strings.Builder
	for i, target := range targets {
		fmt.Fprintf(&lines, "https://%s.test%s\t%d\n", s.name, target, 100-i)
	}
	file := filepath.Join(t.TempDir(), "seeds.txt")
	if err := os.WriteFile(file, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// check compares what the servers saw with what the site lets be asked.
func (s *signalSite) check(t *testing.T, f *farm) {
	t.Helper()
	asked := map[string]bool{}
	for _, r := range f.log() {
		if r.Host == "registry.test" {
			continue
		}
		asked[r.Target] = true
		if r.Method != http.MethodGet || r.Host != s.name+".test" {
			t.Errorf("%s %s%s was asked for", r.Method, r.Host, r.Target)
		}
		if !slices.Contains(slices.Concat(s.documents, s.open), r.Target) {
			t.Errorf("%s was asked for", r.Target)
		}
	}
	for _, target := range s.open {
		if !asked[target] {
			t.Errorf("%s is open and was not asked for", target)
		}
	}
}

// ServeHTTP answers as the site, and as the registry that has its card.
func (s signalSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Host == "registry.test" {
		s.registry(w, r)
		return
	}
	body, ok := s.pages[r.URL.Path]
	if name, value, set := strings.Cut(s.fields[r.URL.Path], ": "); set {
		w.Header().Set(name, value)
	}
	switch {
	case s.status[r.URL.Path] != 0:
		w.WriteHeader(s.status[r.URL.Path])
		return
	case !ok:
		http.NotFound(w, r)
		return
	}
	types := map[string]string{".txt": "text/plain", ".json": "application/json", ".xml": "application/rsl+xml", "": "text/html"}
	w.Header().Set("Content-Type", types[filepath.Ext(r.URL.Path)])
	fmt.Fprint(w, body)
}

func (s signalSite) registry(w http.ResponseWriter, r *http.Request) {
	domain := s.name + ".test"
	now := time.Now().UTC().Format(time.RFC3339)
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case robotsDoc:
		fmt.Fprint(w, "User-agent: *\nDisallow: /v1/\n")
	case "/.well-known/botcentral-index.json":
		fmt.Fprintf(w, `{"listed":[{"domain":%q,"href":"/v1/site/%s"}]}`, domain, domain)
	case "/v1/site/" + domain:
		fmt.Fprintf(w, `{"botcentral":"1.1","domain":%q,"canonical":"https://%s","allow_bots":true,"allow":[],"deny":[],"verification":{"method":"dns-txt","checked":%q},%s}`,
			domain, domain, now, s.card)
	default:
		http.NotFound(w, r)
	}
}
