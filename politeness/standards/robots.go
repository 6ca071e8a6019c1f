package standards

import (
	"sync/atomic"
	"time"

	"heed/politeness"
)

// robotsMaxBytes is how much of a robots.txt is read: the parsing limit that
// RFC 9309 2.5 asks for at least, 500 KiB. A line cut there is dropped, because
// a shortened path is a wider rule.
const robotsMaxBytes = 512_000

// robotsPath is always allowed (RFC 9309 2.2.2).
const robotsPath = "/robots.txt"

// robots is the Robots Exclusion Protocol, RFC 9309. See robots_status.go for
// what an answer means as a whole, robots_scan.go for lines, robots_group.go
// for groups, pattern.go and normal.go for paths.
type robots struct {
	token         string
	maxDelay      time.Duration
	disagreements *atomic.Int64
}

func newRobots(o Options) *robots {
	return &robots{token: productToken(o.Token), maxDelay: o.MaxCrawlDelay, disagreements: o.Disagreements}
}

func (*robots) Name() string { return "robots" }

func (*robots) Where(origin string) []politeness.Place {
	return []politeness.Place{robotsPlace(origin)}
}

// robotsPlace is where the robots.txt of an origin lies. A day is the longest
// freshness RFC 9309 2.4 allows.
func robotsPlace(origin string) politeness.Place {
	return politeness.Place{URL: origin + robotsPath, Kind: "robots", MaxBytes: robotsMaxBytes,
		MaxAge: 24 * time.Hour, Accept: "text/plain, */*;q=0.1"}
}

func (s *robots) Read(_ politeness.Place, d politeness.Document) politeness.Rules {
	r := &robotsRules{answer: readAnswer(&d), failure: d.Failure, retry: d.Expires, disagreements: s.disagreements}
	if r.answer == answerServed {
		r.file = parseRobots(d.Body, d.Truncated, s.token, s.maxDelay)
		r.second = newSecondReader(r.file.rules)
	}
	return r
}

// robotsRules is one robots.txt as it addresses us. It does not change after
// Read.
type robotsRules struct {
	answer        answer
	failure       *politeness.Failure
	retry         time.Time // when an unusable answer is asked for again
	file          *robotsFile
	second        *secondReader
	disagreements *atomic.Int64
}

// Judge finds the longest rule that fits the path; without one the path is
// allowed, which is silence: somebody else may still object.
func (r *robotsRules) Judge(q politeness.Question) politeness.Opinion {
	o := politeness.Quiet("robots")
	if r.file != nil {
		o.Delay = r.file.delay
	}
	if q.Path == robotsPath {
		o.Verdict, o.Reason = politeness.Allow, politeness.Allowed
		return o
	}
	if until, closed := r.closed(q.Now); closed {
		o.Verdict, o.Reason, o.Until = politeness.Wait, politeness.RobotsUnreachable, until
		return o
	}
	if r.file == nil {
		return o
	}
	t := newTarget(q.Path)
	rule := r.file.rules.find(t)
	allowed := rule == nil || rule.allow
	if !r.second.agrees(t, allowed) {
		if r.disagreements != nil {
			r.disagreements.Add(1)
		}
		allowed = false
	}
	if rule != nil {
		o.Verdict, o.Reason = politeness.Allow, politeness.Allowed
		o.Rule = politeness.Rule{Text: rule.text, Line: rule.line}
	}
	if !allowed {
		o.Verdict, o.Reason = politeness.Deny, politeness.RobotsDisallow
	}
	return o
}

// Records implements politeness.Recorder for every record that RFC 9309 does
// not define. They count for the whole origin, whatever group they stand in.
func (r *robotsRules) Records(name string) []politeness.Record {
	if r.file == nil {
		return nil
	}
	var list []politeness.Record
	for _, rec := range r.file.records {
		if rec.name == name {
			list = append(list, rec.Record)
		}
	}
	return list
}
