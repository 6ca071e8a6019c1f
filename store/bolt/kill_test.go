package bolt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heed/frontier"
)

const (
	childVariable = "HEED_BOLT_CHILD" // folder of the state; makes the test binary a crawler
	killHosts     = 40
	killDelay     = 30 * time.Millisecond
)

func TestMain(m *testing.M) {
	for variable, run := range map[string]func(string) error{
		childVariable: crawlUntilKilled, compactChild: compactUntilKilled, scaleChild: scaleMain,
	} {
		if order := os.Getenv(variable); order != "" {
			if err := run(order); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	goleak.VerifyTestMain(m)
}

// side is an append-only file beside the state, cut to its mark on opening.
type side struct {
	f   *os.File
	end int64
}

func openSide(dir string, marks frontier.Marks) (*side, error) {
	f, err := os.OpenFile(filepath.Join(dir, "side"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	s := &side{f: f, end: marks["side"]}
	info, err := f.Stat()
	if err == nil && info.Size() < s.end {
		err = fmt.Errorf("side file has %d octets, its mark is at %d", info.Size(), s.end)
	}
	return s, errors.Join(err, f.Truncate(s.end))
}

// line is an attachment: the URL of the page that was settled.
type line struct {
	url string
	at  int64
}

func (l *line) Location() string { return fmt.Sprintf("side:%d:%d", l.at, len(l.url)) }

func (s *side) before(all []frontier.Attachment) (frontier.Marks, error) {
	var b bytes.Buffer
	for _, a := range all {
		l := a.(*line)
		l.at = s.end + int64(b.Len())
		b.WriteString(l.url + "\n")
	}
	n, err := s.f.WriteAt(b.Bytes(), s.end)
	s.end += int64(n)
	return frontier.Marks{"side": s.end}, errors.Join(err, s.f.Sync())
}

func killHost(i int) string { return fmt.Sprintf("h%d.test", i%killHosts) }

// killPage is page i of the world that the child crawls; page i links to five
// others.
func killPage(i int) frontier.Candidate { return candidate(killHost(i), fmt.Sprintf("/%d", i)) }

func killLinks(url string) (links []frontier.Candidate) {
	i, _ := strconv.Atoi(url[strings.LastIndexByte(url, '/')+1:])
	for j := range 5 {
		c := killPage(3*i + j*j + 1)
		c.Parent = url
		links = append(links, c)
	}
	return links
}

// crawlUntilKilled crawls and reports on standard output: S and a URL for each
// settlement that is acknowledged, G, a host and a time for each grant.
func crawlUntilKilled(dir string) error {
	var files *side
	e, err := Open(filepath.Join(dir, "state.db"), Options{
		Delay:        func(string, []byte) time.Duration { return killDelay },
		CommitWindow: 5 * time.Millisecond, GroupSettlements: 20, Seen: 1,
		Before: func(a []frontier.Attachment) (frontier.Marks, error) { return files.before(a) },
	})
	if err != nil {
		return err
	}
	if files, err = openSide(dir, e.Marks()); err != nil {
		return err
	}
	ctx := context.Background()
	for i := range killHosts {
		if _, err := e.Discover(ctx, []frontier.Candidate{killPage(i)}); err != nil {
			return err
		}
	}
	fmt.Println("R")
	var wg sync.WaitGroup
	failed := make(chan error, 8)
	for range cap(failed) {
		wg.Go(func() { failed <- crawlWorker(ctx, e) })
	}
	wg.Wait()
	return <-failed
}

func crawlWorker(ctx context.Context, e *Engine) error {
	for {
		grants, _, err := e.Claim(ctx, frontier.ClaimRequest{MaxHosts: 2, PerGrant: 2, TTL: time.Minute, MaxWait: time.Second})
		if err != nil {
			return err
		}
		for _, g := range grants {
			fmt.Printf("G %s %d\n", g.Host, time.Now().UnixMilli())
			if rand.IntN(10) == 0 {
				// A worker that dies: the grant is left alone until it lapses.
				continue
			}
			url := g.URLs[0].URL
			s := frontier.Settlement{Grant: g.GrantRef, HostNext: time.Now().Add(killDelay), Links: killLinks(url),
				Outcomes: []frontier.Outcome{{URL: url, State: frontier.Fetched, Page: &frontier.Page{Status: 200}}},
				Attach:   []frontier.Attachment{&line{url: url}}}
			if len(g.URLs) > 1 && rand.IntN(3) == 0 {
				s.Outcomes = append(s.Outcomes, frontier.Outcome{URL: g.URLs[1].URL, State: frontier.Future, Due: time.Now().Add(50 * time.Millisecond)})
			}
			err := e.SettleAsync(ctx, s, func(v frontier.Verdict, err error) {
				if err == nil && !v.Stale {
					fmt.Println("S " + url)
				}
			})
			if err != nil {
				return err
			}
		}
	}
}

func TestKillLosesNothingThatWasAcknowledged(t *testing.T) {
	kills := 10
	if os.Getenv("HEED_SLOW") != "" {
		kills = 100
	}
	if testing.Short() {
		kills = 2
	}
	dir := t.TempDir()
	acked := map[string]bool{}
	granted := map[string]int64{} // host to the time of its last grant
	for range kills {
		killOnce(t, dir, acked, granted)
		checkAfterKill(t, dir, acked)
		if t.Failed() {
			return
		}
	}
	if len(acked) < kills {
		t.Fatalf("only %d settlements were acknowledged in %d runs", len(acked), kills)
	}
	t.Logf("%d kills, %d acknowledged settlements", kills, len(acked))
}

// killOnce runs the crawler and kills it at a random moment.
func killOnce(t *testing.T, dir string, acked map[string]bool, granted map[string]int64) {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^$")
	child.Env = append(os.Environ(), childVariable+"="+dir)
	var complaint bytes.Buffer
	child.Stderr = &complaint
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var kill *time.Timer
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break // what stands before it is half a line
		}
		f := strings.Fields(line)
		switch {
		case err != nil:
			t.Fatal(err)
		case f[0] == "R":
			kill = time.AfterFunc(time.Duration(rand.IntN(250))*time.Millisecond, func() { child.Process.Kill() })
			defer kill.Stop()
		case f[0] == "S":
			acked[f[1]] = true
		case f[0] == "G":
			at, _ := strconv.ParseInt(f[2], 10, 64)
			if early := granted[f[1]] + killDelay.Milliseconds() - at; early > 0 {
				t.Errorf("%s was granted %d ms too early", f[1], early)
			}
			granted[f[1]] = at
		}
	}
	child.Wait()
	if complaint.Len() > 0 {
		t.Fatalf("the crawler ended by itself: %s", &complaint)
	}
}

// checkAfterKill compares the state with what was acknowledged and with the
// side file.
func checkAfterKill(t *testing.T, dir string, acked map[string]bool) {
	t.Helper()
	path := filepath.Join(dir, "state.db")
	verify(t, path)
	e, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if e.Clean() {
		t.Error("a kill passes for a clean stop")
	}
	for url := range acked {
		if r := why(t, e, url); r.State != frontier.Fetched {
			t.Errorf("%s was acknowledged and is %s", url, r.State)
		}
		for _, l := range killLinks(url) {
			why(t, e, l.URL)
		}
	}
	files, err := openSide(dir, e.Marks())
	if err != nil {
		t.Fatal(err)
	}
	defer files.f.Close()
	written, err := os.ReadFile(files.f.Name())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Count(string(written), "\n")
	stats, err := e.Stats(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if int64(lines) != stats.States[frontier.Fetched] {
		t.Errorf("%d pages are settled, the side file has %d", stats.States[frontier.Fetched], lines)
	}
	at := 0
	for url := range strings.Lines(string(written)) {
		n := len(url)
		url = strings.TrimSpace(url)
		r := why(t, e, url)
		if want := fmt.Sprintf("side:%d:%d", at, len(url)); r.State != frontier.Fetched || r.Page.Location != want {
			t.Errorf("%s is %s at %q, want fetched at %q", url, r.State, r.Page.Location, want)
		}
		at += n
	}
}
