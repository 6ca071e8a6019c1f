package standards

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"heed/politeness"
)

// plainDocument is a text/plain answer with a body, held at an origin.
func plainDocument(url, body string) *politeness.Document {
	return &politeness.Document{URL: url, FinalURL: url, Status: 200, Body: []byte(body),
		Header: http.Header{"Content-Type": {"text/plain; charset=utf-8"}}, FetchedAt: noon, Expires: noon.Add(24 * time.Hour)}
}

// readAutomation reads a document as that of an origin.
func readAutomation(o Options, origin string, d *politeness.Document) politeness.Rules {
	s := newAutomation(o)
	return s.Read(s.Where(origin)[0], *d)
}

// generous permits everything that needs an explicit permission.
var generous = politeness.Opinion{Source: "card", Verdict: politeness.Silent, Uses: politeness.Everything(politeness.Yes)}

// questionOf reads "host METHOD path purposes"; a purpose of "-" is none.
func questionOf(t *testing.T, words []string) politeness.Question {
	t.Helper()
	host, _, _ := strings.Cut(words[0], ":")
	q := politeness.Question{URL: "https://" + words[0] + words[2], Origin: "https://" + words[0], Host: host, Path: words[2],
		Method: words[1], Mode: politeness.OnDemand, Now: noon}
	if words[3] != "-" {
		var err error
		if q.Purposes, err = politeness.ParsePurposes(words[3]); err != nil {
			t.Fatal(err)
		}
	}
	return q
}

// automationAnswers answers lines of questions in the form they are written in.
func automationAnswers(t *testing.T, body, questions string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(questions) {
		words := strings.Fields(line)
		q := questionOf(t, words)
		o := readAutomation(Options{}, q.Origin, plainDocument(q.Origin+automationPath, body)).Judge(q)
		o.Source = "automation"
		d := politeness.Combine(q, []politeness.Opinion{o, generous})
		reason, at := d.Reason, d.Rule.Line
		if d.Verdict == politeness.Allow {
			if reason, at = o.Reason, o.Rule.Line; reason == "" {
				reason = "silent"
			}
		}
		fmt.Fprintln(&b, strings.Join(words[:4], " "), d.Verdict, reason, at)
	}
	return b.String()
}

func TestAutomationWorkedExample(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/automation/facts-3.5.txtar")
	if err != nil {
		t.Fatal(err)
	}
	body, questions := string(archive.Files[0].Data), string(archive.Files[1].Data)
	if got := automationAnswers(t, body, questions); got != questions {
		t.Errorf("got\n%swant\n%s", got, questions)
	}
}

func TestAutomationByRow(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/automation/ledger.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			body, questions, ok := strings.Cut(string(f.Data), "=>\n")
			if !ok || questions == "" {
				t.Fatal("no questions")
			}
			if got := automationAnswers(t, body, questions); got != questions {
				t.Errorf("got\n%swant\n%s", got, questions)
			}
		})
	}
}
