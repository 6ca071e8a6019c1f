package standards

import (
	"sync/atomic"
	"time"

	"heed/politeness"
)

// Options are the choices of the operator that sources depend on. The zero
// value is a crawler without a name of its own: only `*` groups address it.
type Options struct {
	// Token is the product token looked for in robots.txt. Anything from the
	// first octet that is neither letter, "_" nor "-" is cut off (RFC 9309 2.2.1).
	Token string

	// Operator are the operator's rules per host, checked by Validate.
	Operator []OperatorRule

	// ActHosts are the hosts on which methods that change state may be sent,
	// checked by ValidateActHosts.
	ActHosts []ActHost

	// Vocabulary says which terms, in lower case, stand for which purposes in
	// automation-preferences.txt. Nil means DefaultVocabulary.
	Vocabulary map[string]politeness.Purposes

	// NoDeclaration says that requests do not declare their purposes, so a site
	// that requires it is left alone.
	NoDeclaration bool

	// StrictNoAI makes a noai of a page close answers besides training.
	StrictNoAI bool

	// Card and Registry are the sources of consent cards and of the registries
	// they come from, nil for none.
	Card, Registry politeness.Source

	// MaxCrawlDelay bounds what a Crawl-delay line can ask for. Zero means one
	// minute.
	MaxCrawlDelay time.Duration

	// Disagreements, if not nil, counts the questions refused because the
	// second reader of robots.txt came to another answer.
	Disagreements *atomic.Int64
}

// defaultMaxCrawlDelay follows the large search engines, which ignore longer
// delays or shorten them.
const defaultMaxCrawlDelay = time.Minute

// All lists the sources in the order in which they are asked. Those without a
// document come first, so that nothing is asked of an origin that they refuse;
// the pace is last, because it is spent only when everybody else agrees.
func All(o Options) []politeness.Source {
	if o.MaxCrawlDelay <= 0 {
		o.MaxCrawlDelay = defaultMaxCrawlDelay
	}
	token := productToken(o.Token)
	signals := []politeness.Source{
		newRobots(o),
		newAutomation(o),
		o.Card,
		o.Registry,
		tdm{},
		aipref{token: token},
		contentSignals{token: token},
		xrobots{token: token, strictAI: o.StrictNoAI},
		rsl{},
	}
	all := []politeness.Source{operator{rules: o.Operator}, scope{}, guard{}, method{hosts: o.ActHosts, rules: o.Operator}}
	for _, s := range signals {
		if s != nil {
			all = append(all, lift(s, o.Operator))
		}
	}
	return append(all, pace{})
}
