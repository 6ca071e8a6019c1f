package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"heed/cmd/heed/app"
	"heed/cmd/heed/demo"
	"heed/cmd/terminal"
	"heed/config"
	"heed/crawler"
	"heed/politeness"
)

type demoVerb struct {
	jobFlags
	Keep bool `help:"Leave the world running at the end, to try commands on it." group:"Job"`
}

// run crawls the embedded world twice: as it is, and after it has changed.
func (v *demoVerb) run(ctx context.Context, s *session) (err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	world, err := demo.Start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, world.Close()) }()
	folder, temporary, err := s.demoFolder()
	if err != nil {
		return err
	}
	if temporary {
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	s.config = demoConfig(s.config, world, folder)
	if !temporary {
		if s.config.CAFile, err = keepAuthority(folder, world.CAFile()); err != nil {
			return err
		}
	}
	s.say("A world of %d small sites runs on this machine. heed crawls it, twice;\nbetween the two it changes.\n", len(demo.Sites()))
	seeds, err := s.seeds(world.Seeds())
	if err != nil {
		return err
	}
	first, err := s.demoHalf(ctx, "first", seeds)
	if err != nil {
		return err
	}
	world.Advance()
	second, err := s.demoHalf(ctx, "second", nil)
	if err != nil {
		return err
	}
	t, err := s.demoTable(ctx, world)
	if err != nil {
		return err
	}
	s.printDemo(t, first, second)
	if !temporary {
		s.demoHints(t)
	}
	if s.config.Keep && ctx.Err() == nil {
		s.say("The world stays. End it with Ctrl-C.\n")
		<-ctx.Done()
	}
	if !t.OK() {
		return &exitError{app.ExitFailure, errors.New("some sites were not treated as they asked, see the table")}
	}
	return nil
}

// say talks to the person, unless a program listens.
func (s *session) say(format string, args ...any) {
	if !s.config.JSON {
		fmt.Fprintf(s.stdout, format, args...)
	}
}

// demoFolder is a folder of its own, so that every demo is the same; with --data
// it is kept.
func (s *session) demoFolder() (folder string, temporary bool, err error) {
	if s.config.Data != config.Default().Data {
		folder := filepath.Join(s.config.Data, "demo")
		return folder, false, os.RemoveAll(folder)
	}
	folder, err = os.MkdirTemp("", "heed-demo-")
	return folder, true, err
}

// keepAuthority copies the world's authority beside the job that is kept: what looks
// back at the job opens it by its configuration, when the world is long gone.
func keepAuthority(folder, file string) ([]string, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("demo: read the authority: %w", err)
	}
	kept, err := filepath.Abs(filepath.Join(folder, "ca.pem"))
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("demo: keep the authority: %w; choose another --data", err)
	}
	if err := os.WriteFile(kept, pem, 0o644); err != nil {
		return nil, fmt.Errorf("demo: keep the authority: %w; choose another --data", err)
	}
	return []string{kept}, nil
}

// demoConfig is the configuration of a job in the world: ordinary, but for the
// addresses, and with waits short enough for a demonstration.
func demoConfig(given config.Config, w *demo.World, folder string) config.Config {
	c := config.Default()
	c.JSON, c.LogLevel, c.LogFormat, c.Keep = given.JSON, given.LogLevel, given.LogFormat, given.Keep
	c.Data, c.Job = folder, "demo"
	c.Contact = "https://contact.demo.test/heed"
	c.Resolve, c.AllowAddress, c.CAFile = w.Resolve(), w.AllowAddress(), []string{w.CAFile()}
	c.Registry, c.Purpose = []string{w.Registry()}, []string{"index", "answer", "train"}
	c.Delay = config.Duration(100 * time.Millisecond)
	patience := config.Duration(4 * time.Second)
	c.Patience, c.Retries, c.BackOff = &patience, 1, config.Duration(time.Second)
	c.Limits.MinRateAfter = config.Duration(2 * time.Second)
	return c
}

