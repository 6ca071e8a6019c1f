package app

import (
	"fmt"
	"strings"
	"time"

	"heed/config"
)

// loosened says in one sentence each what the operator's configuration opens beyond
// the defaults and the site's own words. It is printed at every start, with the
// operator's reason, so that nothing is open by a forgotten line.
func loosened(c config.Config) []string {
	var list []string
	add := func(what, because string, since config.Date) {
		if !since.Time().IsZero() {
			what += " since " + since.Time().Format(time.DateOnly)
		}
		list = append(list, what+", because: "+because)
	}
	for _, r := range c.Rules {
		if !r.Loosens() {
			continue
		}
		var opens []string
		if len(r.Ignore) > 0 {
			opens = append(opens, "no heed is paid to "+strings.Join(r.Ignore, ", "))
		}
		if len(r.AllowMethods) > 0 {
			opens = append(opens, "methods are "+strings.Join(r.AllowMethods, ", "))
		}
		if r.Delay != nil && r.Delay.Std() < defaultDelay {
			opens = append(opens, fmt.Sprintf("the delay is %s", r.Delay.Std()))
		}
		if r.PerHost > 1 {
			opens = append(opens, fmt.Sprintf("%d requests run at a time", r.PerHost))
		}
		add("On "+r.Host+" "+strings.Join(opens, "; "), r.Because, r.Since)
	}
	for _, s := range c.Silent {
		add("Silence about the purpose "+s.Purpose+" counts as permission", s.Because, s.Since)
	}
	for _, h := range c.Act.Hosts {
		add("Acting is enabled on "+h.Host, h.Because, h.Since)
	}
	return list
}
