//go:build e2e && linux

package e2e

import (
	"bytes"
	"encoding/json"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// cards are written by a public client and held against the schema by a public
// validator: the least that is taken, all that is known, and what is not known
// at every depth.
var cards = map[string]string{
	"least.example": `{"canonical":"https://least.example"}`,
	"full.example": `{"domain":"full.example","canonical":"https://www.full.example/","name":"Sample Shop","summary":"Invented shop.",
		"topics":["garden"],"allow_bots":true,"allow":["SampleBot"],"deny":["RudeBot"],
		"pointers":{"robots":"https://full.example/robots.txt","llms":"https://full.example/llms.txt"},
		"pages":[{"url":"https://full.example/","rel":"home","title":"Start","score":100},{"url":"https://full.example/x","rel":"page"}],
		"consent":{"retrieve":true,"train":true,"act":true,"cite":false,"tdm":"licensed"},"crawl":{"revalidate_hours":72},
		"language":["en","de"],"capabilities":"search"}`,
	"closed.example":  `{"canonical":"https://closed.example","allow_bots":false,"consent":{"train":true}}`,
	"unknown.example": `{"canonical":"https://unknown.example","x_a":{"b":[{"c":12345678901234567890.125}]},"consent":{"x_ads":null},"crawl":{"x":[]}}`,
}

// clientReport is what oauth.mjs and schema.mjs print.
type clientReport struct {
	Granted  int            `json:"granted"`
	Statuses map[string]int `json:"statuses"`
	Cards    int            `json:"cards"`
	Spoilt   int            `json:"spoilt"`
	Faults   []string       `json:"faults"`
}

// The flow is gone through by openid-client, which finds the token endpoint
// itself; what it has written is held against the served schema by ajv.
func TestBCR024BCR025BCD002PublicClientsWriteAndValidateCards(t *testing.T) {
	folder, node := npm(t, "openid-client", "ajv", "ajv-formats")
	r := startRegistry(t, "https")
	account := r.publisher(t, "pub-7")
	all := make(map[string]json.RawMessage, len(cards))
	for domain, card := range cards {
		all[domain] = json.RawMessage(card)
	}
	input, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var report clientReport
	script := filepath.Join("testdata", "oauth.mjs")
	cmd := exec.CommandContext(t.Context(), node, script, folder, r.base, account.ID, account.Secret)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "NODE_EXTRA_CA_CERTS=" + r.authority}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), &stderr
	out, err := cmd.Output()
	if err != nil || json.Unmarshal(out, &report) != nil {
		t.Fatalf("openid-client: %v\n%s%s", err, out, tail(stderr.Bytes()))
	}
	for domain := range cards {
		if report.Statuses[domain] != 202 {
			t.Errorf("PUT of %s: status %d, want 202", domain, report.Statuses[domain])
		}
	}
	if report.Granted != 2 || len(report.Faults) > 0 {
		t.Errorf("openid-client: %d grants, want 2: %q", report.Granted, report.Faults)
	}

	domains := slices.Sorted(maps.Keys(cards))
	script, err = filepath.Abs(filepath.Join("testdata", "schema.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	report = clientReport{}
	text, err := r.run(t, node, append([]string{script, folder, r.base}, domains...)...)
	if err != nil || json.Unmarshal([]byte(text), &report) != nil {
		t.Fatalf("ajv: %v\n%s", err, text)
	}
	if report.Cards != len(cards) || report.Spoilt == 0 || len(report.Faults) > 0 {
		t.Errorf("ajv took %d cards of %d and refused %d spoilt ones: %q", report.Cards, len(cards), report.Spoilt, report.Faults)
	}
}

// The linter's recommended rules, without an error or a warning.
func TestAPublicLinterAcceptsTheDescription(t *testing.T) {
	folder, node := npm(t, "@redocly/cli")
	r := startRegistry(t, "https")
	file := filepath.Join(r.folder, "openapi.json")
	// The linter warns of servers that only this machine knows.
	write(t, file, bytes.ReplaceAll(r.get(t, "/openapi.json"), []byte(r.base), []byte("https://registry.test")))
	out, err := r.run(t, node, filepath.Join(folder, "node_modules", ".bin", "redocly"), "lint", "--format", "stylish", file)
	if err != nil || !strings.Contains(out, "is valid") || regexp.MustCompile(`You have \d+`).MatchString(out) {
		t.Errorf("redocly: %v\n%s", err, out)
	}
}

// scenarios of the conformance suite for servers, with the reason why one does
// not apply; "" means that it must pass.
var scenarios = map[string]string{
	"server-initialize":             "",
	"logging-set-level":             "",
	"ping":                          "",
	"tools-list":                    "",
	"resources-list":                "",
	"prompts-list":                  "",
	"dns-rebinding-protection":      "",
	"server-sse-multiple-streams":   needsSession,
	"json-schema-2020-12":           needsExample,
	"tools-call-simple-text":        needsExample,
	"tools-call-image":              needsExample,
	"tools-call-audio":              needsExample,
	"tools-call-embedded-resource":  needsExample,
	"tools-call-mixed-content":      needsExample,
	"tools-call-error":              needsExample,
	"tools-call-with-logging":       needsSession,
	"tools-call-with-progress":      needsSession,
	"tools-call-sampling":           needsSession,
	"tools-call-elicitation":        needsSession,
	"elicitation-sep1034-defaults":  needsSession,
	"elicitation-sep1330-enums":     needsSession,
	"server-sse-polling":            needsSession,
	"completion-complete":           needsPrompts,
	"prompts-get-simple":            needsPrompts,
	"prompts-get-with-args":         needsPrompts,
	"prompts-get-embedded-resource": needsPrompts,
	"prompts-get-with-image":        needsPrompts,
	"resources-read-text":           needsResources,
	"resources-read-binary":         needsResources,
	"resources-templates-read":      needsResources,
	"resources-subscribe":           needsResources,
	"resources-unsubscribe":         needsResources,
}

const (
	needsExample   = "calls a tool of the suite's own example server by its name; the registry has two tools, which the inspector calls"
	needsSession   = "needs a session, in which the server talks back to its client; the registry keeps none"
	needsPrompts   = "asks for prompts of the example server; the registry offers none, and says so"
	needsResources = "asks for resources of the example server; the registry offers none, and says so"
)

// The public suite, in its scenarios that apply to a server with tools and
// without sessions, and the inspector's command line. The registry has no TLS
// here: the suite's name for a host that rebinds is in no certificate.
func TestBCR021BCR022PublicMCPClientsAreContent(t *testing.T) {
	folder, node := npm(t, "@modelcontextprotocol/conformance", "@modelcontextprotocol/inspector")
	r := startRegistry(t, "http")
	bin := filepath.Join(folder, "node_modules", ".bin")
	suite := filepath.Join(bin, "conformance")

	listed, err := r.run(t, node, suite, "list", "--server")
	if err != nil {
		t.Fatalf("conformance: %v\n%s", err, listed)
	}
	var offered []string
	for _, found := range regexp.MustCompile(`(?m)^ +- (\S+)`).FindAllStringSubmatch(listed, -1) {
		offered = append(offered, found[1])
	}
	slices.Sort(offered)
	names := slices.Sorted(maps.Keys(scenarios))
	if !slices.Equal(offered, names) {
		t.Errorf("the suite has the scenarios %q, decided about are %q", offered, names)
	}
	for _, name := range names {
		if scenarios[name] != "" {
			continue
		}
		out, err := r.run(t, node, suite, "server", "--url", r.base+"/mcp", "--scenario", name)
		if err != nil || !strings.Contains(out, "0 failed, 0 warnings") || strings.Contains(out, "Passed: 0/") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}

	for _, call := range []struct {
		args []string
		want []string
		fail bool
	}{
		{[]string{"tools/list"}, []string{`"search_catalog"`, `"get_listed_site"`}, false},
		{[]string{"tools/call", "--tool-name", "search_catalog", "--tool-arg", "q=shop"}, []string{`"total": 0`}, false},
		{[]string{"tools/call", "--tool-name", "get_listed_site", "--tool-arg", "domain=none.example"}, []string{`"isError": true`, "not-listed"}, true},
	} {
		out, err := r.run(t, node, append([]string{filepath.Join(bin, "mcp-inspector"), "--cli", r.base + "/mcp", "--transport", "http", "--method"}, call.args...)...)
		if (err != nil) != call.fail {
			t.Errorf("inspector, %v: %v", call.args, err)
		}
		for _, want := range call.want {
			if !strings.Contains(out, want) {
				t.Errorf("inspector, %v: no %s in %s", call.args, want, out)
			}
		}
	}
}
