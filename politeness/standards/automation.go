package standards

import (
	"net/http"
	"time"

	"heed/politeness"
)

// automationMaxBytes is how much of an automation-preferences.txt is read, as
// much as of a robots.txt (AP-108).
const automationMaxBytes = 512_000

// automationMinAge is how young a copy is not asked for again, for whatever
// reason (AP-137, AP-142).
const automationMinAge = 5 * time.Minute

// automationPath is where the file lies on each origin (AP-001, AP-101).
const automationPath = "/automation-preferences.txt"

// automation is automation-preferences.txt, draft-liao-aipref-autoctl-core-00.
// It can only restrict (AP-039, AP-147). See automation_state.go for what an
// answer means as a whole, automation_scan.go for lines, automation_group.go for
// groups, automation_scope.go for Host and Scope, automation_facet.go for
// inheritance.
type automation struct {
	vocabulary map[string]politeness.Purposes
	silent     bool // purposes are not declared with requests
}

func newAutomation(o Options) automation {
	s := automation{vocabulary: o.Vocabulary, silent: o.NoDeclaration}
	if s.vocabulary == nil {
		s.vocabulary = DefaultVocabulary()
	}
	return s
}

func (automation) Name() string { return "automation" }

// Where names one file for each origin. A copy is good for a day at most
// (AP-035) and for five minutes at least (AP-137); a file that cannot be read is
// asked for again after 1, 5 and 15 minutes (AP-104).
func (automation) Where(origin string) []politeness.Place {
	return []politeness.Place{{URL: origin + automationPath, Kind: "automation", MaxBytes: automationMaxBytes,
		MaxAge: 24 * time.Hour, MinAge: automationMinAge, Accept: "text/plain, */*;q=0.1", BoundBy: "robots",
		Pauses: [3]time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute}}}
}

func (s automation) Read(p politeness.Place, d politeness.Document) politeness.Rules {
	r := &automationRules{silent: s.silent, forbidden: d.Forbidden, failure: d.Failure, fetched: d.FetchedAt}
	r.kind = readKind(&d)
	if r.kind == kindServed || r.kind == kindDoubtful {
		r.file = parseAutomation(d.Body, d.Truncated, governedBy(p.URL), s.vocabulary)
		if r.kind == kindDoubtful && r.file.known == 0 {
			r.kind, r.file = kindAbsent, nil
		}
	}
	r.notes = notesOf(r.kind, &d, r.file)
	return r
}

// automationRules is one file as it governs one origin. It does not change after
// Read.
type automationRules struct {
	kind      documentKind
	file      *automationFile // nil unless the document was served
	silent    bool
	forbidden bool
	failure   *politeness.Failure
	fetched   time.Time
	notes     []politeness.Note
}

// Judge answers method, purposes and the duty to declare them. Policy documents
// are exempt (AP-131).
func (r *automationRules) Judge(q politeness.Question) politeness.Opinion {
	o := politeness.Quiet("automation")
	if exempt(q.Path) {
		return o
	}
	state, until := r.state(q.Now)
	if state == stateWaiting {
		o.Verdict, o.Reason, o.Until = politeness.Wait, politeness.AutomationUnreachable, until
		return o
	}
	a := newReading()
	if r.file != nil && state != stateUnknown {
		a = r.file.read(newTarget(q.Path), q.Method)
	}
	safe := q.Method == http.MethodGet || q.Method == http.MethodHead
	if a.methods < 0 || state != statePresent || r.file.partial {
		a.denied = a.denied || !safe // defaults of AP-011, and permissions that do not count
	}
	if state == stateUnknown || r.file != nil && r.file.partial {
		for _, p := range [...]politeness.Purpose{politeness.Train, politeness.Act} {
			o.Uses[p] = politeness.No
		}
		o.Reason = politeness.AutomationUnreachable
	}
	a.refusePurposes(&o, q.Purposes)
	if o.Uses.Refuses(q.Purposes) {
		o.Closes = o.Reason
	}
	o.Declare = a.required
	switch {
	case a.denied:
		o.Verdict, o.Reason, o.Rule = politeness.Deny, politeness.AutomationMethod, a.methodRule
	case a.strict():
		o.Verdict, o.Reason, o.Rule = politeness.Deny, politeness.AutomationStrict, a.stanceRule
	case a.required && (r.silent || q.Purposes == 0):
		o.Verdict, o.Reason, o.Rule = politeness.Deny, politeness.AutomationPurposeRequired, a.requireRule
	case o.Reason == "" && r.file != nil:
		o.Verdict, o.Reason, o.Rule = politeness.Allow, politeness.Allowed, a.allowRule
		if state == statePresent {
			o.Recheck = automationMinAge
		}
	}
	return o
}

// exempt lists the policy documents: they are fetched to find out what is
// wanted, so nothing but robots.txt binds them.
func exempt(path string) bool {
	return path == robotsPath || path == automationPath || path == tdmPath
}

// Notes implements politeness.Noter.
func (r *automationRules) Notes() []politeness.Note { return r.notes }
