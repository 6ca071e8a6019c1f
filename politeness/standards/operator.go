package standards

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"heed/politeness"
)

// OperatorRule is what the operator of the crawler decided about a host. Deny,
// Delay and AllowMethods tighten and need no reason; Ignore loosens and does.
type OperatorRule struct {
	Host         string        // exact, "*.suffix" for every name below suffix, or "*"
	Deny         bool          // nothing is asked of the host
	Delay        time.Duration // smallest pause between requests, if longer than everybody else's
	Ignore       []string      // names of sources that no longer refuse on the host
	AllowMethods []string      // where acting is enabled, the methods besides GET and HEAD; empty is all
	Because      string        // the operator's reason
	Since        time.Time     // when it was decided
}

// ErrOperatorRule is returned for a rule that is not acceptable.
var ErrOperatorRule = errors.New("standards: invalid operator rule")

// liftable are the sources that a rule may ignore: the standards, by which a
// site speaks. The operator's own notices, the guard and the pace cannot be
// lifted.
var liftable = []string{"robots", "automation", "card", "registry", "tdm", "aipref", "content-signal", "xrobots", "rsl"}

// Validate checks the rules of the operator. Ignoring a source needs a reason
// and a host: a signal cannot be switched off for the whole web.
func Validate(rules []OperatorRule) error {
	for i, r := range rules {
		if err := r.check(); err != nil {
			return fmt.Errorf("%w %d: %w", ErrOperatorRule, i+1, err)
		}
	}
	return nil
}

func (r OperatorRule) check() error {
	if err := checkHost(r.Host, len(r.Ignore) == 0); err != nil {
		return err
	}
	if !r.Deny && r.Delay == 0 && len(r.Ignore) == 0 && len(r.AllowMethods) == 0 {
		return fmt.Errorf("%s: none of deny, delay, ignore and allow_methods", r.Host)
	}
	if r.Delay < 0 {
		return fmt.Errorf("%s: delay %s is negative", r.Host, r.Delay)
	}
	for _, name := range r.Ignore {
		if !slices.Contains(liftable, name) {
			return fmt.Errorf("%s: %q cannot be ignored; use %s", r.Host, name, strings.Join(liftable, ", "))
		}
	}
	for _, m := range r.AllowMethods {
		if m == "" || strings.ToUpper(m) != m || strings.ContainsAny(m, " \t,") {
			return fmt.Errorf("%s: %q is not the name of a method", r.Host, m)
		}
	}
	if len(r.Ignore) > 0 && strings.TrimSpace(r.Because) == "" {
		return fmt.Errorf("%s: ignore needs because", r.Host)
	}
	return nil
}

// operator speaks first: what the operator forbids needs no document.
type operator struct{ rules []OperatorRule }

func (operator) Name() string                                                  { return "operator" }
func (operator) Where(string) []politeness.Place                               { return nil }
func (s operator) Read(politeness.Place, politeness.Document) politeness.Rules { return s }

func (s operator) Judge(q politeness.Question) politeness.Opinion {
	o := politeness.Quiet(s.Name())
	for _, r := range s.rules {
		if !matchHost(r.Host, q.Host) {
			continue
		}
		if r.Delay > o.Delay {
			o.Delay = r.Delay
			if o.Verdict == politeness.Silent {
				o.Because = r.Because
			}
		}
		if r.Deny && o.Verdict != politeness.Deny {
			o.Verdict, o.Reason, o.Because = politeness.Deny, politeness.OperatorDeny, r.Because
		}
	}
	return o
}
