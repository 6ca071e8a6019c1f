package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"heed/cmd/heed/api"
	"heed/cmd/heed/app"
	"heed/cmd/terminal"
	"heed/crawler"
	"heed/frontier"
	"heed/politeness"
)

// printJSON writes one JSON object on one line.
func (s *session) printJSON(v any) error { return terminal.JSON(s.stdout, v) }

// newTable is a table on standard output.
func (s *session) newTable(header ...any) *terminal.Grid { return terminal.Table(s.stdout, header...) }

// plain makes a stranger's text safe for a terminal.
func plain(text string) string { return terminal.Plain(text) }

func short(text string, limit int) string {
	text = plain(text)
	if r := []rune(text); len(r) > limit {
		return string(r[:limit-1]) + "…"
	}
	return text
}

// printDecision shows a verdict, its decisive rule and everybody's opinion.
func (s *session) printDecision(d politeness.Decision) {
	fmt.Fprintf(s.stdout, "%s %s\n%s: %s\n", d.Method, plain(d.URL), strings.ToUpper(d.Verdict.String()), sentence(d.Reason))
	if d.Rule.Text != "" {
		fmt.Fprintf(s.stdout, "  %s\n", cited(d))
	}
	if d.Because != "" {
		fmt.Fprintf(s.stdout, "  because: %s\n", plain(d.Because))
	}
	if d.Verdict == politeness.Wait && d.Doc != nil {
		fmt.Fprintf(s.stdout, "  %s: %s\n", documentURL(d.Doc), answer(d.Doc))
	}
	if !d.Until.IsZero() {
		fmt.Fprintf(s.stdout, "  not before %s\n", d.Until.Local().Format(time.DateTime))
	}
	fmt.Fprintf(s.stdout, "  purposes %s: %s\n  %s between requests\n\n", d.Purposes, uses(d.Uses), d.Delay.Round(time.Millisecond))
	s.printOpinions(d)
	s.printConflicts(d.Conflicts)
	s.printNotes(d.Notes)
}

// printNotes lists what is odd in the site's policy documents: it means less, or
// more, than whoever wrote it may think.
func (s *session) printNotes(list []politeness.Note) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(s.stdout, "\nIn the site's policy documents:")
	for i, n := range list {
		if i == 20 {
			fmt.Fprintf(s.stdout, "  and %d more: see --json\n", len(list)-i)
			break
		}
		fmt.Fprintf(s.stdout, "  %s: %s", n.Source, n.Kind)
		if n.Line > 0 {
			fmt.Fprintf(s.stdout, ", line %d", n.Line)
		}
		if n.Text != "" {
			fmt.Fprintf(s.stdout, ": %s", short(n.Text, 100))
		}
		fmt.Fprintln(s.stdout)
	}
}

// opinionsWide is the width from which the table of opinions has room for the
// documents; below it the rule is worth more.
const opinionsWide = 110

// printOpinions shows what each source says.
func (s *session) printOpinions(d politeness.Decision) {
	width := s.outWidth()
	header := []any{"source", "says", "reason", "rule"}
	if width >= opinionsWide {
		header = append(header, "document", "status", "age")
	}
	t := s.newTable(header...)
	for _, o := range d.Opinions {
		row := table.Row{o.Source, d.Vote(&o).String(), o.Reason, ruleText(o.Rule)}
		if o.Doc != nil && width >= opinionsWide {
			age := max(d.DecidedAt.Sub(o.Doc.FetchedAt), 0).Round(time.Second)
			row = append(row, strings.TrimPrefix(documentURL(o.Doc), frontier.Origin(d.URL)), answer(o.Doc), age)
		}
		t.AppendRow(row)
	}
	t.Render()
}

// printConflicts lists where the site's signals contradict each other.
func (s *session) printConflicts(list []politeness.Conflict) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintln(s.stdout, "\nContradictions, which somebody may ask the site about:")
	for _, c := range list {
		fmt.Fprintf(s.stdout, "  %s: %s\n", c.Kind, short(c.Sentence, 200))
	}
}

// explainRefusal says on standard error why nothing was printed.
func (s *session) explainRefusal(d politeness.Decision) {
	fmt.Fprintf(s.stderr, "heed: %s %s: %s (%s)\n", d.Verdict, plain(d.URL), d.Reason.Sentence(), d.Reason)
	if d.Rule.Text != "" {
		fmt.Fprintf(s.stderr, "      %s\n", cited(d))
	}
	if d.Reason == politeness.GuardAddress || d.Reason == politeness.GuardPort {
		fmt.Fprintln(s.stderr, "      if the host is yours, open its range with --allow-address CIDR")
	}
	if d.Verdict == politeness.Wait && d.Doc != nil {
		fmt.Fprintf(s.stderr, "      %s: %s\n", documentURL(d.Doc), answer(d.Doc))
	}
	if !d.Until.IsZero() {
		fmt.Fprintf(s.stderr, "      not before %s\n", d.Until.Local().Format(time.DateTime))
	}
}

