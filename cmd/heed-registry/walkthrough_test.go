package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

const card = `{"canonical":"https://shop.example","name":"Sample Shop","topics":["garden"],"allow":["SampleBot"],
"consent":{"train":true,"x_ads":false},"pages":[{"url":"https://shop.example/","rel":"home","score":100}],"x_serial":12345678901234567890.125}`

// publisher adds an account and returns a client with its access token, by a
// public OAuth client library (BC-R-024).
func (s *server) publisher(id string) *http.Client {
	s.w.t.Helper()
	var credentials struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.Unmarshal([]byte(s.w.command(0, "publisher", "add", id, "--domains", "shop.example", "--json")), &credentials); err != nil {
		s.w.t.Fatal(err)
	}
	endpoint, _ := s.read("/.well-known/oauth-authorization-server").member(s.w.t, "token_endpoint").(string)
	c := clientcredentials.Config{ClientID: credentials.ID, ClientSecret: credentials.Secret, TokenURL: endpoint, Scopes: []string{"cards:write"}}
	return c.Client(context.WithValue(s.w.t.Context(), oauth2.HTTPClient, s.client))
}

// TestWalkthrough goes the whole way of a card: written, proven, read by
// everyone, withdrawn.
func TestWalkthrough(t *testing.T) {
	w := newWorld(t)
	s := w.serve()
	press := s.publisher("pub-7")

	// A write proves nothing: the card waits, and is listed nowhere.
	if a := s.ask(press, "PUT", "/v1/site/shop.example", card); a.status != 202 || a.member(t, "verification", "method") != "pending" {
		t.Fatalf("PUT: %+v", a)
	}
	if a := s.read("/v1/snapshot"); a.member(t, "count") != 0.0 {
		t.Errorf("an unproven card is in the catalog: %s", a.body)
	}

	// The owner plants the token in DNS, and the publisher asks for a check.
	token := s.ask(press, "POST", "/v1/site/shop.example/token", "")
	if token.status != 201 {
		t.Fatalf("token: %+v", token)
	}
	line, _ := token.member(t, "line").(string)
	w.change(func() { w.records, w.validate = []string{"v=spf1 -all", line}, true })
	check := s.ask(press, "POST", "/v1/site/shop.example/check", "")
	if check.status != 200 || check.member(t, "found") != "dns-txt" || check.member(t, "state") != "fresh" {
		t.Fatalf("check: %+v", check)
	}

	// Everyone reads the same.
	read := s.read("/v1/site/shop.example")
	if read.status != 200 || read.member(t, "verification", "method") != "dns-txt" || read.member(t, "verification", "dnssec") != "validated" ||
		read.member(t, "listed_by") != "pub-7" || read.member(t, "consent", "retrieve") != true || !strings.Contains(read.body, "12345678901234567890.125") {
		t.Errorf("GET: %+v", read)
	}
	secret, _ := token.member(t, "token").(string)
	if strings.Contains(read.body, secret) || strings.Contains(s.log.String(), secret) {
		t.Error("BC-P-912: the verification token is public")
	}
	if a := s.ask(s.client, "GET", "/v1/site/shop.example", "", "If-None-Match: "+read.header.Get("ETag")); a.status != 304 {
		t.Errorf("a conditional read: %+v", a)
	}
	if a := s.read("/v1/snapshot"); a.member(t, "count") != 1.0 {
		t.Errorf("snapshot: %s", a.body)
	}
	if a := s.read("/v1/changes"); !strings.Contains(a.body, strings.Trim(read.header.Get("ETag"), `"`)) {
		t.Errorf("changes: %s", a.body)
	}
	if a := s.read("/site/shop.example"); a.status != 200 || !strings.Contains(a.body, "Sample Shop") || strings.Contains(a.body, secret) {
		t.Errorf("page: %d", a.status)
	}
	s.sameOverMCP(read)

	// The command sees it, too, and the state is sound.
	if out := w.command(0, "check", "shop.example", "--json"); !strings.Contains(out, `"found":"dns-txt"`) {
		t.Errorf("check: %s", out)
	}
	if out := w.command(0, "verify"); !strings.Contains(out, "sound: 1 cards, 1 of them listed") {
		t.Errorf("verify: %s", out)
	}

	// Consent is withdrawn: followers of the feed see that the card is gone.
	if a := s.ask(press, "DELETE", "/v1/site/shop.example", ""); a.status != 204 {
		t.Errorf("DELETE: %+v", a)
	}
	if a := s.read("/v1/site/shop.example"); a.status != 404 || a.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("after the withdrawal: %+v", a)
	}
	if a := s.read("/v1/changes"); !strings.Contains(a.body, `"etag":null`) {
		t.Errorf("changes after the withdrawal: %s", a.body)
	}
	if code := s.stop(); code != exitStopped {
		t.Errorf("exit code %d, want %d: %s", code, exitStopped, s.log)
	}
	log, err := os.ReadFile(filepath.Join(w.data(), "writes.jsonl"))
	if err != nil || strings.Count(string(log), "\n") < 4 || strings.Contains(string(log), secret) {
		t.Errorf("write log: %v\n%s", err, log)
	}
}

