package discover_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/crawler/discover"
)

const (
	shop      = "https://shop.example"
	wellKnown = shop + discover.WellKnownPath
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// resolve stands in for the frontier's canonicaliser, over net/url.
func resolve(base, ref string) (string, bool) {
	b, err := url.Parse(base)
	if err != nil {
		return "", false
	}
	r, err := url.Parse(ref)
	if err != nil {
		return "", false
	}
	u := b.ResolveReference(r)
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", false
	}
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), true
}

func inputs(records ...string) discover.Inputs {
	return discover.Inputs{Resolve: resolve, Policy: discover.DefaultPolicy(), Records: records}
}

// reply builds a response from a status, a body and "Name: value" lines.
func reply(status int, body string, fields ...string) discover.Response {
	header := http.Header{}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ": ")
		header.Add(name, value)
	}
	return discover.Response{Status: status, Header: header, Body: []byte(body), DecodedBytes: int64(len(body)), WireBytes: int64(len(body)), ReceivedAt: noon}
}

func markdown(body string, fields ...string) discover.Response {
	return reply(200, body, append(fields, "Content-Type: text/markdown; charset=utf-8")...)
}

func redirect(status int, location string) discover.Response {
	return reply(status, "", "Location: "+location)
}

// world answers cycles: by URL, 404 for the rest. It records what was asked.
type world struct {
	answers map[string]discover.Response
	denied  map[string]discover.Denial
	asked   []string
	steps   []discover.Step
}

// run drives one cycle to its end and returns its result; the memory is committed.
func (w *world) run(m *discover.Memory, in discover.Inputs, now time.Time) discover.Result {
	cycle := discover.Begin(*m, in, now)
	for {
		step, more := cycle.Next()
		if !more {
			break
		}
		if why, is := w.denied[step.URI]; is {
			cycle.Denied(why, now.Add(time.Hour))
			continue
		}
		w.asked, w.steps = append(w.asked, step.URI), append(w.steps, step)
		answer, known := w.answers[step.URI]
		if !known {
			answer = reply(404, "")
		}
		if tag := answer.Header.Get("ETag"); tag != "" && tag == step.IfNoneMatch {
			answer = reply(304, "", "ETag: "+tag)
		}
		answer.ReceivedAt = now
		cycle.Answer(answer)
	}
	*m = cycle.Memory()
	return cycle.Result()
}

func expect(t *testing.T, r discover.Result, state discover.State, reason discover.Reason) {
	t.Helper()
	if r.State != state || r.Reason != reason {
		t.Errorf("got %s/%s, want %s/%s (attempts %+v)", r.State, r.Reason, state, reason, r.Attempts)
	}
}

func (w *world) expectAsked(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(w.asked, want) {
		t.Errorf("asked for\n %q, want\n %q", w.asked, want)
	}
	w.asked, w.steps = nil, nil
}
