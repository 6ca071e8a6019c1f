package standards

import "strings"

// pattern is the path of a rule: octets, "*" for any run of octets, "$" at the
// end for the end of the path (RFC 9309 2.2.3). Its two spellings differ only
// where its query holds reserved characters in encoded form.
type pattern struct {
	glob
	second *glob // in the second spelling, nil if it is the same
	octets int   // length in octets of the normal form, operators included
}

// glob is a pattern in one spelling.
type glob struct {
	prefix   string
	middle   []string // in this order, anywhere behind prefix
	suffix   string   // for anchored ones, behind the last star
	star     bool     // there is at least one star
	anchored bool
}

// target is the path and query of a URL in both spellings.
type target struct {
	path   string
	second string
	same   bool // second is path
}

func newTarget(path string) target {
	p := normalPath(path)
	s := unfold(p, false)
	return target{path: p, second: s, same: len(s) == len(p)}
}

// compilePattern reads the value of a rule. It is false for one that no path
// fits: an empty one, and one that begins neither with "/" nor with "*".
func compilePattern(value string) (pattern, bool) {
	if value == "" || value[0] != '/' && value[0] != '*' {
		return pattern{}, false
	}
	body, anchored := strings.CutSuffix(value, "$")
	parts := strings.Split(body, "*")
	p := pattern{octets: len(parts) - 1}
	if anchored {
		p.octets++
	}
	second := make([]string, len(parts))
	inQuery, same := false, true
	for i, part := range parts {
		parts[i] = strings.Clone(normalPath(part))
		p.octets += len(parts[i])
		second[i] = unfold(parts[i], inQuery)
		same = same && len(second[i]) == len(parts[i])
		inQuery = inQuery || strings.IndexByte(parts[i], '?') >= 0
	}
	p.glob = newGlob(parts, anchored)
	if !same {
		g := newGlob(second, anchored)
		p.second = &g
	}
	return p, true
}

func newGlob(parts []string, anchored bool) glob {
	g := glob{prefix: parts[0], star: len(parts) > 1, anchored: anchored}
	if !g.star {
		return g
	}
	rest := parts[1:]
	if anchored {
		g.suffix, rest = rest[len(rest)-1], rest[:len(rest)-1]
	}
	for _, part := range rest {
		if part != "" {
			g.middle = append(g.middle, part)
		}
	}
	return g
}

// literal tells whether the pattern is a plain prefix in one spelling.
func (p *pattern) literal() bool { return !p.star && !p.anchored && p.second == nil }

// fits tells whether the pattern fits a target in one of the spellings.
func (p *pattern) fits(t target) bool {
	if p.match(t.path) {
		return true
	}
	if p.second != nil {
		return p.second.match(t.second)
	}
	return !t.same && p.match(t.second)
}

// match takes every part at the first place where it occurs. That is enough: a
// later place would only leave less for the parts behind it. So the work is
// linear in the path, however many stars there are.
func (g *glob) match(path string) bool {
	if !strings.HasPrefix(path, g.prefix) {
		return false
	}
	rest := path[len(g.prefix):]
	if !g.star {
		return !g.anchored || rest == ""
	}
	if g.anchored {
		var ok bool
		if rest, ok = strings.CutSuffix(rest, g.suffix); !ok {
			return false
		}
	}
	for _, part := range g.middle {
		i := strings.Index(rest, part)
		if i < 0 {
			return false
		}
		rest = rest[i+len(part):]
	}
	return true
}
