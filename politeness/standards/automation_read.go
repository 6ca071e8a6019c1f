package standards

import "heed/politeness"

// reading is what a file says about one path and one method. Each facet is
// decided by the most specific groups that state it; several of one rank are
// joined restrictively (AP-118, AP-119). Ranks are -1 while nobody states the
// facet, which leaves the defaults: GET and HEAD, limited, any purpose, no duty
// to declare.
type reading struct {
	methods    int // rank
	denied     bool
	methodRule politeness.Rule
	allowRule  politeness.Rule

	policy     int // rank
	unlisted   bool
	stanceRule politeness.Rule
	listed     int // highest rank whose AllowedMethods lists the method

	purpose int // rank
	refused [purposes]bool
	rules   [purposes]politeness.Rule

	require     int // rank
	required    bool
	requireRule politeness.Rule

	// also is from groups that may only deny: it replaces nobody's word.
	also struct {
		denied, required        bool
		methodRule, requireRule politeness.Rule

		unlisted   int // rank of a strict one, -1 if there is none
		stanceRule politeness.Rule
		refused    [purposes]bool
		rules      [purposes]politeness.Rule
	}
}

// newReading is that of an empty file.
func newReading() reading {
	r := reading{methods: -1, policy: -1, listed: -1, purpose: -1, require: -1}
	r.also.unlisted = -1
	return r
}

// read looks at every group once. Its work is linear in the groups and in the
// path.
func (f *automationFile) read(t target, method string) reading {
	r := newReading()
	sifted := f.sieve.over(t)
	for i := range f.groups {
		g := &f.groups[i]
		if rank := g.rank(t, &sifted); rank >= 0 && !g.denyOnly {
			r.take(&g.facets, rank, method)
		} else if rank >= 0 {
			r.tighten(&g.facets, rank, method)
		}
	}
	r.settle()
	return r
}

func (r *reading) take(f *facets, rank int, method string) {
	permitted, listed, rule := true, false, politeness.Rule{}
	if f.methods.stated() {
		permitted, listed, rule = f.methods.answer(method)
		if rank > r.methods {
			r.methods, r.denied, r.allowRule = rank, false, politeness.Rule{}
		}
		if rank == r.methods {
			if permitted {
				r.allowRule = rule
			} else if !r.denied {
				r.denied, r.methodRule = true, rule
			}
		}
	}
	if listed {
		r.listed = max(r.listed, rank)
	}
	if f.stance != stanceUnstated {
		if rank > r.policy {
			r.policy, r.unlisted = rank, false
		}
		if rank == r.policy && f.stance == stanceStrict && !listed && !r.unlisted {
			r.unlisted, r.stanceRule = true, f.stanceRule
		}
	}
	if f.purposes.stated() {
		if rank > r.purpose {
			r.purpose, r.refused = rank, [purposes]bool{}
		}
		if rank == r.purpose {
			refuse(&r.refused, &r.rules, &f.purposes)
		}
	}
	if f.require != declarationUnstated {
		if rank > r.require {
			r.require, r.required = rank, false
		}
		if rank == r.require && f.require == declarationRequired && !r.required {
			r.required, r.requireRule = true, f.requireAt
		}
	}
}

// tighten adds what a group denies that may do nothing else.
func (r *reading) tighten(f *facets, rank int, method string) {
	also := &r.also
	if f.methods.stated() && !also.denied {
		if permitted, _, rule := f.methods.answer(method); !permitted {
			also.denied, also.methodRule = true, rule
		}
	}
	if f.stance == stanceStrict && rank > also.unlisted {
		also.unlisted, also.stanceRule = rank, f.stanceRule
	}
	if f.purposes.stated() {
		refuse(&also.refused, &also.rules, &f.purposes)
	}
	if f.require == declarationRequired && !also.required {
		also.required, also.requireRule = true, f.requireAt
	}
}

// settle adds what was said besides to the facets that are decided.
func (r *reading) settle() {
	if r.also.denied && !r.denied {
		r.denied, r.methodRule = true, r.also.methodRule
	}
	if r.also.required && !r.required {
		r.required, r.requireRule = true, r.also.requireRule
	}
}

// refuse joins the purposes that a group refuses.
func refuse(refused *[purposes]bool, rules *[purposes]politeness.Rule, l *purposeLists) {
	for p := range refused {
		if no, rule := l.answer(politeness.Purpose(p)); no && !refused[p] {
			refused[p], rules[p] = true, rule
		}
	}
}

// strict tells whether a strict group forbids the method: it has to be listed in
// that group or in a more specific one (AP-133).
func (r *reading) strict() bool {
	if r.also.unlisted >= 0 && r.listed <= r.also.unlisted {
		r.stanceRule = r.also.stanceRule
		return true
	}
	return r.unlisted && r.listed <= r.policy
}

// refusePurposes puts refused purposes into an opinion. The line that is named
// is the one behind the first purpose that was asked for.
func (r *reading) refusePurposes(o *politeness.Opinion, asked politeness.Purposes) {
	named := false
	for p := range purposes {
		rule := r.rules[p]
		if !r.refused[p] {
			rule = r.also.rules[p]
		}
		if !r.refused[p] && !r.also.refused[p] {
			continue
		}
		o.Uses[p] = politeness.No
		if first := asked.Has(politeness.Purpose(p)); first && !named || o.Reason == "" {
			o.Reason, o.Rule, named = politeness.AutomationPurpose, rule, first
		}
	}
}
