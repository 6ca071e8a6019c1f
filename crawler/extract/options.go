package extract

// Defaults of Options. The link limit and the URL limit are part of the outer contract.
const (
	DefaultMaxLinks           = 5000
	DefaultMaxTokens          = 4_000_000
	DefaultMaxHeadBytes int64 = 512 << 10
	DefaultMaxURLBytes        = 2048
)

// Resolver turns a reference found in a document into a canonical absolute http or https URL. base is
// itself canonical. It answers false for every other scheme and for what cannot be parsed. It must
// be pure: spellings that differ are asked for apart, equal ones once.
type Resolver interface {
	Resolve(base, ref string) (string, bool)
}

// Options bound what one document may cost. A zero field takes its default.
type Options struct {
	// MaxLinks bounds Page.Links and, apart from it, Page.Requisites. The rest is counted only.
	MaxLinks int
	// MaxTokens bounds the work spent on one document; beyond it Parse returns ErrTooManyTokens.
	MaxTokens int
	// MaxHeadBytes is how far into the decoded document link elements of the head count (LC-137).
	MaxHeadBytes int64
	// MaxURLBytes is the longest resolved URL kept, in octets.
	MaxURLBytes int
	// ContextRelation is the relation type, in lower case, whose head link elements go to
	// Page.ContextLinks. Empty: none are collected. The name lives with its owner, the caller.
	ContextRelation string
}

func (o Options) withDefaults() Options {
	if o.MaxLinks <= 0 {
		o.MaxLinks = DefaultMaxLinks
	}
	if o.MaxTokens <= 0 {
		o.MaxTokens = DefaultMaxTokens
	}
	if o.MaxHeadBytes <= 0 {
		o.MaxHeadBytes = DefaultMaxHeadBytes
	}
	if o.MaxURLBytes <= 0 {
		o.MaxURLBytes = DefaultMaxURLBytes
	}
	return o
}
