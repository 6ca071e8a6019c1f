package standards

import "heed/politeness"

// pace speaks for the pacer: its word on the host came with the question.
type pace struct{}

func (pace) Name() string                                                  { return "pace" }
func (pace) Where(string) []politeness.Place                               { return nil }
func (p pace) Read(politeness.Place, politeness.Document) politeness.Rules { return p }

func (p pace) Judge(q politeness.Question) politeness.Opinion {
	o := politeness.Quiet(p.Name())
	o.Delay = q.Rate.Delay
	if q.Rate.Until.After(q.Now) {
		o.Verdict, o.Reason, o.Until = politeness.Wait, q.Rate.Reason, q.Rate.Until
		if o.Reason == "" {
			o.Reason = politeness.PaceNotYet
		}
	}
	return o
}
