package demo

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Observation is what the crawler reports about one site, over both halves.
// Counters are sums, states are those at the end.
type Observation struct {
	Pages       int // 2xx answers with a body to URLs of the queue
	NotModified int // 304 to such URLs
	Gone        int // 404 and 410 to such URLs

	Refused map[string]int // URLs with a deny, by reason
	Failed  map[string]int // URLs that stayed unreachable, by reason
	Waiting map[string]int // URLs that wait at the end, by reason

	ContextState     string // index, none or undetermined; "" if it was not sought
	ContextReason    string
	ContextMechanism string

	Delay    time.Duration     // between requests to the host
	Uses     map[string]string // purpose to yes, no or unsaid, the strictest of all pages
	Withheld map[string]string // purpose to the reason why it is not granted
	Statuses map[int]int       // answers by status

	SavedBytes int64 // octets that 304s and fresh copies spared
}

// Row is one line of the closing table.
type Row struct {
	Site  string
	Asked string
	Did   string // what heed did, from what was observed
	Why   string // the reasons it kept, or what the servers saw
	OK    bool   // everything the site is there to show was seen
}

// Table is the closing table.
type Table []Row

// OK reports whether every row is.
func (t Table) OK() bool {
	return len(t) > 0 && !slices.ContainsFunc(t, func(r Row) bool { return !r.OK })
}

// Tabulate explains all sites. A site without an observation is explained from
// the log alone.
func Tabulate(sites []Site, seen map[string]Observation, log Log) Table {
	table := make(Table, 0, len(sites))
	for _, s := range sites {
		table = append(table, s.Explain(seen[s.Name], log))
	}
	return table
}

// Explain judges one site by what the crawler reports about it and by the whole
// log. Did begins with the totals and adds what each expectation found; Why
// holds the reasons behind them. Nothing in a row is taken from the site's
// description but Site and Asked. A crawler that claims more than the servers
// sent is wrong, whatever else holds.
func (s Site) Explain(seen Observation, log Log) Row {
	row := Row{Site: s.Name, Asked: s.Asks, OK: len(s.Expect) > 0}
	own := log.Where(Filter{Host: s.Name})
	did := []string{totals(seen, own)}
	var why []string
	e := evidence{host: s.Name, seen: seen, log: log}
	for _, expectation := range s.Expect {
		f := expectation.judge(e)
		row.OK = row.OK && f.ok
		did = append(did, f.did)
		why = append(why, f.why)
	}
	if excess := overstated(seen, own); excess != "" {
		row.OK = false
		did = append(did, excess)
	}
	row.Did, row.Why = list(did), list(why)
	if row.Why == "" {
		row.Why = reasons(merged(seen.Refused, seen.Failed, seen.Waiting))
	}
	if row.Why == "" && seen.Pages > 0 {
		row.Why = "allowed"
	}
	return row
}

// totals sums up what was asked of a host and what became of it.
func totals(seen Observation, own Log) string {
	parts := []string{plural(len(own), "request")}
	for _, p := range []struct {
		n    int
		what string
	}{
		{seen.Pages, "kept"}, {seen.NotModified, "unchanged"}, {seen.Gone, "gone"},
		{total(seen.Refused), "refused"}, {total(seen.Failed), "failed"}, {total(seen.Waiting), "waiting"},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if seen.SavedBytes > 0 {
		parts = append(parts, size(seen.SavedBytes)+" saved")
	}
	return strings.Join(parts, ", ")
}

// overstated says what the crawler claims beyond what the servers sent, "" if
// nothing. Claiming less is no fault: policy documents need not be counted.
func overstated(seen Observation, own Log) string {
	sent := own.Statuses()
	bodies := 0
	for code, n := range sent {
		if code >= 200 && code < 300 {
			bodies += n
		}
	}
	if seen.Pages > bodies {
		return fmt.Sprintf("claims %d pages of %d sent", seen.Pages, bodies)
	}
	if n := sent[http.StatusNotModified]; seen.NotModified > n {
		return fmt.Sprintf("claims %d unchanged of %d sent", seen.NotModified, n)
	}
	for _, code := range slices.Sorted(maps.Keys(seen.Statuses)) {
		if seen.Statuses[code] > sent[code] {
			return fmt.Sprintf("claims %d answers with %d of %d sent", seen.Statuses[code], code, sent[code])
		}
	}
	return ""
}

// reasons writes codes with counts and sentences, sorted by code.
func reasons(counts map[string]int) string {
	parts := make([]string, 0, len(counts))
	for _, code := range slices.Sorted(maps.Keys(counts)) {
		if counts[code] > 0 {
			parts = append(parts, explained(code))
		}
	}
	return strings.Join(parts, "; ")
}

// explained is a code with its sentence, if it has one.
func explained(code string) string {
	if s := sentence(code); s != "" {
		return code + ": " + s
	}
	return code
}

// list joins findings, leaving out empty and repeated ones.
func list(parts []string) string {
	var kept []string
	for _, p := range parts {
		if p != "" && !slices.Contains(kept, p) {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "; ")
}

// merged adds counters up.
func merged(counters ...map[string]int) map[string]int {
	sum := map[string]int{}
	for _, c := range counters {
		for code, n := range c {
			sum[code] += n
		}
	}
	return sum
}

func total(counts map[string]int) int {
	n := 0
	for _, c := range counts {
		n += c
	}
	return n
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
