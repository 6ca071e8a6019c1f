package standards

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"heed/politeness"
)

// outcome is one line of testdata/robots-status.jsonl: what became of a
// request for robots.txt, and what is right then.
type outcome struct {
	ID    string `json:"id"`
	About string `json:"about"`
	Given struct {
		Status       int               `json:"status"`
		Error        string            `json:"error"`
		Headers      map[string]string `json:"headers"`
		Body         string            `json:"body"`
		BodyOctets   int               `json:"body_octets"`
		Redirects    json.RawMessage   `json:"redirects"`
		FailingHours float64           `json:"failing_hours"`
		Fetch        *bool             `json:"fetch"`
		Cached       *struct {
			AgeHours float64 `json:"age_hours"`
			MaxAge   float64 `json:"max_age_s"`
		} `json:"cached"`
	} `json:"given"`
	Recommended string  `json:"recommended"`
	Retry       string  `json:"retry"`
	CacheHours  float64 `json:"cache_hours_max"`
}

const (
	cachedRules = "User-agent: *\nDisallow: /cached/\n"
	servedRules = "User-agent: *\nDisallow: /served/\n"
)

func hours(h float64) time.Duration { return time.Duration(h * float64(time.Hour)) }

// bring does with an outcome what a crawler has to do: answers go into the
// library as they are, everything that is no answer is reported as a failure.
func (o *outcome) bring(t *testing.T, l *politeness.Library, p politeness.Place) {
	g := &o.Given
	if g.Cached != nil {
		age, life := hours(g.Cached.AgeHours), p.MaxAge
		if g.Cached.MaxAge > 0 {
			life = min(life, time.Duration(g.Cached.MaxAge)*time.Second)
		}
		o.store(t, l, &politeness.Document{URL: p.URL, Status: 200, Body: []byte(cachedRules),
			FetchedAt: noon.Add(-age), Expires: noon.Add(life - age)})
	}
	if g.Fetch != nil && !*g.Fetch {
		return
	}
	d := &politeness.Document{URL: p.URL, Status: g.Status, Header: http.Header{}, FetchedAt: noon, Expires: noon.Add(p.MaxAge)}
	switch hops := o.hops(t); {
	case g.Error != "":
		o.fail(t, l, p, g.Error)
		return
	case hops < 0 || hops > 5:
		d.Status = 302
		d.Header.Set("Location", p.URL+"?again")
	case hops > 0 && g.Status == 0: // a redirect without Location
		o.fail(t, l, p, "redirect")
		return
	case g.Status == 304 && g.Cached != nil:
		held, err := l.Copy(t.Context(), p.URL)
		if err != nil {
			t.Fatal(err)
		}
		*d = *held
		d.FetchedAt, d.Expires = noon, noon.Add(p.MaxAge)
	case g.Status < 200 || g.Status == 304 || g.Status == 408 || g.Status == 425 || g.Status == 429 || g.Status > 499:
		o.fail(t, l, p, "status")
		return
	}
	if d.Body == nil {
		d.Body, d.Truncated = o.body(p)
	}
	o.store(t, l, d)
}

// hops counts the redirects, -1 for a loop.
func (o *outcome) hops(t *testing.T) int {
	var list []int
	switch raw := o.Given.Redirects; {
	case raw == nil:
	case string(raw) == `"loop"`:
		return -1
	default:
		if err := json.Unmarshal(raw, &list); err != nil {
			t.Fatal(err)
		}
	}
	return len(list)
}

func (o *outcome) body(p politeness.Place) (body []byte, cut bool) {
	switch o.Given.Body {
	case "rules":
		body = []byte(servedRules)
	case "html":
		body = []byte("<!doctype html><title>Lost: page</title>\n<p>Disallow: /</p>\n")
	case "html_meta_refresh":
		body = []byte("<meta http-equiv=refresh content=\"0; url=/rules\">\n")
	}
	if o.Given.BodyOctets > len(body) {
		body = append(body, bytes.Repeat([]byte("# padding\n"), o.Given.BodyOctets/10)...)
		return body[:p.MaxBytes], true
	}
	return body, false
}

