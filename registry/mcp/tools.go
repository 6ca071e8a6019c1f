package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The names of the tools, in the order in which they are listed.
const (
	getListedSite = "get_listed_site"
	searchCatalog = "search_catalog"
)

// The schemas are written out because they are the contract: argument names as
// BC-R-909 gives them, bounds as GET /v1/search has them.
const searchSchema = `{
  "type": "object",
  "properties": {
    "q": {"type": "string", "maxLength": 256, "description": "Words to look for in domain, name, summary and topics."},
    "topic": {"type": "string", "maxLength": 256, "description": "A topic the card names."},
    "language": {"type": "string", "maxLength": 64, "description": "A language the card names, like en or pt-BR."},
    "capability": {"type": "string", "maxLength": 256, "description": "A capability the card names."},
    "consent": {"type": "string", "enum": ["retrieve", "train", "act", "cite"], "description": "Only cards that permit this."},
    "verified": {"type": "boolean", "description": "Only cards whose owner's proof is fresh, or only the others."},
    "allow_bots": {"type": "boolean", "description": "Only cards with this master switch."},
    "include": {"type": "string", "enum": ["card", "urls"], "description": "Add the whole card, or its declared URLs, to each result."},
    "limit": {"type": "integer", "minimum": 1, "maximum": 25, "description": "Results of one answer."},
    "offset": {"type": "integer", "minimum": 0, "description": "Results to leave out at the beginning."}
  },
  "additionalProperties": false
}`

const siteSchema = `{
  "type": "object",
  "properties": {
    "domain": {"type": "string", "minLength": 1, "maxLength": 253, "description": "Registrable domain, like shop.example."}
  },
  "required": ["domain"],
  "additionalProperties": false
}`

const searchResultSchema = `{
  "type": "object",
  "properties": {
    "results": {"type": "array", "items": {"type": "object"}},
    "total": {"type": "integer", "minimum": 0}
  },
  "required": ["results", "total"]
}`

const cardSchema = `{
  "type": "object",
  "properties": {
    "botcentral": {"type": "string"},
    "domain": {"type": "string"},
    "verification": {"type": "object"},
    "consent": {"type": "object"}
  },
  "required": ["botcentral", "domain", "verification", "consent"]
}`

// searchInput holds the arguments of search_catalog. A pointer tells an absent
// switch from a false one.
type searchInput struct {
	Q          string `json:"q,omitempty"`
	Topic      string `json:"topic,omitempty"`
	Language   string `json:"language,omitempty"`
	Capability string `json:"capability,omitempty"`
	Consent    string `json:"consent,omitempty"`
	Verified   *bool  `json:"verified,omitempty"`
	AllowBots  *bool  `json:"allow_bots,omitempty"`
	Include    string `json:"include,omitempty"`
	Limit      int    `json:"limit,omitempty"`
	Offset     int    `json:"offset,omitempty"`
}

type siteInput struct {
	Domain string `json:"domain"`
}

// values returns the parameters of GET /v1/search that say the same.
func (in searchInput) values() url.Values {
	v := make(url.Values)
	for name, text := range map[string]string{"q": in.Q, "topic": in.Topic, "language": in.Language,
		"capability": in.Capability, "consent": in.Consent, "include": in.Include} {
		if text != "" {
			v.Set(name, text)
		}
	}
	for name, flag := range map[string]*bool{"verified": in.Verified, "allow_bots": in.AllowBots} {
		if flag != nil {
			v.Set(name, strconv.FormatBool(*flag))
		}
	}
	if in.Limit > 0 {
		v.Set("limit", strconv.Itoa(in.Limit))
	}
	if in.Offset > 0 {
		v.Set("offset", strconv.Itoa(in.Offset))
	}
	return v
}

func addTools(server *sdk.Server, catalog Catalog) {
	sdk.AddTool(server, tool(searchCatalog, "Search the catalog of consent cards",
		"Finds listed sites by words, topic, language, capability or consent. Same answer as GET /v1/search.", searchSchema, searchResultSchema),
		func(ctx context.Context, _ *sdk.CallToolRequest, in searchInput) (*sdk.CallToolResult, any, error) {
			status, body, err := catalog.Search(ctx, in.values())
			return result(searchCatalog, status, body, err)
		})
	sdk.AddTool(server, tool(getListedSite, "Read the consent card of one site",
		"Returns the card of a domain: consent, proof state, declared pages. Same answer as GET /v1/site/{domain}.", siteSchema, cardSchema),
		func(ctx context.Context, _ *sdk.CallToolRequest, in siteInput) (*sdk.CallToolResult, any, error) {
			status, body, err := catalog.Site(ctx, in.Domain)
			return result(getListedSite, status, body, err)
		})
}

func tool(name, title, description, input, output string) *sdk.Tool {
	closed := false
	return &sdk.Tool{
		Name: name, Title: title, Description: description,
		InputSchema: json.RawMessage(input), OutputSchema: json.RawMessage(output),
		Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
	}
}

// result puts an answer into both places a host may read. A refusal is a result
// too: its problem document says why, in text alone, because structured content
// has to follow the output schema. The octets pass as they are: decoding them
// would cost unknown numbers their digits.
func result(name string, status int, body []byte, err error) (*sdk.CallToolResult, any, error) {
	if err != nil {
		return nil, nil, fmt.Errorf("mcp: %s: the catalog cannot be read", name)
	}
	r := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(body)}}}
	if status == http.StatusOK {
		r.StructuredContent = json.RawMessage(body)
	} else {
		r.IsError = true
	}
	return r, nil, nil
}
