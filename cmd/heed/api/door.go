package api

import (
	"context"
	"time"

	"heed/crawler"
	"heed/politeness"
)

// Door is a job seen from outside.
type Door interface {
	Status(ctx context.Context) (Status, error)
	Hosts(ctx context.Context, q crawler.HostQuery) (HostsAnswer, error)
	Check(ctx context.Context, r CheckRequest) (politeness.Decision, error)
	Fetch(ctx context.Context, r FetchRequest) (FetchAnswer, error)
	Explain(ctx context.Context, url string) (crawler.Explanation, error)
	Context(ctx context.Context, r ContextRequest) (crawler.ContextResult, error)
	Card(ctx context.Context, r CardRequest) (CardAnswer, error)
	AddSeeds(ctx context.Context, r SeedsRequest) (SeedsAnswer, error)
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	Stop(ctx context.Context) error
}

// SeedsRequest adds seeds to a job, at most MaxSeeds in one call.
type SeedsRequest struct {
	Seeds []crawler.Seed `json:"seeds"`
}

// MaxSeeds bounds the seeds of one call.
const MaxSeeds = 2_000

// SeedsAnswer says what became of them.
type SeedsAnswer struct {
	Given int `json:"given"`
	Added int `json:"added"` // of them, those that were not known to the job
}

// Status is the state of a job and of the process that has it open.
type Status struct {
	Job     string `json:"job"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
	Pass    uint64 `json:"pass"`
	crawler.Status
	Registries []Registry `json:"registries,omitempty"`
}

// HostsAnswer is how the hosts of a job stand.
type HostsAnswer struct {
	Job string `json:"job"`
	crawler.HostList
}

// CheckRequest asks for a decision.
type CheckRequest struct {
	URL     string          `json:"url"`
	Method  string          `json:"method,omitempty"`
	Mode    politeness.Mode `json:"mode,omitempty"`    // "": on demand
	Purpose []string        `json:"purpose,omitempty"` // empty: those of the job
}

// FetchRequest asks for one URL.
type FetchRequest struct {
	URL      string        `json:"url"`
	Purpose  []string      `json:"purpose,omitempty"`
	Patience time.Duration `json:"patience"` // nanoseconds

	Method      string `json:"method,omitempty"` // "" is GET; others but HEAD are acts
	Body        []byte `json:"body,omitempty"`
	ContentType string `json:"content_type,omitempty"`
}

// FetchAnswer is what came of it. Body is set only if it may be used.
type FetchAnswer struct {
	Decision politeness.Decision `json:"decision"`
	FinalURL string              `json:"final_url"`
	Status   int                 `json:"status"`
	Failure  string              `json:"failure,omitempty"`
	Later    bool                `json:"later,omitempty"` // another attempt may help
	Envelope *crawler.Envelope   `json:"envelope,omitempty"`
	Body     []byte              `json:"body,omitempty"`
}

// ContextRequest asks for the llm-context index of an origin.
type ContextRequest struct {
	Origin   string        `json:"origin"`
	Home     bool          `json:"home,omitempty"`   // ask for the home page first
	Sample   int           `json:"sample,omitempty"` // pages that the index is compared with
	Purpose  []string      `json:"purpose,omitempty"`
	Patience time.Duration `json:"patience"`
}