// answer is the status of a document, or why it has none.
func answer(d *politeness.DocumentRef) string {
	if d.Failure != "" {
		return d.Failure
	}
	return fmt.Sprint(d.Status)
}

func sentence(r politeness.Reason) string {
	if text := r.Sentence(); text != "" {
		return fmt.Sprintf("%s (%s)", text, r)
	}
	return string(r)
}

func documentURL(d *politeness.DocumentRef) string {
	if d == nil {
		return ""
	}
	return short(d.URL, 60)
}

// cited says which rule decided, and where it stands.
func cited(d politeness.Decision) string {
	where := documentURL(d.Doc)
	switch {
	case where == "":
		return short(d.Rule.Text, 200)
	case d.Rule.Line > 0:
		return fmt.Sprintf("line %d of %s: %s", d.Rule.Line, where, short(d.Rule.Text, 200))
	}
	return fmt.Sprintf("%s says %s", where, short(d.Rule.Text, 200))
}

func ruleText(r politeness.Rule) string {
	switch {
	case r.Text == "":
		return ""
	case r.Line == 0:
		return short(r.Text, 40)
	}
	return fmt.Sprintf("%d: %s", r.Line, short(r.Text, 40))
}

func uses(u politeness.Uses) string {
	parts := make([]string, 0, len(u))
	for p, use := range u {
		parts = append(parts, politeness.Purpose(p).String()+" "+use.String())
	}
	return strings.Join(parts, ", ")
}

// printExplanation shows everything recorded about a URL.
func (s *session) printExplanation(e crawler.Explanation) {
	fmt.Fprintf(s.stdout, "%s\n%s", plain(e.URL), e.State)
	if e.Reason != "" {
		fmt.Fprintf(s.stdout, ": %s", e.Reason)
	}
	if e.Says != "" {
		fmt.Fprintf(s.stdout, " — %s", e.Says)
	}
	fmt.Fprintln(s.stdout)
	switch {
	case e.Host.Name == "": // never queued
	case e.Path == "":
		fmt.Fprintf(s.stdout, "  a seed, score %d\n", e.Score)
	default:
		fmt.Fprintf(s.stdout, "  found on %s (path %s), score %d, depth %d\n", plain(e.Parent), plain(e.Path), e.Score, e.Depth)
	}
	if e.Due != nil {
		fmt.Fprintf(s.stdout, "  due %s, %d failed attempts\n", e.Due.Local().Format(time.DateTime), e.Tries)
	}
	if e.Host.Reason != "" && e.Host.Next != nil {
		fmt.Fprintf(s.stdout, "  %s waits until %s: %s\n", plain(e.Host.Name), e.Host.Next.Local().Format(time.DateTime), sentence(politeness.Reason(e.Host.Reason)))
	}
	if p := e.Stored; p != nil {
		fmt.Fprintf(s.stdout, "  held: status %d, last confirmed %s, sha256 %.16s…, at %s\n", p.Status, p.FetchedAt.Local().Format(time.DateTime), p.SHA256, p.Location)
	}
	if len(e.History) > 0 {
		fmt.Fprintln(s.stdout)
		t := s.newTable("when", "what", "state", "reason", "status", "verdict", "rule", "octets")
		for _, p := range e.History {
			verdict, rule := "", ""
			if p.Decision != nil {
				verdict, rule = p.Decision.Verdict.String(), ruleText(p.Decision.Rule)
			}
			t.AppendRow(table.Row{p.At.Local().Format(time.DateTime), p.Kind, p.State, p.Reason, p.Status, verdict, rule, p.Wire})
		}
		t.Render()
	}
	switch {
	case e.Now == nil:
	case e.Differs:
		fmt.Fprintf(s.stdout, "\nToday's answer differs:\n")
		s.printDecision(*e.Now)
	default:
		fmt.Fprintf(s.stdout, "\nToday's answer: %s (%s).\n", e.Now.Verdict, e.Now.Reason)
	}
	s.printConflicts(e.Conflicts)
	s.printNotes(e.Notes)
}

