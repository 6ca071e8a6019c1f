package standards

import (
	"net/http"
	"strings"

	"heed/politeness"
)

// facets is what one group states. The four of them are inherited separately
// (AP-119): methods, stance, purposes, and whether purposes must be declared.
type facets struct {
	methods    methodLists
	stance     stance
	stanceRule politeness.Rule
	purposes   purposeLists
	require    declaration
	requireAt  politeness.Rule
}

// stance is the value of AutomationPolicy, from the mildest to the strictest.
type stance uint8

const (
	stanceUnstated stance = iota
	stanceOpen
	stanceLimited
	stanceStrict
)

// declaration is the value of RequireAutomationPurpose.
type declaration uint8

const (
	declarationUnstated declaration = iota
	declarationOptional
	declarationRequired
)

// state adds a directive to a group. Repeated lists unite, repeated scalars take
// the stricter value (AP-117); an empty value states nothing (AP-128, AP-145).
// It returns what is to be noted about the line.
func (f *facets) state(d directive, vocabulary map[string]politeness.Purposes) noteKind {
	switch d.kind {
	case directivePolicy:
		return f.stateStance(d)
	case directiveRequirePurpose:
		return f.stateRequire(d)
	}
	items, ok := listItems(d.value)
	switch {
	case !ok:
		return noteTooLong
	case len(items) == 0:
		return noteEmptyList
	}
	rule := citation(d)
	switch d.kind {
	case directiveAllowedMethods:
		f.methods.allow(items, rule)
	case directiveDisallowedMethods:
		f.methods.disallow(items, rule)
	case directiveAllowedPurposes:
		f.purposes.allow(items, rule, vocabulary)
	case directiveDisallowedPurposes:
		f.purposes.disallow(items, rule, vocabulary)
	}
	return ""
}

// stateStance takes a value that nobody knows for strict: its author meant to
// say something, and caution costs only us (AP-132).
func (f *facets) stateStance(d directive) (complaint noteKind) {
	s := stanceStrict
	switch strings.ToLower(d.value) {
	case "":
		return noteEmptyList
	case "open":
		s = stanceOpen
	case "limited":
		s = stanceLimited
	case "strict":
	default:
		complaint = noteValue
	}
	if s > f.stance {
		f.stance, f.stanceRule = s, citation(d)
	}
	return complaint
}

// stateRequire takes a value that nobody knows for true (AP-134).
func (f *facets) stateRequire(d directive) (complaint noteKind) {
	v := declarationRequired
	switch strings.ToLower(d.value) {
	case "":
		return noteEmptyList
	case "true", "yes", "1", "on":
	case "false", "no", "0", "off":
		v = declarationOptional
	default:
		complaint = noteValue
	}
	if v > f.require {
		f.require, f.requireAt = v, citation(d)
	}
	return complaint
}

// citation is the line of a directive as it is kept with decisions.
func citation(d directive) politeness.Rule {
	return politeness.Rule{Text: plainText(strings.Clone(d.text)), Line: d.line}
}

// methodLists is the pair of AllowedMethods and DisallowedMethods of a group.
type methodLists struct {
	allowed, disallowed map[string]politeness.Rule
	allowing            politeness.Rule // the first AllowedMethods line
}

// everyMethod may stand in a list for all methods. In AllowedMethods it means
// GET and HEAD: a method that changes state has to be named.
const everyMethod = "*"

func (m *methodLists) stated() bool { return len(m.allowed)+len(m.disallowed) > 0 }

func (m *methodLists) allow(items []string, rule politeness.Rule) {
	if m.allowed == nil {
		m.allowed, m.allowing = map[string]politeness.Rule{}, rule
	}
	for _, item := range items {
		if item == everyMethod {
			keepFirst(m.allowed, http.MethodGet, rule)
			keepFirst(m.allowed, http.MethodHead, rule)
			continue
		}
		keepFirst(m.allowed, strings.ToUpper(item), rule)
	}
}

func (m *methodLists) disallow(items []string, rule politeness.Rule) {
	if m.disallowed == nil {
		m.disallowed = map[string]politeness.Rule{}
	}
	for _, item := range items {
		keepFirst(m.disallowed, strings.ToUpper(item), rule)
	}
}

// keepFirst keeps the first rule of a name.
func keepFirst(rules map[string]politeness.Rule, name string, rule politeness.Rule) {
	if _, known := rules[name]; !known {
		rules[strings.Clone(name)] = rule
	}
}

// answer tells whether a group permits a method, by which line, and whether its
// AllowedMethods lists it. HEAD follows GET (AP-130); disallowed wins (AP-129).
func (m *methodLists) answer(method string) (permitted, listed bool, rule politeness.Rule) {
	for _, name := range [...]string{method, everyMethod} {
		if rule, no := m.disallowed[name]; no {
			return false, false, rule
		}
	}
	if rule, yes := m.allowed[method]; yes {
		return true, true, rule
	}
	if method == http.MethodHead {
		_, get := m.allowed[http.MethodGet]
		if _, no := m.disallowed[http.MethodGet]; get && !no {
			return true, true, m.allowed[http.MethodGet]
		}
	}
	if len(m.allowed) > 0 {
		return false, false, m.allowing
	}
	return method == http.MethodGet || method == http.MethodHead, false, politeness.Rule{}
}