// sameOverMCP compares the tools with the HTTP reads (BC-R-023).
func (s *server) sameOverMCP(read answer) {
	t := s.w.t
	t.Helper()
	advert := s.read("/.well-known/mcp.json")
	endpoint, _ := advert.member(t, "endpoint").(string)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: endpoint, HTTPClient: s.client}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_listed_site", Arguments: map[string]any{"domain": "shop.example"}})
	if err != nil || r.IsError || !reflect.DeepEqual(r.StructuredContent, read.member(t)) {
		t.Errorf("get_listed_site: %+v, %v", r, err)
	}
	r, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "search_catalog", Arguments: map[string]any{"q": "sample", "include": "card"}})
	if err != nil || !reflect.DeepEqual(r.StructuredContent, s.read("/v1/search?q=sample&include=card").member(t)) {
		t.Errorf("search_catalog: %+v, %v", r, err)
	}
	r, err = session.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_listed_site", Arguments: map[string]any{"domain": "none.example"}})
	if err != nil || !r.IsError {
		t.Errorf("an unlisted domain: %+v, %v", r, err)
	}
}

func TestBCP014BCP905TheFileIsLookedAtBeforeDNS(t *testing.T) {
	w := newWorld(t)
	s := w.serve()
	press := s.publisher("pub-7")
	if a := s.ask(press, "PUT", "/v1/site/shop.example", card); a.status != 202 {
		t.Fatalf("PUT: %+v", a)
	}
	line, _ := s.ask(press, "POST", "/v1/site/shop.example/token", "").member(t, "line").(string)
	w.change(func() {
		w.records = []string{line}
		w.files["/.well-known/botcentral.txt"] = plainText("# ours\n" + line + "\n")
		w.files["/robots.txt"] = plainText("User-agent: SampleBot\nDisallow: /\n")
	})
	a := s.ask(press, "POST", "/v1/site/shop.example/check", "")
	note, _ := a.member(t, "note").(string)
	if a.member(t, "found") != "well-known-file" {
		t.Errorf("BC-P-905: %s", a.body)
	}
	if !strings.Contains(note, "robots.txt bars SampleBot") {
		t.Errorf("BC-P-908: note %q", note)
	}

	// An application shell on the same path is no proof any more (BC-P-031), and
	// one miss does not end it (BC-P-906).
	w.change(func() {
		w.records = nil
		w.files["/.well-known/botcentral.txt"] = func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/html")
			_, _ = rw.Write([]byte("<!doctype html>" + line))
		}
	})
	if out := w.command(exitRefused, "check", "shop.example"); !strings.Contains(out, "HTML returned") || !strings.Contains(out, "fresh by well-known-file") {
		t.Errorf("check: %s", out)
	}
}

// The clock moves on by 200 hours, and neither the site nor DNS answers: the
// proof ages into stale (BC-P-017, BC-P-906).
func TestBCP017AProofThatCannotBeConfirmedGrowsStale(t *testing.T) {
	w := newWorld(t)
	s := w.serve()
	press := s.publisher("pub-7")
	s.ask(press, "PUT", "/v1/site/shop.example", card)
	line, _ := s.ask(press, "POST", "/v1/site/shop.example/token", "").member(t, "line").(string)
	w.change(func() { w.records = []string{line} })
	fresh := s.ask(press, "POST", "/v1/site/shop.example/check", "")
	if fresh.member(t, "state") != "fresh" {
		t.Fatalf("check: %s", fresh.body)
	}
	before := s.read("/v1/snapshot").member(t, "snapshot")
	s.stop()

	w.change(func() { w.rcode, w.records = 2, nil }) // SERVFAIL
	s = w.serve("--now-offset", "200h")
	waitUntil(t, func() bool { return strings.Contains(s.log.String(), "the clock is moved") })
	a := s.read("/v1/site/shop.example")
	if a.member(t, "verification", "method") != "stale" || s.read("/v1/snapshot").member(t, "snapshot") == before {
		t.Errorf("after 200 hours: %s", a.body)
	}
	if out := w.command(exitLater, "check", "shop.example", "--json"); !strings.Contains(out, `"state":"stale"`) {
		t.Errorf("check: %s", out)
	}
}
