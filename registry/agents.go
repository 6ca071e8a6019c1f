package registry

import "encoding/json"

// agent is a product token of robots.txt that is known to be in use, from what
// its operator publishes.
type agent struct {
	Token    string   `json:"token"`
	Operator string   `json:"operator"`
	Kind     string   `json:"kind"` // crawler, control (never sent as a User-Agent, BC-R-032), user-fetch
	Purposes []string `json:"purposes"`
}

const (
	kindCrawler = "crawler"
	kindControl = "control"
	kindUser    = "user-fetch"
)

// agents is the list at /v1/agents, by token. A token with train among its
// purposes counts as training in a compiled robots.txt (BC-R-910).
var agents = [...]agent{
	{"AI2Bot", "Allen Institute for AI", kindCrawler, []string{"train"}},
	{"Amazonbot", "Amazon", kindCrawler, []string{"index", "answer", "train"}},
	{"Applebot", "Apple", kindCrawler, []string{"index"}},
	{"Applebot-Extended", "Apple", kindControl, []string{"train"}},
	{"Bingbot", "Microsoft", kindCrawler, []string{"index", "answer"}},
	{"Bytespider", "ByteDance", kindCrawler, []string{"train"}},
	{"CCBot", "Common Crawl", kindCrawler, []string{"train"}},
	{"ChatGPT-User", "OpenAI", kindUser, []string{"answer", "act"}},
	{"Claude-SearchBot", "Anthropic", kindCrawler, []string{"index"}},
	{"Claude-User", "Anthropic", kindUser, []string{"answer"}},
	{"ClaudeBot", "Anthropic", kindCrawler, []string{"train"}},
	{"DuckAssistBot", "DuckDuckGo", kindCrawler, []string{"answer"}},
	{"DuckDuckBot", "DuckDuckGo", kindCrawler, []string{"index"}},
	{"GPTBot", "OpenAI", kindCrawler, []string{"train"}},
	{"Google-Extended", "Google", kindControl, []string{"answer", "train"}},
	{"Googlebot", "Google", kindCrawler, []string{"index", "answer"}},
	{"Meta-ExternalAgent", "Meta", kindCrawler, []string{"index", "train"}},
	{"Meta-ExternalFetcher", "Meta", kindUser, []string{"answer"}},
	{"MistralAI-User", "Mistral AI", kindUser, []string{"answer"}},
	{"OAI-SearchBot", "OpenAI", kindCrawler, []string{"index", "answer"}},
	{"Perplexity-User", "Perplexity", kindUser, []string{"answer"}},
	{"PerplexityBot", "Perplexity", kindCrawler, []string{"index", "answer"}},
	{"cohere-training-data-crawler", "Cohere", kindCrawler, []string{"train"}},
}

// agentList is the body of /v1/agents.
func agentList() []byte {
	body, err := json.Marshal(struct {
		Agents []agent `json:"agents"`
	}{agents[:]})
	if err != nil { // impossible: strings only
		return []byte(`{"agents":[]}`)
	}
	return append(body, '\n')
}

// trains tells whether training is among the purposes of an agent.
func (a *agent) trains() bool {
	for _, p := range a.Purposes {
		if p == "train" {
			return true
		}
	}
	return false
}
