package standards

import (
	"strings"

	"heed/politeness"
)

// automationFile is what a file says for one origin: groups of other hosts are
// left out.
type automationFile struct {
	groups  []automationGroup
	sieve   sieve // over the scopes of all groups, in their order
	known   int   // directives with a name that is known
	partial bool  // lines are missing, so nothing beyond reading for retrieval is permitted
	notes   noteList
}

// automationGroup is a run of scope lines with what follows up to the next run;
// the first one, without scope lines, is the preamble (AP-114, AP-115).
type automationGroup struct {
	hosted   bool // there is a Host line
	hostFits bool // one of them names the governed host
	scoped   bool // there is a Scope line
	scopes   []pattern
	first    int  // index of the first scope in the sieve
	denyOnly bool // a scope line was lost to a limit (AP-108)
	facets
}

// parseAutomation reads a file as it governs a host.
func parseAutomation(body []byte, cut bool, host governed, vocabulary map[string]politeness.Purposes) *automationFile {
	text, partial := wholeLines(string(body), cut, automationMaxBytes)
	p := automationParser{file: &automationFile{partial: partial}, host: host, vocabulary: vocabulary}
	for n, line := range lines(withoutBOM(text)) {
		d, ok := parseDirective(line)
		d.line = n
		switch {
		case ok:
			p.take(d)
		case d.text != "":
			p.file.notes.add(noteNoDirective, d.text, n)
		}
	}
	p.close()
	return p.file
}

type automationParser struct {
	file       *automationFile
	host       governed
	vocabulary map[string]politeness.Purposes
	group      automationGroup // the one that is open
	total      int             // groups opened, the preamble not counted
	scoping    bool            // the line before was a scope line
}

// take adds a directive. Every line with a name, known or not, ends a run of
// scope lines, so that a reader of extensions groups a file as we do (AP-116).
func (p *automationParser) take(d directive) {
	if d.kind != directiveUnknown {
		p.file.known++
	}
	switch {
	case d.kind == directiveScope || d.kind == directiveHost:
		if !p.scoping {
			p.open()
		}
		p.scope(d)
		p.scoping = true
		return
	case d.kind == directiveUnknown:
		p.file.notes.add(noteUnknown, d.text, d.line)
	case d.lost: // as if it were not there, except that something is missing (AP-109)
		p.file.partial = true
		p.file.notes.add(noteTooLong, d.text, d.line)
		return
	default:
		if complaint := p.group.state(d, p.vocabulary); complaint != "" {
			p.file.partial = p.file.partial || complaint == noteTooLong
			p.file.notes.add(complaint, d.text, d.line)
		}
	}
	p.scoping = false
}

func (p *automationParser) open() {
	p.close()
	p.group = automationGroup{}
	p.total++
}

// close keeps the open group unless it can never match, because it is for other
// hosts or none of its scope lines is usable (AP-123). Groups beyond the limit
// are left out, which makes the file partial.
func (p *automationParser) close() {
	g := &p.group
	switch {
	case g.hosted && !g.hostFits || g.scoped && len(g.scopes) == 0:
	case p.total > automationMaxGroups:
		p.file.partial = true
	default:
		g.first = len(p.file.sieve.meshes)
		for i := range g.scopes {
			p.file.sieve.add(&g.scopes[i])
		}
		p.file.groups = append(p.file.groups, *g)
	}
}

func (p *automationParser) scope(d directive) {
	g := &p.group
	lost, usable := d.lost, true
	if d.kind == directiveHost {
		g.hosted = true
		g.hostFits = g.hostFits || !lost && p.host.named(d.value)
	} else {
		g.scoped = true
		s, fits, long := compileScope(d.value, p.host)
		lost, usable = lost || long, fits
		if fits && !lost {
			g.scopes = append(g.scopes, s)
		}
	}
	switch {
	case lost:
		g.denyOnly = true
		p.file.notes.add(noteTooLong, d.text, d.line)
	case !usable || strings.IndexByte(d.value, '#') >= 0:
		p.file.notes.add(noteScope, d.text, d.line)
	}
}

// rank orders the groups that match a target by specificity: the octets of the
// longest Scope that fits, and among equals those with a Host (AP-121, AP-122).
// It is -1 for a group that does not match. The preamble has rank 0. Groups are
// asked in file order, as sifted goes along.
func (g *automationGroup) rank(t target, sifted *sifted) int {
	if !g.hosted && !g.scoped {
		return 0
	}
	longest := 0
	if g.scoped {
		longest = -1
		end := g.first + len(g.scopes)
		for i, ok := sifted.next(end); ok; i, ok = sifted.next(end) {
			if s := &g.scopes[i-g.first]; s.octets > longest && s.fits(t) {
				longest = s.octets
			}
		}
		if longest < 0 {
			return -1
		}
	}
	rank := 1 + 2*longest
	if g.hosted {
		rank++
	}
	return rank
}
