package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"heed/registry/mcp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// digits cannot pass through a float64.
const card = `{"botcentral":"1.1","domain":"shop.example","verification":{"method":"dns-txt"},"consent":{"train":false},"x_serial":12345678901234567890.125}`

// catalog remembers what it was asked.
type catalog struct {
	asked  []string
	broken error
}

func (c *catalog) Search(_ context.Context, v url.Values) (int, []byte, error) {
	c.asked = append(c.asked, "search "+v.Encode())
	return 200, []byte(`{"results":[` + card + `],"total":1}`), c.broken
}

func (c *catalog) Site(_ context.Context, domain string) (int, []byte, error) {
	c.asked = append(c.asked, "site "+domain)
	if domain != "shop.example" {
		return 404, []byte(`{"title":"not listed","status":404}`), c.broken
	}
	return 200, []byte(card), c.broken
}

func serve(t *testing.T, c mcp.Catalog) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(mcp.New(mcp.Options{Catalog: c, PublicURL: "https://registry.example", Name: "Test Registry", Version: "test"}))
	t.Cleanup(s.Close)
	return s
}

func connect(t *testing.T, s *httptest.Server) *sdk.ClientSession {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: s.Client()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

func TestBCR909ToolsListHasExactlyTheReadTools(t *testing.T) {
	session := connect(t, serve(t, &catalog{}))
	if got := session.InitializeResult().ServerInfo; got.Name != "Test Registry" || got.Version != "test" {
		t.Errorf("server calls itself %+v", got)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Annotations == nil || !tool.Annotations.ReadOnlyHint {
			t.Errorf("%s does not say that it only reads", tool.Name)
		}
		if tool.Description == "" || tool.Title == "" || tool.InputSchema == nil || tool.OutputSchema == nil {
			t.Errorf("%s is not described in full", tool.Name)
		}
	}
	if want := []string{"get_listed_site", "search_catalog"}; !slices.Equal(names, want) {
		t.Errorf("tools %q, want %q", names, want)
	}
}

func TestBCR909SearchHandsItsArgumentsOnAsParameters(t *testing.T) {
	tests := []struct {
		name, arguments, asked string
	}{
		{"no argument is required", `{}`, "search "},
		{"words and filters", `{"q":"garden tools","topic":"garden","language":"en","capability":"search","consent":"train"}`,
			"search capability=search&consent=train&language=en&q=garden+tools&topic=garden"},
		{"a false switch is not an absent one", `{"verified":false,"allow_bots":true}`, "search allow_bots=true&verified=false"},
		{"a page of results", `{"include":"urls","limit":25,"offset":50}`, "search include=urls&limit=25&offset=50"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := &catalog{}
			session := connect(t, serve(t, c))
			r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "search_catalog", Arguments: json.RawMessage(test.arguments)})
			if err != nil {
				t.Fatal(err)
			}
			if r.IsError {
				t.Errorf("refused: %s", text(r))
			}
			if len(c.asked) != 1 || c.asked[0] != test.asked {
				t.Errorf("asked %q, want %q", c.asked, test.asked)
			}
		})
	}
}

func TestArgumentsOutsideTheSchemaNeverReachTheCatalog(t *testing.T) {
	tests := []struct{ tool, arguments string }{
		{"search_catalog", `{"limit":26}`},
		{"search_catalog", `{"limit":0}`},
		{"search_catalog", `{"offset":-1}`},
		{"search_catalog", `{"consent":"tdm"}`},
		{"search_catalog", `{"include":"everything"}`},
		{"search_catalog", `{"verified":"yes"}`},
		{"search_catalog", `{"q":["a"]}`},
		{"search_catalog", `{"Q":"a"}`},
		{"search_catalog", `{"rank":"score"}`},
		{"search_catalog", fmt.Sprintf(`{"q":%q}`, strings.Repeat("a", 257))},
		{"get_listed_site", `{}`},
		{"get_listed_site", `{"domain":""}`},
		{"get_listed_site", `{"domain":7}`},
		{"get_listed_site", `{"domain":"shop.example","card":{}}`},
		{"get_listed_site", fmt.Sprintf(`{"domain":%q}`, strings.Repeat("a", 254))},
	}
	c := &catalog{}
	session := connect(t, serve(t, c))
	for _, test := range tests {
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: test.tool, Arguments: json.RawMessage(test.arguments)})
		if err == nil && !r.IsError {
			t.Errorf("%s %.60s was accepted", test.tool, test.arguments)
		}
	}
	if len(c.asked) != 0 {
		t.Errorf("the catalog was asked %q", c.asked)
	}
}

