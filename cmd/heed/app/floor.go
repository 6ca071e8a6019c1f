package app

import (
	"strings"
	"time"

	"heed/config"
	"heed/crawler/discover"
	"heed/politeness"
	"heed/politeness/standards"
)

// floor is the smallest delay and the number of requests in flight for a host.
// Less than a second and more than one are for hosts whose addresses are all
// opened by --allow-address, or which a rule of the operator with a reason names.
func (a *App) floor(host string) (time.Duration, int) {
	delay, perHost := a.config.Delay.Std(), a.config.PerHost
	if delay < defaultDelay || perHost > 1 {
		if !a.client.Opened(host) {
			delay, perHost = max(delay, defaultDelay), 1
		}
	}
	delayed, counted := false, false // of the rules that say something about it, the first counts
	for _, r := range a.config.Rules {
		if !matchHost(r.Host, host) {
			continue
		}
		if r.Delay != nil && !delayed {
			delay, delayed = r.Delay.Std(), true
		}
		if r.PerHost > 0 && !counted {
			perHost, counted = r.PerHost, true
		}
	}
	return delay, perHost
}

// matchHost matches a host with the pattern of a rule: exact, "*.suffix" or "*".
func matchHost(pattern, host string) bool {
	if suffix, ok := strings.CutPrefix(pattern, "*."); ok {
		return strings.HasSuffix(host, "."+suffix)
	}
	return pattern == "*" || pattern == host
}

// operatorRules are the rules that take part in decisions.
func operatorRules(c config.Config) []standards.OperatorRule {
	var out []standards.OperatorRule
	for _, r := range c.Rules {
		rule := standards.OperatorRule{Host: r.Host, Deny: r.Deny, Ignore: r.Ignore, AllowMethods: r.AllowMethods, Because: r.Because, Since: r.Since.Time()}
		if r.Delay != nil {
			rule.Delay = r.Delay.Std()
		}
		if !rule.Deny && rule.Delay == 0 && len(rule.Ignore) == 0 && len(rule.AllowMethods) == 0 {
			continue // only about the floor: the decision has nothing to do with it
		}
		out = append(out, rule)
	}
	return out
}

func actHosts(c config.Config) []standards.ActHost {
	var out []standards.ActHost
	for _, h := range c.Act.Hosts {
		out = append(out, standards.ActHost{Host: h.Host, Because: h.Because, Since: h.Since.Time()})
	}
	return out
}

// silentTrain tells whether silence about training counts as permission, and why.
func silentTrain(c config.Config) (bool, string) {
	for _, s := range c.Silent {
		if s.Purpose == politeness.Train.String() {
			return true, s.Because
		}
	}
	return false, ""
}

// contextPolicy is the operator's part of llm-context discovery.
func contextPolicy(c config.Config) (discover.Policy, error) {
	p := discover.Policy{IndexBytes: c.Limits.ContextIndex.Bytes(), DetailBytes: c.Limits.ContextDetail.Bytes()}
	for _, m := range c.Mechanisms {
		p.Mechanisms = append(p.Mechanisms, discover.Mechanism(m))
	}
	if c.FallbackLLMsTxt {
		p.Mechanisms = append(p.Mechanisms, discover.DescribedBy, discover.Guess)
	}
	if c.ContextMinInterval != nil {
		p.MinInterval = c.ContextMinInterval.Std()
	}
	for _, pair := range c.ContextPairs {
		p.Allow = append(p.Allow, discover.Pair{Advertising: pair.From, Target: pair.To})
	}
	return p, p.Validate()
}
