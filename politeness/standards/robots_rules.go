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
	rules   []rule
	sieve   sieve // over the rules
	literal bool  // no rule has an operator or a second spelling
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
	s.sieve.meshes = make([]mesh, 0, len(s.rules))
	for i := range s.rules {
		s.sieve.add(&s.rules[i].pattern)
	}
	return s
}

// find returns the rule that decides about a target, nil if none fits.
func (s *ruleSet) find(t target) *rule {
	sifted := s.sieve.over(t)
	for i, ok := sifted.next(len(s.rules)); ok; i, ok = sifted.next(len(s.rules)) {
		if s.rules[i].fits(t) {
			return &s.rules[i]
		}
	}
	return nil
}

// plainText makes a line of a stranger fit to be kept and shown: bounded, valid
// UTF-8, no control characters. What is replaced grows, so the bound is held
// before and after.
func plainText(s string) string {
	short, cut := clipText(s)
	short, again := clipText(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, strings.ToValidUTF8(short, string(unicode.ReplacementChar))))
	if cut || again {
		return strings.ToValidUTF8(short, "") + "…"
	}
	return short
}

// clipText cuts a text at the bound, perhaps inside a character.
func clipText(s string) (short string, cut bool) {
	if len(s) > maxRuleText {
		return s[:maxRuleText], true
	}
	return s, false
}
