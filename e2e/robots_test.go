//go:build e2e && linux

package e2e

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// ruleset is robots.txt as one product token sees it, read without any code of
// heed. It is slow and plain on purpose: every pattern becomes a regular
// expression.
type ruleset struct {
	rules []rule
	delay time.Duration // the longest Crawl-delay of any group
}

type rule struct {
	allow   bool
	octets  int
	pattern *regexp.Regexp
}

// readRobots follows RFC 9309 2.2: groups of the token, joined, else those of *.
func readRobots(text []byte, token string) ruleset {
	var out ruleset
	groups := map[string][]rule{}
	var agents []string
	open := false // the last line was a User-agent line
	for line := range strings.Lines(strings.TrimPrefix(strings.ReplaceAll(string(text), "\r", "\n"), "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		name, value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
		switch name {
		case "user-agent":
			if !open {
				agents = nil
			}
			open = true
			agent := strings.ToLower(value)
			agents = append(agents, agent)
			if _, ok := groups[agent]; !ok {
				groups[agent] = nil // a group without rules counts too
			}
		case "allow", "disallow":
			open = false
			if value == "" {
				continue
			}
			for _, a := range agents {
				groups[a] = append(groups[a], rule{name == "allow", len(value), patternOf(value)})
			}
		case "crawl-delay":
			open = false
			if seconds, err := strconv.ParseFloat(value, 64); err == nil {
				out.delay = max(out.delay, time.Duration(seconds*float64(time.Second)))
			}
		}
	}
	rules, ok := groups[strings.ToLower(token)]
	if !ok {
		rules = groups["*"]
	}
	out.rules = rules
	return out
}

// patternOf anchors at the start, and at the end for $ (RFC 9309 2.2.3).
func patternOf(value string) *regexp.Regexp {
	body, end := strings.CutSuffix(value, "$")
	parts := strings.Split(body, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	text := "(?s)^" + strings.Join(parts, ".*")
	if end {
		text += "$"
	}
	return regexp.MustCompile(text)
}

// allows applies the longest match; of equals, allow.
func (r ruleset) allows(target string) bool {
	longest, allowed := -1, true
	for _, rule := range r.rules {
		if !rule.pattern.MatchString(target) {
			continue
		}
		if rule.octets > longest || rule.octets == longest && rule.allow {
			longest, allowed = rule.octets, rule.allow
		}
	}
	return allowed
}

func TestTheMatcherOfTheTestReadsRobots(t *testing.T) {
	text := "User-agent: other\nDisallow: /\n\nUser-agent: *\nUser-agent: heed\nDisallow: /a/ # no\nAllow: /a/b\n" +
		"Disallow: /*.cgi$\nDisallow:\nCrawl-delay: 2\n\nUser-agent: HEED\nDisallow: /c\nAllow: /c\n"
	r := readRobots([]byte(text), "heed")
	for target, want := range map[string]bool{
		"/": true, "/a/": false, "/a/x": false, "/a/b": true, "/x.cgi": false, "/x.cgi?q": true, "/c": true,
	} {
		if got := r.allows(target); got != want {
			t.Errorf("%s: allowed %v, want %v", target, got, want)
		}
	}
	if r.delay != 2*time.Second {
		t.Errorf("delay %v, want 2s", r.delay)
	}
	if all := readRobots([]byte("User-agent: *\nDisallow: /x\n"), "heed"); all.allows("/x") {
		t.Error("the group of * does not count")
	}
}
