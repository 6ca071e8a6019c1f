package standards

import "heed/politeness"

// votes is what one source says per purpose, with the line and the reason behind
// each word. A refusal is never taken back.
type votes struct {
	uses    politeness.Uses
	rules   [purposes]politeness.Rule
	reasons [purposes]politeness.Reason
}

func (v *votes) refuse(p politeness.Purpose, reason politeness.Reason, rule politeness.Rule) {
	if v.uses[p] != politeness.No {
		v.uses[p], v.reasons[p], v.rules[p] = politeness.No, reason, rule
	}
}

func (v *votes) grant(p politeness.Purpose, rule politeness.Rule) {
	if v.uses[p] == politeness.Unsaid {
		v.uses[p], v.rules[p] = politeness.Yes, rule
	}
}

// opinion is silence about access with the votes as uses. The reason and the
// line are those behind a refusal, of a purpose that was asked for if there is
// one, else the line behind a grant.
func (v *votes) opinion(source string, asked politeness.Purposes) politeness.Opinion {
	o := politeness.Quiet(source)
	o.Uses = v.uses
	best := -1
	for p := range purposes {
		if v.uses[p] == politeness.Unsaid {
			continue
		}
		if best < 0 || v.weight(p, asked) > v.weight(best, asked) {
			best = p
		}
	}
	if best >= 0 {
		o.Reason, o.Rule = v.reasons[best], v.rules[best]
		if asked.Has(politeness.Purpose(best)) {
			o.Closes = o.Reason
		}
	}
	return o
}

// weight orders the words of an opinion by what a reader wants to know first.
func (v *votes) weight(p int, asked politeness.Purposes) int {
	w := 0
	if v.uses[p] == politeness.No {
		w += 2
	}
	if asked.Has(politeness.Purpose(p)) {
		w++
	}
	return w
}

// join adds the votes of another statement of the same source.
func (v *votes) join(other *votes) {
	for p := range purposes {
		switch other.uses[p] {
		case politeness.No:
			v.refuse(politeness.Purpose(p), other.reasons[p], other.rules[p])
		case politeness.Yes:
			v.grant(politeness.Purpose(p), other.rules[p])
		}
	}
}
