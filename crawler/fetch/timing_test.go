package fetch

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipeClient is a client whose connections are in-memory pipes served by s, so
// that the default limits can run out on a false clock.
func pipeClient(t *testing.T, s script) *Client {
	var servers sync.WaitGroup
	t.Cleanup(servers.Wait) // after the client's own Close
	c := newClient(t, func(o *Options) { o.Resolve = []ResolveRule{rule(t, "*:80:127.0.0.1")} })
	c.dialer.dial = func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		servers.Go(func() {
			defer theirs.Close()
			if head, err := readHead(bufio.NewReader(theirs)); err == nil {
				s(theirs, head)
			}
		})
		return ours, nil
	}
	return c
}

// drip sends first, then one octet every gap.
func drip(first string, gap time.Duration) script {
	return func(c net.Conn, _ string) {
		_, err := io.WriteString(c, first)
		for err == nil {
			<-time.After(gap)
			_, err = io.WriteString(c, "x")
		}
	}
}

func TestDefaultDeadlines(t *testing.T) {
	for _, tt := range []struct {
		name  string
		serve script
		want  Kind
		after time.Duration
	}{
		{"a head that never comes ends after 20 s", hold(""), KindTimeout, 20 * time.Second},
		{"a head octet by octet ends after 20 s", drip("HTTP/1.1 200 OK\r\nA: ", time.Second), KindTimeout, 20 * time.Second},
		{"a body that stops ends after 15 s", hold(ok + "Content-Length: 9\r\n\r\nx"), KindSlow, 15 * time.Second},
		{"a body below 1 KiB/s ends after 15 s", drip(ok+"\r\n", time.Millisecond), KindSlow, 15 * time.Second},
		{"a body just below 1 KiB/s after a good start ends when the mean is too low", drip(ok+"\r\n"+strings.Repeat("x", 20<<10), 2*time.Millisecond), KindSlow, 39063 * time.Millisecond},
		{"a steady body ends after 60 s in all", drip(ok+"\r\n", 500*time.Microsecond), KindTimeout, 60 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := pipeClient(t, tt.serve)
				start := time.Now()
				_, err := c.Do(t.Context(), Request{URL: "http://shop.test/"})
				wantKind(t, err, tt.want)
				if took := time.Since(start); took < tt.after-time.Second || took > tt.after+time.Second {
					t.Errorf("took %v, want %v", took, tt.after)
				}
			})
		})
	}
}

func TestConnectingEndsAfterTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, func(o *Options) { o.Resolver = &answers{lists: [][]string{{"127.0.0.1", "127.0.0.2", "127.0.0.3"}}} })
		var tried []time.Duration
		start := time.Now()
		c.dialer.dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			tried = append(tried, time.Since(start))
			<-ctx.Done()
			return nil, ctx.Err()
		}
		_, err := c.Do(t.Context(), Request{URL: "http://shop.test/"})
		wantKind(t, err, KindTimeout)
		if took := time.Since(start); took != 10*time.Second || len(tried) != 3 {
			t.Errorf("took %v, attempts at %v", took, tried)
		}
	})
}

func TestALookupThatHangsEndsAfterTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, func(o *Options) { o.Resolver = hanging{} })
		start := time.Now()
		_, err := c.Do(t.Context(), Request{URL: "http://shop.test/"})
		if e := wantKind(t, err, KindDNS); e.ReasonCode() != "guard.dns" || time.Since(start) != 10*time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		synctest.Wait()
	})
}

type hanging struct{}

func (hanging) LookupNetIP(ctx context.Context, _, _ string) ([]netip.Addr, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestDoWaitsForBudgetUnderItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := pipeClient(t, say(ok+"Content-Length: 2\r\n\r\nhi"))
		c.budget = newBudget(mib)
		held, err := c.budget.reserve(t.Context(), mib)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		_, err = c.Do(ctx, Request{URL: "http://shop.test/"})
		wantKind(t, err, KindTimeout)
		if time.Since(start) != 5*time.Second {
			t.Errorf("waited %v", time.Since(start))
		}
		// The wait does not count against the fetch's own deadline.
		time.AfterFunc(2*time.Minute, func() { held.keep(0) })
		x, err := c.Do(t.Context(), Request{URL: "http://shop.test/"})
		if err != nil || x.RequestedAt.Sub(start) < 2*time.Minute {
			t.Errorf("%v, requested after %v", err, x.RequestedAt.Sub(start))
		}
		x.Close()
	})
}
