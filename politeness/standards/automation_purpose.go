package standards

import (
	"maps"
	"strings"

	"heed/politeness"
)

// vocabulary says which terms stand for our purposes. The draft defines none, so
// the terms of the neighbouring standards count (AP-127).
var vocabulary = map[string]politeness.Purposes{
	"search":      politeness.PurposesOf(politeness.Index),
	"indexing":    politeness.PurposesOf(politeness.Index),
	"retrieve":    politeness.PurposesOf(politeness.Index, politeness.Answer),
	"retrieval":   politeness.PurposesOf(politeness.Index, politeness.Answer),
	"ai-use":      politeness.PurposesOf(politeness.Answer),
	"ai-input":    politeness.PurposesOf(politeness.Answer),
	"rag":         politeness.PurposesOf(politeness.Answer),
	"train":       politeness.PurposesOf(politeness.Train),
	"training":    politeness.PurposesOf(politeness.Train),
	"train-ai":    politeness.PurposesOf(politeness.Train),
	"ai-train":    politeness.PurposesOf(politeness.Train),
	"ai-training": politeness.PurposesOf(politeness.Train),
	"genai":       politeness.PurposesOf(politeness.Train),
	"act":         politeness.PurposesOf(politeness.Act),
	"agent":       politeness.PurposesOf(politeness.Act),
	"transaction": politeness.PurposesOf(politeness.Act),
	"interaction": politeness.PurposesOf(politeness.Act),
	"*":           everyPurpose,
	"all":         everyPurpose,
}

const everyPurpose = politeness.Purposes(1<<politeness.Index | 1<<politeness.Answer | 1<<politeness.Train | 1<<politeness.Act)

// DefaultVocabulary gives the terms, in lower case, that stand for purposes in
// automation-preferences.txt. The map is a copy: add to it what a community of
// sites has agreed on.
func DefaultVocabulary() map[string]politeness.Purposes { return maps.Clone(vocabulary) }

// purposeLists is the pair of AllowedPurposes and DisallowedPurposes of a group,
// seen from our purposes. Terms of others are opaque (AP-016), but a list that
// holds only them is still exclusive (AP-128).
type purposeLists struct {
	listed     bool // AllowedPurposes is stated
	allowed    politeness.Purposes
	allowing   politeness.Rule // the first AllowedPurposes line
	forbids    bool            // DisallowedPurposes is stated
	disallowed politeness.Purposes
	rules      [purposes]politeness.Rule // behind disallowed
}

// purposes is the number of purposes.
const purposes = len(politeness.Uses{})

// stated tells whether there is a list, if only of terms that are not ours: it
// still replaces those of a wider group.
func (l *purposeLists) stated() bool { return l.listed || l.forbids }

func (l *purposeLists) allow(items []string, rule politeness.Rule, vocabulary map[string]politeness.Purposes) {
	if !l.listed {
		l.listed, l.allowing = true, rule
	}
	for _, item := range items {
		l.allowed |= vocabulary[strings.ToLower(item)]
	}
}

func (l *purposeLists) disallow(items []string, rule politeness.Rule, vocabulary map[string]politeness.Purposes) {
	var set politeness.Purposes
	for _, item := range items {
		set |= vocabulary[strings.ToLower(item)]
	}
	for p := range l.rules {
		if one := politeness.Purpose(p); set.Has(one) && !l.disallowed.Has(one) {
			l.rules[p] = rule
		}
	}
	l.forbids, l.disallowed = true, l.disallowed|set
}

// answer tells whether a group refuses a purpose, and by which line. Disallowed
// wins (AP-129).
func (l *purposeLists) answer(p politeness.Purpose) (refused bool, rule politeness.Rule) {
	switch {
	case l.disallowed.Has(p):
		return true, l.rules[p]
	case l.listed && !l.allowed.Has(p):
		return true, l.allowing
	}
	return false, politeness.Rule{}
}
