package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"heed/cmd/heed/api"
	"heed/cmd/heed/app"
	"heed/cmd/terminal"
	"heed/politeness"
)

const (
	liveEvery = 250 * time.Millisecond // redraw on a terminal
	logEvery  = 30 * time.Second       // a line elsewhere
)

// progress shows a run while it lasts, and passes signals on.
type progress struct {
	s      *session
	door   api.Door
	live   bool
	every  time.Duration
	last   time.Time
	pages  int64
	rate   float64
	height int // lines on screen
}

func newProgress(s *session, a *app.App) *progress {
	p := &progress{s: s, door: a, live: terminal.IsTerminal(s.stderr), every: logEvery, last: time.Now()}
	if p.live {
		p.every = liveEvery
	}
	return p
}

// run lasts until done is closed. The first signal calls drain, the second
// force.
func (p *progress) run(done <-chan struct{}, signals <-chan os.Signal, drain, force func()) {
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	defer p.clear()
	asked := false
	for {
		select {
		case <-done:
			return
		case sig := <-signals:
			if asked {
				force()
				continue
			}
			asked = true
			p.clear()
			p.s.log.Warn("stopping: requests under way finish; once more to cut them off", "signal", sig.String())
			drain()
		case <-tick.C:
			p.show()
		}
	}
}

func (p *progress) show() {
	st, err := p.door.Status(context.Background())
	if err != nil || !st.Running {
		return
	}
	now, fetched := time.Now(), st.Run.Pages+st.Run.NotModified
	if span := now.Sub(p.last).Seconds(); span >= 1 {
		p.rate = float64(fetched-p.pages) / span
		p.last, p.pages = now, fetched
	}
	if p.live {
		p.draw(p.lines(st))
		return
	}
	p.s.log.Info("crawling", "pages", st.Run.Pages, "not_modified", st.Run.NotModified, "refused", st.Run.Refused, "failed", st.Run.Failed,
		"rate", fmt.Sprintf("%.1f/s", p.rate), "queued", st.URLsQueued, "hosts_ready", st.HostsReady, "hosts_waiting", st.HostsWaiting,
		"hosts_blocked", st.HostsBlocked, "ceiling", fmt.Sprintf("%.1f/s", st.Ceiling))
}

// lines is the picture on a terminal.
func (p *progress) lines(st api.Status) []string {
	state := "crawling"
	switch {
	case st.Stopping:
		state = "stopping"
	case st.Paused:
		state = "paused (heed resume)"
	}
	ceiling := "no bound"
	if st.Ceiling > 0 {
		ceiling = fmt.Sprintf("ceiling %.1f/s", st.Ceiling)
	}
	width := p.s.width()
	lines := flow(width, " · ",
		st.Job+" · "+state,
		fmt.Sprintf("%d pages, %d unchanged, %d refused, %d failed", st.Run.Pages, st.Run.NotModified, st.Run.Refused, st.Run.Failed),
		fmt.Sprintf("%.1f/s (%s)", p.rate, ceiling))
	lines = append(lines, flow(width, " · ",
		fmt.Sprintf("hosts: %d ready, %d waiting, %d blocked", st.HostsReady, st.HostsWaiting, st.HostsBlocked),
		fmt.Sprintf("%d URLs queued of %d", st.URLsQueued, st.URLsKnown),
		fmt.Sprintf("%d in flight", st.Active),
		fmt.Sprintf("%s on the wire, %s saved", octets(st.Run.BytesWire), octets(st.Run.BytesSaved)))...)
	if d := decisions(st.Decisions); len(d) > 0 {
		d[0] = "decisions: " + d[0]
		lines = append(lines, flow(width, ", ", d...)...)
	}
	return lines
}

// flow joins parts to lines of at most width columns; a part is never divided.
func flow(width int, between string, parts ...string) []string {
	var lines []string
	for i, part := range parts {
		last := len(lines) - 1
		if i > 0 && utf8.RuneCountInString(lines[last]+between+part) <= width {
			lines[last] += between + part
			continue
		}
		if i > 0 {
			part = "  " + part
		}
		lines = append(lines, part)
	}
	return lines
}

// decisions lists the most frequent reasons.
func decisions(counts map[politeness.Reason]int64) []string {
	reasons := slices.SortedFunc(maps.Keys(counts), func(a, b politeness.Reason) int {
		if counts[a] != counts[b] {
			return int(counts[b] - counts[a])
		}
		return strings.Compare(string(a), string(b))
	})
	var parts []string
	for _, r := range reasons[:min(len(reasons), 5)] {
		parts = append(parts, fmt.Sprintf("%s %d", r, counts[r]))
	}
	return parts
}

// draw replaces what was drawn before. Lines are cut at the width of the
// terminal: a wrapped line could not be taken back.
func (p *progress) draw(lines []string) {
	width := p.s.width()
	var b strings.Builder
	if p.height > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", p.height)
	}
	for _, l := range lines {
		fmt.Fprintf(&b, "\r\x1b[K%s\n", short(l, width))
	}
	fmt.Fprint(&b, "\x1b[J")
	fmt.Fprint(p.s.stderr, b.String())
	p.height = len(lines)
}

// clear takes the picture away.
func (p *progress) clear() {
	if p.height > 0 {
		fmt.Fprintf(p.s.stderr, "\x1b[%dA\r\x1b[J", p.height)
		p.height = 0
	}
}
