package standards

import (
	"strings"

	"heed/politeness"
)

// groupLine is a line of a robots.txt that RFC 9309 does not define, as it
// addresses us.
type groupLine struct {
	value string
	rule  politeness.Rule
}

// maxGroupLines bounds the lines of one name that are kept.
const maxGroupLines = 5_000

// groupLines collects the lines of a name, in lower case, from the groups that
// address a product token: those of the token, else those of `*` (RFC 9309
// 2.2.1). A line before the first group addresses nobody. complete is false if
// there are more lines than are kept.
//
// Usage lines are rules of their group (draft-ietf-aipref-attach), so a
// user-agent line behind one begins another group.
func groupLines(d *politeness.Document, token, name string) (list []groupLine, complete bool) {
	c := lineCollector{name: name, token: token}
	scanFields(string(d.Body), d.Truncated, c.take)
	if c.named {
		return c.own, !c.full
	}
	return c.any, !c.full
}

type lineCollector struct {
	name, token string

	own, any      []groupLine
	full          bool
	named         bool // some group names our token
	agents        bool // the last line that counts was a user-agent line
	forUs, forAny bool // the open group addresses our token, everybody
}

func (c *lineCollector) take(f field) {
	switch {
	case f.kind == fieldAgent:
		if !c.agents {
			c.agents, c.forUs, c.forAny = true, false, false
		}
		us, any := addressed(f.value, c.token)
		c.forUs, c.forAny, c.named = c.forUs || us, c.forAny || any, c.named || us
	case f.kind != fieldOther:
		c.agents = false
	case f.name == contentUsage || f.name == contentSignal:
		c.agents = false
		if f.name == c.name {
			c.keep(f)
		}
	}
}

func (c *lineCollector) keep(f field) {
	l := groupLine{value: strings.Clone(f.value), rule: politeness.Rule{Text: plainText(strings.Clone(f.text)), Line: f.line}}
	if len(c.own) >= maxGroupLines || len(c.any) >= maxGroupLines {
		c.full = true
		return
	}
	if c.forUs {
		c.own = append(c.own, l)
	}
	if c.forAny {
		c.any = append(c.any, l)
	}
}