func TestBCR023GetListedSiteReturnsTheOctetsOfTheCatalog(t *testing.T) {
	body := post(t, serve(t, &catalog{}), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_listed_site","arguments":{"domain":"shop.example"}}}`)
	var got struct {
		Result struct {
			StructuredContent json.RawMessage
			Content           []struct{ Text string }
		}
	}
	if err := json.Unmarshal(body, &got); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	if string(got.Result.StructuredContent) != card || len(got.Result.Content) != 1 || got.Result.Content[0].Text != card {
		t.Errorf("got %s, want twice %s", body, card)
	}
}

func TestBCR023AnUnlistedDomainIsReportedAsNotFound(t *testing.T) {
	session := connect(t, serve(t, &catalog{}))
	r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "get_listed_site", Arguments: map[string]any{"domain": "none.example"}})
	if err != nil {
		t.Fatal(err)
	}
	if !r.IsError || !strings.Contains(text(r), `"status":404`) || r.StructuredContent != nil {
		t.Errorf("got %+v %q", r, text(r))
	}
}

func TestAFaultOfTheCatalogIsReportedWithoutItsDetail(t *testing.T) {
	session := connect(t, serve(t, &catalog{broken: errors.New("open /var/lib/secret.db: input/output error")}))
	for _, tool := range []string{"search_catalog", "get_listed_site"} {
		arguments := map[string]any{}
		if tool == "get_listed_site" {
			arguments["domain"] = "shop.example"
		}
		r, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		if !r.IsError || strings.Contains(text(r), "secret") {
			t.Errorf("%s: got %+v %q", tool, r, text(r))
		}
	}
}

func TestBCR021InitializeAndToolsListAnswerWithoutASession(t *testing.T) {
	s := serve(t, &catalog{})
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
	} {
		body := post(t, s, message)
		if !strings.Contains(string(body), `"result"`) {
			t.Errorf("%s: %s", message, body)
		}
	}
}

func TestRequestsThatAreNoCallsAreRefused(t *testing.T) {
	s := serve(t, &catalog{})
	tests := []struct {
		name, method, contentType, body string
		status                          int
	}{
		{"reading", "GET", "", "", 405},
		{"ending a session there is none of", "DELETE", "", "", 405},
		{"a form", "POST", "application/x-www-form-urlencoded", "a=b", 415},
		{"no JSON", "POST", "application/json", "{", 400},
		{"a call beyond the size limit", "POST", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":"` + strings.Repeat("x", 65<<10) + `"}}`, 413},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := request(t, s, test.method, test.body)
			r.Header.Set("Content-Type", test.contentType)
			if status, body := do(t, s, r); status != test.status {
				t.Errorf("status %d, want %d: %s", status, test.status, body)
			}
		})
	}
}

func TestPagesOfOtherOriginsAreRefused(t *testing.T) {
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	s := serve(t, &catalog{})
	tests := []struct {
		name, host, origin string
		status             int
	}{
		{"a program sends no origin", "", "", 200},
		{"a program behind a proxy that keeps the host", "registry.example", "", 200},
		{"the registry's own page", "registry.example", "https://registry.example", 200},
		{"a page on this machine", "", "http://localhost:6274", 200},
		{"a page on this machine by address", "", "http://[::1]:6274", 200},
		{"a foreign page", "", "https://evil.example", 403},
		{"a foreign page whose name was rebound to this machine", "evil.example", "http://evil.example", 403},
		{"the own name without TLS", "", "http://registry.example", 403},
		{"the own name with another port", "", "https://registry.example:8443", 403},
		{"a sandboxed page", "", "null", 403},
		{"no origin at all but the field", "", "://", 403},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := request(t, s, "POST", list)
			r.Host = test.host
			if test.origin != "" {
				r.Header.Set("Origin", test.origin)
			}
			if status, body := do(t, s, r); status != test.status {
				t.Errorf("status %d, want %d: %s", status, test.status, body)
			}
		})
	}
}

func TestBCR022TheAdvertNamesTheAbsoluteEndpoint(t *testing.T) {
	for _, base := range []string{"https://registry.example", "https://registry.example/"} {
		var got map[string]any
		if err := json.Unmarshal(mcp.Advert("test-registry", base), &got); err != nil {
			t.Fatal(err)
		}
		if got["endpoint"] != "https://registry.example/mcp" || got["transport"] != "streamable-http" ||
			got["name"] != "test-registry" || got["version"] != "1.1" || fmt.Sprint(got["tools"]) != "[search_catalog get_listed_site]" {
			t.Errorf("%s: got %v", base, got)
		}
	}
}

func text(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

func request(t *testing.T, s *httptest.Server, method, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r
}

func do(t *testing.T, s *httptest.Server, r *http.Request) (int, []byte) {
	t.Helper()
	answer, err := s.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}

func post(t *testing.T, s *httptest.Server, message string) []byte {
	t.Helper()
	status, body := do(t, s, request(t, s, "POST", message))
	if status != 200 {
		t.Fatalf("status %d: %s", status, body)
	}
	return body
}

func BenchmarkGetListedSite(b *testing.B) {
	handler := mcp.New(mcp.Options{Catalog: &catalog{}, PublicURL: "https://registry.example", Name: "Test", Version: "test"})
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_listed_site","arguments":{"domain":"shop.example"}}}`
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(call))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != 200 {
			b.Fatal(w.Code, w.Body)
		}
	}
}
