package standards

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"heed/politeness"
)

// ActHost enables methods that change state on a host (AP-143).
type ActHost struct {
	Host    string    // exact, or "*.suffix" for every name below suffix
	Because string    // the operator's reason, required
	Since   time.Time // when it was decided
}

// ErrActHost is returned for an act host that is not acceptable.
var ErrActHost = errors.New("standards: invalid act host")

// ValidateActHosts checks the hosts on which acting is enabled: each needs a
// reason, and none may cover more than one registrable name.
func ValidateActHosts(hosts []ActHost) error {
	for i, h := range hosts {
		if err := checkHost(h.Host, false); err != nil {
			return fmt.Errorf("%w %d: %w", ErrActHost, i+1, err)
		}
		if strings.TrimSpace(h.Because) == "" {
			return fmt.Errorf("%w %d: %s: acting needs because", ErrActHost, i+1, h.Host)
		}
	}
	return nil
}

// method lets GET and HEAD pass. Everything else needs all of AP-143: somebody
// waits for it, act is a purpose, and the operator enabled acting on the host,
// which are judged here; robots.txt and automation-preferences.txt permit it,
// which their sources judge; and a fresh card says act=true, which Combine asks
// for, since no other source grants act.
type method struct {
	hosts []ActHost
	rules []OperatorRule
}

func (method) Name() string                                                  { return "method" }
func (method) Where(string) []politeness.Place                               { return nil }
func (m method) Read(politeness.Place, politeness.Document) politeness.Rules { return m }

func (m method) Judge(q politeness.Question) politeness.Opinion {
	if q.Method == http.MethodGet || q.Method == http.MethodHead {
		return politeness.Quiet(m.Name())
	}
	// Somebody who waits for the answer is told about every condition that is
	// missing, so the site's documents are read all the same.
	o := politeness.Opinion{Source: m.Name(), Verdict: politeness.Deny, Reason: politeness.MethodUnsafe,
		Inquire: q.Mode == politeness.OnDemand}
	if q.Mode != politeness.OnDemand || !q.Purposes.Has(politeness.Act) {
		return o
	}
	o.Reason = politeness.MethodActOff
	i := slices.IndexFunc(m.hosts, func(h ActHost) bool { return matchHost(h.Host, q.Host) })
	if i < 0 {
		return o
	}
	for _, r := range m.rules {
		if len(r.AllowMethods) > 0 && matchHost(r.Host, q.Host) && !slices.Contains(r.AllowMethods, q.Method) {
			o.Because = r.Because
			return o
		}
	}
	o = politeness.Quiet(m.Name())
	o.Because = m.hosts[i].Because
	return o
}