func (o *outcome) store(t *testing.T, l *politeness.Library, d *politeness.Document) {
	if err := l.Store(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

func (o *outcome) fail(t *testing.T, l *politeness.Library, p politeness.Place, kind string) {
	after, _ := strconv.Atoi(o.Given.Headers["Retry-After"])
	for _, at := range []time.Time{noon.Add(-hours(o.Given.FailingHours)), noon} {
		_, err := l.Unreachable(t.Context(), p, kind, o.Given.Status, at, noon.Add(time.Duration(after)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sees asks for two paths and names what the crawler goes by.
func sees(t *testing.T, g *politeness.Gate) (string, time.Time) {
	verdicts := map[string]politeness.Decision{}
	for _, path := range []string{"/cached/", "/served/"} {
		d, need, err := g.Before(t.Context(), ask(path))
		if err != nil {
			t.Fatal(err)
		}
		if need != nil {
			return "refetch", time.Time{}
		}
		verdicts[path] = d
	}
	cached, served := verdicts["/cached/"], verdicts["/served/"]
	switch {
	case cached.Verdict == politeness.Wait && served.Verdict == politeness.Wait && cached.Reason == politeness.RobotsUnreachable:
		return "disallow_all", cached.Until
	case cached.Verdict == politeness.Deny && served.Verdict == politeness.Allow:
		return "use_cached", time.Time{}
	case cached.Verdict == politeness.Allow && served.Verdict == politeness.Deny:
		return "use_body", time.Time{}
	case cached.Verdict == politeness.Allow && served.Verdict == politeness.Allow:
		return "allow_all", time.Time{}
	}
	return "cached " + cached.Verdict.String() + ", served " + served.Verdict.String(), time.Time{}
}

func TestRobotsStatus(t *testing.T) {
	f, err := os.Open("testdata/robots-status.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, n := bufio.NewScanner(f), 0
	for lines.Scan() {
		var o outcome
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			t.Fatal(err)
		}
		n++
		t.Run(o.ID+" "+o.About, func(t *testing.T) {
			g := robotsGate(Options{Token: "heed"}, memoryCache{})
			p := robotsPlace("https://shop.test")
			if o.CacheHours > 0 && p.MaxAge > hours(o.CacheHours) {
				t.Errorf("kept for %s, at most %v hours are right", p.MaxAge, o.CacheHours)
			}
			o.bring(t, g.Library(), p)
			want := o.Recommended
			if want == "use_body" && o.Given.Body != "rules" {
				want = "allow_all" // a body without rules
			}
			got, until := sees(t, g)
			if got != want {
				t.Errorf("goes by %s, want %s", got, want)
			}
			if got == "disallow_all" && !until.After(noon) {
				t.Errorf("to be asked again at %s", until)
			}
			if after := o.Given.Headers["Retry-After"]; after != "" && until.Before(noon.Add(time.Minute)) {
				t.Errorf("asked again at %s although Retry-After is %s", until, after)
			}
		})
	}
	if err := lines.Err(); err != nil || n != 57 {
		t.Fatalf("%d lines, %v", n, err)
	}
}

func TestAStatusThatIsNoAnswerClosesTheOriginEvenIfItIsKept(t *testing.T) {
	tests := []struct {
		status   int
		location string
		want     politeness.Verdict
	}{
		{0, "", politeness.Wait}, {199, "", politeness.Wait}, {200, "", politeness.Silent}, {204, "", politeness.Silent},
		{302, "", politeness.Wait}, {302, "/r", politeness.Silent}, {304, "/r", politeness.Wait}, {399, "", politeness.Wait},
		{400, "", politeness.Silent}, {404, "", politeness.Silent}, {408, "", politeness.Wait}, {425, "", politeness.Wait},
		{429, "", politeness.Wait}, {499, "", politeness.Silent}, {500, "", politeness.Wait}, {503, "", politeness.Wait},
		{622, "", politeness.Wait}, {-1, "", politeness.Wait},
	}
	for _, tt := range tests {
		d := politeness.Document{Status: tt.status, Header: http.Header{}, FetchedAt: noon, Expires: noon.Add(time.Hour)}
		if tt.location != "" {
			d.Header.Set("Location", tt.location)
		}
		o := newRobots(Options{}).Read(politeness.Place{}, d).Judge(ask("/"))
		if o.Verdict != tt.want {
			t.Errorf("status %d, location %q: %s, want %s", tt.status, tt.location, o.Verdict, tt.want)
		}
		if o.Verdict == politeness.Wait && (o.Reason != politeness.RobotsUnreachable || !o.Until.Equal(d.Expires)) {
			t.Errorf("status %d: %s until %s", tt.status, o.Reason, o.Until)
		}
	}
}

func TestUnreachable(t *testing.T) {
	day := 24 * time.Hour
	tests := []struct {
		name    string
		status  int
		since   time.Duration
		path    string
		verdict politeness.Verdict
	}{
		{"no copy", 0, time.Hour, "/", politeness.Wait},
		{"no copy for two months", 0, 60 * day, "/", politeness.Wait},
		{"a copy, first failure", 200, 0, "/", politeness.Wait},
		{"a copy forbids, first failure", 200, 0, "/cached/", politeness.Wait},
		{"a copy, thirty days", 200, 30 * day, "/", politeness.Wait},
		{"a copy, longer than thirty days", 200, 30*day + 1, "/", politeness.Silent},
		{"a copy forbids, longer than thirty days", 200, 30*day + 1, "/cached/", politeness.Deny},
		{"there was no file, longer than thirty days", 404, 31 * day, "/", politeness.Wait},
		{"the file itself stays reachable", 0, time.Hour, "/robots.txt", politeness.Allow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := politeness.Document{URL: "https://shop.test/robots.txt", Status: tt.status, Body: []byte(cachedRules),
				Failure: &politeness.Failure{Kind: "dns", Since: noon.Add(-tt.since), At: noon, Next: noon.Add(time.Minute), Attempts: 1}}
			o := newRobots(Options{Token: "heed"}).Read(politeness.Place{}, d).Judge(ask(tt.path))
			if o.Verdict != tt.verdict {
				t.Fatalf("%s, want %s", o.Verdict, tt.verdict)
			}
			if o.Verdict == politeness.Wait && !o.Until.Equal(d.Failure.Next) {
				t.Errorf("until %s, want %s", o.Until, d.Failure.Next)
			}
		})
	}
}
