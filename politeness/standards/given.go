package standards

import "heed/politeness"

// scope speaks for the job: the question already says why a URL is outside it.
type scope struct{}

func (scope) Name() string                                                  { return "scope" }
func (scope) Where(string) []politeness.Place                               { return nil }
func (s scope) Read(politeness.Place, politeness.Document) politeness.Rules { return s }

func (s scope) Judge(q politeness.Question) politeness.Opinion {
	return given(s.Name(), q.Scope)
}

// guard speaks for the address guard. It is asked again when a connection is
// made; this is the part that can be known before.
type guard struct{}

func (guard) Name() string                                                  { return "guard" }
func (guard) Where(string) []politeness.Place                               { return nil }
func (g guard) Read(politeness.Place, politeness.Document) politeness.Rules { return g }

func (g guard) Judge(q politeness.Question) politeness.Opinion {
	return given(g.Name(), q.Guard)
}

// given turns a reason that the question brought along into an opinion.
func given(source string, reason politeness.Reason) politeness.Opinion {
	if reason == "" {
		return politeness.Quiet(source)
	}
	return politeness.Opinion{Source: source, Verdict: politeness.Deny, Reason: reason}
}