// printSummary shows the end of a run.
func (s *session) printSummary(sum app.Summary) {
	fmt.Fprintf(s.stdout, "job %s, pass %d: %s in %s\n", sum.Job, sum.Pass, exitWords(sum.Exit), sum.EndedAt.Sub(sum.StartedAt).Round(time.Millisecond))
	t := s.newTable("", "this run", "job")
	row := func(name string, run, total int64) { t.AppendRow(table.Row{name, run, total}) }
	row("pages", sum.Pages, sum.Total.Pages)
	row("not modified", sum.NotModified, sum.Total.NotModified)
	row("refused", sum.Refused, sum.Total.Refused)
	row("failed", sum.Failed, sum.Total.Failed)
	row("gone", sum.Gone, sum.Total.Gone)
	t.AppendRow(table.Row{"on the wire", octets(sum.BytesWire), octets(sum.Total.BytesWire)})
	t.AppendRow(table.Row{"saved", octets(sum.BytesSaved), octets(sum.Total.BytesSaved)})
	row("links out of scope", sum.OutOfScope, sum.Total.OutOfScope)
	t.Render()
	fmt.Fprintf(s.stdout, "%d hosts, %d URLs known, %d queued; context files: %d found, %d none, %d undetermined\n",
		sum.Hosts, sum.URLsKnown, sum.URLsQueued, sum.Context.Index, sum.Context.None, sum.Context.Undetermined)
	if c := sum.Cards; len(sum.Registries) > 0 {
		fmt.Fprintf(s.stdout, "consent cards: %d fresh, %d stale, %d unproven; %d domains without\n", c.Fresh, c.Stale, c.Unproven, c.None)
	}
	s.printRegistries(sum.Registries)
	if len(sum.Decisions) > 0 {
		fmt.Fprintln(s.stdout)
		d := s.newTable("decision", "URLs", "")
		for _, r := range slices.SortedFunc(maps.Keys(sum.Decisions), func(a, b politeness.Reason) int { return int(sum.Decisions[b] - sum.Decisions[a]) }) {
			d.AppendRow(table.Row{r, sum.Decisions[r], r.Sentence()})
		}
		d.Render()
	}
	for _, kind := range slices.Sorted(maps.Keys(sum.Conflicts)) {
		fmt.Fprintf(s.stdout, "signals that contradict each other (%s): %d origins\n", kind, sum.Conflicts[kind])
	}
}

// printRegistries shows the registries, and most of all the ones that do not answer.
func (s *session) printRegistries(list []api.Registry) {
	for _, r := range list {
		fmt.Fprintf(s.stdout, "registry %s: %d domains listed, %d cards held", plain(r.Registry), r.Listed, r.Cards)
		if !r.UnavailableSince.IsZero() {
			fmt.Fprintf(s.stdout, "; no answer since %s (%s)", r.UnavailableSince.Local().Format(time.DateTime), short(r.Problem, 120))
		}
		fmt.Fprintln(s.stdout)
	}
}

func exitWords(code int) string {
	switch code {
	case app.ExitDone:
		return "done"
	case app.ExitFull:
		return "disk full, run again to go on"
	case app.ExitStopped:
		return "stopped, run again to go on"
	case app.ExitForced:
		return "cut off, run again to go on"
	case app.ExitSize:
		return "size limit reached"
	case app.ExitTime:
		return "time limit reached"
	case app.ExitPages:
		return "page limit reached"
	case app.ExitRefused:
		return "every seed was refused"
	case app.ExitUndecided:
		return "some URLs wait longer than the patience, run again later"
	}
	return "failed"
}

// octets writes a size as a person reads it.
func octets(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	v := float64(n)
	for _, u := range units {
		if v < 1024 || u == "TiB" {
			if u == "B" {
				return fmt.Sprintf("%d B", n)
			}
			return fmt.Sprintf("%.1f %s", v, u)
		}
		v /= 1024
	}
	return ""
}

// printStatus shows how a job stands.
func (s *session) printStatus(st api.Status) {
	state := "not running"
	switch {
	case st.Running && st.Stopping:
		state = "stopping"
	case st.Running && st.Paused:
		state = "paused"
	case st.Running:
		state = fmt.Sprintf("running since %s as process %d", st.StartedAt.Local().Format(time.DateTime), st.PID)
	}
	fmt.Fprintf(s.stdout, "job %s, pass %d: %s\n", st.Job, st.Pass, state)
	t := s.newTable()
	t.AppendRow(table.Row{"pages", st.Total.Pages})
	t.AppendRow(table.Row{"not modified", st.Total.NotModified})
	t.AppendRow(table.Row{"refused", st.Total.Refused})
	t.AppendRow(table.Row{"failed", st.Total.Failed})
	t.AppendRow(table.Row{"gone", st.Total.Gone})
	t.AppendRow(table.Row{"URLs known", st.URLsKnown})
	t.AppendRow(table.Row{"URLs queued", st.URLsQueued})
	t.AppendRow(table.Row{"hosts", fmt.Sprintf("%d: %d ready, %d waiting, %d blocked", st.Hosts, st.HostsReady, st.HostsWaiting, st.HostsBlocked)})
	if st.Running && st.Ceiling > 0 {
		t.AppendRow(table.Row{"ceiling", fmt.Sprintf("%.1f pages/s", st.Ceiling)})
	}
	t.Render()
	s.printRegistries(st.Registries)
}
