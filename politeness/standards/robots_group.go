package standards

import (
	"strings"
	"time"

	"heed/politeness"
)

// Bounds of what is kept of a file besides its rules. Everything else about it
// is bounded by robotsMaxBytes.
const (
	maxRecords     = 1_000
	maxRecordName  = 64    // octets
	maxRecordValue = 2_048 // octets, the longest URL that is ever queued
)

// robotsFile is what a robots.txt says to us.
type robotsFile struct {
	rules   ruleSet
	delay   time.Duration // Crawl-delay, already bounded
	records []record
	groups  []group
	named   bool // a group names our token, so `*` groups do not address us
	dropped int  // records beyond the bounds
}

// record is a line with a name that RFC 9309 does not define.
type record struct {
	politeness.Record
	name  string // lower case
	group int    // index in robotsFile.groups, -1 before the first group
}

// group is a run of user-agent lines with what follows up to the next run. What
// it says, it says to all of its agents.
type group struct {
	named bool // one of its agents is our token
	any   bool // one of them is `*`
	delay time.Duration
}

// addresses tells whether the file speaks to us by a group: by the groups of
// our token if there are any, else by those of `*` (RFC 9309 2.2.1).
func (f *robotsFile) addresses(i int) bool {
	if i < 0 {
		return false
	}
	if f.named {
		return f.groups[i].named
	}
	return f.groups[i].any
}

// parseRobots reads a file for a product token. Groups of the same agent merge.
func parseRobots(body []byte, cut bool, token string, maxDelay time.Duration) *robotsFile {
	p := groupParser{file: &robotsFile{}, token: token, maxDelay: maxDelay}
	scanFields(string(body), cut, p.take)
	f := p.file
	raw := p.any
	if f.named {
		raw = p.named
	}
	for i, g := range f.groups {
		if f.addresses(i) {
			f.delay = max(f.delay, g.delay)
		}
	}
	f.rules = compileRules(raw)
	return f
}

// groupParser collects the lines of our token and of `*` side by side, since
// only the end of the file tells which of them count. Its work is linear in
// the file: agents that are not ours cost nothing but their line.
type groupParser struct {
	file     *robotsFile
	token    string
	maxDelay time.Duration

	agents  bool // the last line that counts was a user-agent line
	open    int  // first record that may still turn out to lie inside the group
	named   []field
	any     []field
	started bool // there was a user-agent line
}

func (p *groupParser) take(f field) {
	switch f.kind {
	case fieldAgent:
		p.agent(f.value)
	case fieldAllow, fieldDisallow:
		p.rule(f)
	default:
		p.other(f)
	}
}

func (p *groupParser) agent(value string) {
	if !p.agents {
		p.file.groups = append(p.file.groups, group{})
		p.agents, p.started, p.open = true, true, len(p.file.records)
	}
	p.enclose()
	g := &p.file.groups[len(p.file.groups)-1]
	us, any := addressed(value, p.token)
	g.named, g.any = g.named || us, g.any || any
	p.file.named = p.file.named || us
}

// addressed tells whether a user-agent line means a product token, or everybody.
func addressed(value, token string) (us, any bool) {
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		return false, true
	}
	return token != "" && strings.EqualFold(productToken(value), token), false
}

func (p *groupParser) rule(f field) {
	if !p.started {
		return
	}
	p.agents = false
	p.enclose()
	g := p.file.groups[len(p.file.groups)-1]
	if g.named {
		p.named = append(p.named, f)
	}
	if g.any {
		p.any = append(p.any, f)
	}
}

// enclose marks the records since the start of the group: a line of the group
// follows them.
func (p *groupParser) enclose() {
	for ; p.open < len(p.file.records); p.open++ {
		p.file.records[p.open].InGroup = true
	}
}

func (p *groupParser) other(f field) {
	at := len(p.file.groups) - 1
	if (f.name == "crawl-delay" || f.name == "crawldelay") && at >= 0 {
		if delay, ok := parseDelay(f.value, p.maxDelay); ok {
			p.file.groups[at].delay = max(p.file.groups[at].delay, delay)
		}
	}
	if len(f.name) > maxRecordName || len(f.value) > maxRecordValue || len(p.file.records) >= maxRecords {
		p.file.dropped++
		return
	}
	p.file.records = append(p.file.records, record{name: strings.Clone(f.name), group: at,
		Record: politeness.Record{Value: strings.Clone(f.value), Line: f.line}})
}

// productToken is the leading run of letters, "_" and "-" (RFC 9309 2.2.1).
func productToken(s string) string {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c|0x20 && c|0x20 <= 'z' || c == '_' || c == '-') {
			return s[:i]
		}
	}
	return s
}
