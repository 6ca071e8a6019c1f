package standards

import (
	"slices"
	"strings"
)

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
	tail     uint64   // the last eight octets of prefix, if it has as many
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
	for i, part := range parts {
		parts[i] = normalPath(part)
		p.octets += len(parts[i])
	}
	if second, ok := unfoldParts(parts); ok {
		g := newGlob(second, anchored)
		p.second = &g
	}
	p.glob = newGlob(parts, anchored)
	return p, true
}

// unfoldParts gives the second spelling of the parts between stars. It is false
// where that is the first one.
func unfoldParts(parts []string) ([]string, bool) {
	var second []string
	inQuery := false
	for i, part := range parts {
		if u := unfold(part, inQuery); len(u) != len(part) {
			if second == nil {
				second = slices.Clone(parts)
			}
			second[i] = u
		}
		inQuery = inQuery || strings.IndexByte(part, '?') >= 0
	}
	return second, second != nil
}

func newGlob(parts []string, anchored bool) glob {
	g := glob{prefix: parts[0], tail: tailOf(parts[0]), star: len(parts) > 1, anchored: anchored}
	if !g.star {
		return g
	}
	rest := parts[1:]
	if anchored {
		g.suffix, rest = rest[len(rest)-1], rest[:len(rest)-1]
	}
	g.middle = slices.DeleteFunc(rest, func(part string) bool { return part == "" })
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
	rest, ok := strings.CutPrefix(path, g.prefix)
	if !ok {
		return false
	}
	if !g.star {
		return !g.anchored || rest == ""
	}
	if g.anchored {
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
