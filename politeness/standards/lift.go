package standards

import (
	"slices"

	"heed/politeness"
)

// lift lets rules of the operator ignore a source on single hosts. No opinion
// can soften another when they are joined, so the source's own opinion is
// changed before: it still names the line and the document it found, and
// carries the operator's reason, but it does not refuse any more.
func lift(s politeness.Source, rules []OperatorRule) politeness.Source {
	var own []OperatorRule
	for _, r := range rules {
		if slices.Contains(r.Ignore, s.Name()) {
			own = append(own, r)
		}
	}
	if len(own) == 0 {
		return s
	}
	return lifted{Source: s, rules: own}
}

type lifted struct {
	politeness.Source
	rules []OperatorRule
}

func (s lifted) Read(p politeness.Place, d politeness.Document) politeness.Rules {
	return liftedRules{Rules: s.Source.Read(p, d), rules: s.rules}
}

type liftedRules struct {
	politeness.Rules
	rules []OperatorRule
}

// Judge keeps the reason and the rule of a refusal for the record. A delay is
// kept in force: a site's pace is not among the things that can be ignored.
func (r liftedRules) Judge(q politeness.Question) politeness.Opinion {
	o := r.Rules.Judge(q)
	i := slices.IndexFunc(r.rules, func(own OperatorRule) bool { return matchHost(own.Host, q.Host) })
	if i < 0 || o.Verdict == politeness.NotAsked {
		return o
	}
	o.Verdict, o.Because = politeness.Silent, r.rules[i].Because
	o.Uses, o.Weak, o.Lifts, o.Closes = politeness.Uses{}, politeness.Uses{}, 0, ""
	o.DropLinks, o.DropImages, o.NoCopy = false, false, false
	return o
}

// Records passes through what the rules carry for other rooms.
func (r liftedRules) Records(name string) []politeness.Record {
	if inner, ok := r.Rules.(politeness.Recorder); ok {
		return inner.Records(name)
	}
	return nil
}

// Refers passes through what the rules refer to.
func (r liftedRules) Refers() []politeness.Place {
	if inner, ok := r.Rules.(politeness.Referrer); ok {
		return inner.Refers()
	}
	return nil
}

// Notes passes through what the rules have to show.
func (r liftedRules) Notes() []politeness.Note {
	if inner, ok := r.Rules.(politeness.Noter); ok {
		return inner.Notes()
	}
	return nil
}