// demoHalf is one crawl of the world.
func (s *session) demoHalf(ctx context.Context, name string, seeds []crawler.Seed) (app.Summary, error) {
	a, err := s.open(ctx)
	if err != nil {
		return app.Summary{}, err
	}
	s.say("%s crawl …\n", name)
	sum, err := s.crawl(ctx, a, seeds, true)
	err = errors.Join(err, a.Close())
	if err == nil && ctx.Err() != nil {
		err = &exitError{app.ExitStopped, errors.New("demo stopped")}
	}
	s.say("%s crawl: %d pages, %d unchanged, %d refused, %d failed, %s on the wire, %s saved, in %s\n\n", name, sum.Pages, sum.NotModified,
		sum.Refused, sum.Failed, octets(sum.BytesWire), octets(sum.BytesSaved), sum.EndedAt.Sub(sum.StartedAt).Round(100*time.Millisecond))
	return sum, err
}

// demoTable asks the job what it did and compares it with what the servers saw.
func (s *session) demoTable(ctx context.Context, w *demo.World) (demo.Table, error) {
	a, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	reports, err := a.Report(ctx)
	err = errors.Join(err, a.Close())
	if err != nil {
		return nil, err
	}
	seen := map[string]demo.Observation{}
	for host, r := range reports {
		seen[host] = observation(r)
	}
	return demo.Tabulate(demo.Sites(), seen, w.Log()), nil
}

func observation(r *app.HostReport) demo.Observation {
	o := demo.Observation{Pages: r.Pages, NotModified: r.NotModified, Gone: r.Gone, Refused: r.Refused, Failed: r.Failed, Waiting: r.Waiting,
		Delay: r.Delay, Statuses: r.Statuses, SavedBytes: r.SavedBytes, Uses: map[string]string{}, Withheld: map[string]string{}}
	for p, use := range r.Uses {
		o.Uses[politeness.Purpose(p).String()] = use.String()
	}
	for p, reason := range r.Withheld {
		o.Withheld[p.String()] = string(reason)
	}
	if m := r.Context; m != nil {
		o.ContextState, o.ContextReason, o.ContextMechanism = string(m.State), string(m.Reason), string(m.Mechanism)
	}
	return o
}

// printDemo closes the demonstration.
func (s *session) printDemo(t demo.Table, first, second app.Summary) {
	if s.config.JSON {
		_ = s.printJSON(map[string]any{"ok": t.OK(), "sites": t, "first": first, "second": second})
		return
	}
	if width := s.outWidth(); width < narrowDemo {
		s.listDemo(t, width)
	} else {
		w := terminal.TableWithin(s.stdout, width, "", "site", "asked", "heed did", "why")
		for _, r := range t {
			w.AppendRow(table.Row{demoMark(r), demoSite(r), plain(r.Asked), plain(r.Did), plain(r.Why)})
		}
		w.Render()
	}
	fmt.Fprintf(s.stdout, "\nThe second crawl asked for %d pages again and got %d times 304:\n%s on the wire instead of %s.\n",
		second.Pages+second.NotModified, second.NotModified, octets(second.BytesWire), octets(first.BytesWire))
}

// narrowDemo is the width below which five columns are too narrow to be read.
const narrowDemo = 100

// listDemo is the table for a narrow terminal: one site below the other.
func (s *session) listDemo(t demo.Table, width int) {
	const indent = "           "
	for _, r := range t {
		fmt.Fprintf(s.stdout, "%s %s\n", demoMark(r), demoSite(r))
		for _, part := range []struct{ name, text string }{{"asked", r.Asked}, {"heed did", r.Did}, {"why", r.Why}} {
			wrapped := strings.TrimRight(text.WrapSoft(plain(part.text), width-len(indent)-1), " \n")
			fmt.Fprintf(s.stdout, "  %-8s %s\n", part.name, strings.ReplaceAll(wrapped, "\n", "\n"+indent))
		}
	}
}

func demoMark(r demo.Row) string {
	if r.OK {
		return "ok"
	}
	return "NO"
}

func demoSite(r demo.Row) string { return strings.TrimSuffix(plain(r.Site), "."+demo.Domain) }

// demoHints says what to look at next, of the first site that was refused something.
func (s *session) demoHints(t demo.Table) {
	site := t[0].Site
	if i := slices.IndexFunc(t, func(r demo.Row) bool { return strings.HasPrefix(r.Why, "robots.") }); i >= 0 {
		site = t[i].Site
	}
	folder := fmt.Sprintf("--data %s --job demo", s.config.Data)
	fmt.Fprintf(s.stdout, "\nThe job is kept. Look at it:\n  heed status  %[1]s\n  heed verify  %[1]s\n  heed explain %[1]s https://%[2]s/\n", folder, plain(site))
}
