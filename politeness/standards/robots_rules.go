package standards

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// maxRuleText is how many octets of a rule are kept as its text; decisions are
// kept for ever.
const maxRuleText = 1_024

// rule is one allow or disallow line that addresses us.
type rule struct {
	pattern
	allow bool
	text  string
	line  int
}

// ruleSet holds rules from the longest to the shortest, of equal length the
// allowing ones first. So the first one that fits decides (RFC 9309 2.2.2).
type ruleSet struct {
	rules      []rule
	heads      []head // of the rules, in the same order
	literal    bool   // no rule has an operator or a second spelling
	twoSpelled bool   // some rule has a second spelling
}

// head is the first eight octets of a prefix. Comparing heads rules out most
// rules without looking at the rules themselves.
type head struct{ octets, mask uint64 }

func headOf(prefix string) head {
	var h head
	for i := range min(len(prefix), 8) {
		h.octets |= uint64(prefix[i]) << (8 * i)
		h.mask |= 0xFF << (8 * i)
	}
	return h
}

func compileRules(fields []field) ruleSet {
	s := ruleSet{rules: make([]rule, 0, len(fields)), literal: true}
	for _, f := range fields {
		allow := f.kind == fieldAllow
		if allow && f.cut {
			continue // a shortened path would open more than was meant
		}
		// One copy serves the text and the pattern, since the value ends the
		// line; the rest of the file can be let go.
		text := strings.Clone(f.text)
		pattern, ok := compilePattern(text[len(text)-len(f.value):])
		if !ok {
			continue
		}
		s.literal = s.literal && pattern.literal()
		s.twoSpelled = s.twoSpelled || pattern.second != nil
		s.rules = append(s.rules, rule{pattern: pattern, allow: allow, text: plainText(text), line: f.line})
	}
	slices.SortStableFunc(s.rules, func(a, b rule) int {
		if a.octets != b.octets {
			return cmp.Compare(b.octets, a.octets)
		}
		if a.allow != b.allow {
			if a.allow {
				return -1
			}
			return 1
		}
		return 0
	})
	s.heads = make([]head, len(s.rules))
	for i := range s.rules {
		s.heads[i] = headOf(s.rules[i].prefix)
	}
	return s
}

// find returns the rule that decides about a target, nil if none fits.
func (s *ruleSet) find(t target) *rule {
	if t.same && !s.twoSpelled {
		path := headOf(t.path).octets
		for i, h := range s.heads {
			if path&h.mask == h.octets && s.rules[i].match(t.path) {
				return &s.rules[i]
			}
		}
		return nil
	}
	for i := range s.rules {
		if s.rules[i].fits(t) {
			return &s.rules[i]
		}
	}
	return nil
}

// plainText makes a line of a stranger fit to be kept and shown: bounded, valid
// UTF-8, no control characters.
func plainText(s string) string {
	cut := len(s) > maxRuleText
	if cut {
		s = s[:maxRuleText]
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(s, string(unicode.ReplacementChar)))
	if cut {
		return s + "…"
	}
	return s
}
