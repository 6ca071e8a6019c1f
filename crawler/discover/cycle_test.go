package discover_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/crawler/discover"
)

// seen returns a fresh memory of an origin whose home page showed the links.
func seen(origin string, links ...string) discover.Memory {
	m := discover.NewMemory(origin)
	if len(links) > 0 {
		m.ObservePage(origin+"/", 200, links, noon)
	}
	return m
}

func TestOneCycle(t *testing.T) {
	index := markdown("# Shop\n")
	huge := reply(200, strings.Repeat("a", 524_289), "Content-Type: text/markdown")
	chain := func(n int) map[string]discover.Response {
		answers := map[string]discover.Response{wellKnown: redirect(302, "/r1")}
		for i := 1; i < n; i++ {
			answers[fmt.Sprintf("%s/r%d", shop, i)] = redirect(307, fmt.Sprintf("/r%d", i+1))
		}
		answers[fmt.Sprintf("%s/r%d", shop, n)] = index
		return answers
	}
	hops := func(n int) []string {
		list := []string{wellKnown}
		for i := 1; i <= n; i++ {
			list = append(list, fmt.Sprintf("%s/r%d", shop, i))
		}
		return list
	}
	tests := []struct {
		name      string
		memory    discover.Memory
		in        discover.Inputs
		answers   map[string]discover.Response
		denied    map[string]discover.Denial
		state     discover.State
		reason    discover.Reason
		mechanism discover.Mechanism
		final     string
		asked     []string
	}{
		{name: "LC-018 Link only", memory: seen(shop, shop+"/l.md"), answers: map[string]discover.Response{shop + "/l.md": index},
			state: "index", reason: "found", mechanism: "link", final: shop + "/l.md", asked: []string{shop + "/l.md"}},
		{name: "LC-018 well-known only", answers: map[string]discover.Response{wellKnown: index},
			state: "index", reason: "found", mechanism: "well-known", final: wellKnown, asked: []string{wellKnown}},
		{name: "LC-018 LC-025 robots record only, after a 404", in: inputs(shop + "/l.md"), answers: map[string]discover.Response{shop + "/l.md": index},
			state: "index", reason: "found", mechanism: "robots", final: shop + "/l.md", asked: []string{wellKnown, shop + "/l.md"}},
		{name: "LC-021 LC-044 LC-045 LC-104 Link before all others, which are not asked", memory: seen(shop, shop+"/a.md"), in: inputs(shop + "/c.md"),
			answers: map[string]discover.Response{shop + "/a.md": index, wellKnown: redirect(307, "/b.md"), shop + "/b.md": index, shop + "/c.md": index},
			state:   "index", reason: "found", mechanism: "link", final: shop + "/a.md", asked: []string{shop + "/a.md"}},
		{name: "LC-044 well-known before the record", in: inputs(shop + "/c.md"),
			answers: map[string]discover.Response{wellKnown: redirect(307, "/b.md"), shop + "/b.md": index, shop + "/c.md": index},
			state:   "index", reason: "found", mechanism: "well-known", final: shop + "/b.md", asked: []string{wellKnown, shop + "/b.md"}},
		{name: "LC-023 five redirects are followed", answers: chain(5), state: "index", reason: "found", mechanism: "well-known", final: shop + "/r5", asked: hops(5)},
		{name: "LC-023 six are not, after six requests", answers: chain(6), state: "none", reason: "redirects", asked: hops(5)},
		{name: "LC-113 a loop ends", answers: map[string]discover.Response{wellKnown: redirect(302, "/l"), shop + "/l": redirect(302, discover.WellKnownPath)},
			state: "none", reason: "redirects", asked: []string{wellKnown, shop + "/l"}},
		{name: "LC-114 303 is not followed", answers: map[string]discover.Response{wellKnown: redirect(303, "/l")}, state: "none", reason: "redirect-status", asked: []string{wellKnown}},
		{name: "a redirect without Location is not followed", answers: map[string]discover.Response{wellKnown: reply(302, "")}, state: "none", reason: "redirect-status", asked: []string{wellKnown}},
		{name: "LC-024 LC-071 a redirect off the origin is declined unasked", answers: map[string]discover.Response{wellKnown: redirect(302, "https://cdn.test/ctx.md")},
			state: "none", reason: "cross-origin", asked: []string{wellKnown}},
		{name: "LC-071 a foreign Link is declined unasked", memory: seen(shop, "https://ctx.test/a.md"), state: "none", reason: "cross-origin", asked: []string{wellKnown}},
		{name: "LC-071 LC-133 a foreign record is declined unasked", in: inputs("https://ctx.test/a.md"), state: "none", reason: "cross-origin", asked: []string{wellKnown}},
		{name: "LC-107 an allowed pair is asked and attributed to its own origin", memory: seen(shop, "https://docs.shop.example/l.md"), in: discover.Inputs{Resolve: resolve, Policy: discover.Policy{
			Mechanisms: []discover.Mechanism{discover.Link}, IndexBytes: 1000, DetailBytes: 1000, Allow: []discover.Pair{{Advertising: shop, Target: "https://docs.shop.example"}}}},
			answers: map[string]discover.Response{"https://docs.shop.example/l.md": index}, state: "index", reason: "found", mechanism: "link",
			final: "https://docs.shop.example/l.md", asked: []string{"https://docs.shop.example/l.md"}},
		{name: "LC-108 a foreign hop is not asked even if it would lead back", answers: map[string]discover.Response{wellKnown: redirect(302, "https://t.test/r"), "https://t.test/r": redirect(302, shop+"/l"), shop + "/l": index},
			state: "none", reason: "cross-origin", asked: []string{wellKnown}},
		{name: "LC-109 http to https on one host", memory: seen("http://shop.example"), answers: map[string]discover.Response{"http://shop.example" + discover.WellKnownPath: redirect(301, wellKnown), wellKnown: index},
			state: "index", reason: "found", mechanism: "well-known", final: wellKnown, asked: []string{"http://shop.example" + discover.WellKnownPath, wellKnown}},
		{name: "LC-109 https to http is declined", answers: map[string]discover.Response{wellKnown: redirect(301, "http://shop.example/l")}, state: "none", reason: "cross-origin", asked: []string{wellKnown}},
		{name: "LC-109 not to another port", memory: seen("http://shop.example:8080"), answers: map[string]discover.Response{"http://shop.example:8080" + discover.WellKnownPath: redirect(301, "https://shop.example:8080/l")},
			state: "none", reason: "cross-origin", asked: []string{"http://shop.example:8080" + discover.WellKnownPath}},
		{name: "LC-109 and no way back down", memory: seen("http://shop.example"), answers: map[string]discover.Response{"http://shop.example" + discover.WellKnownPath: redirect(301, wellKnown), wellKnown: redirect(301, "http://shop.example/l")},
			state: "none", reason: "cross-origin", asked: []string{"http://shop.example" + discover.WellKnownPath, wellKnown}},
		{name: "LC-106 a failed Link falls through", memory: seen(shop, shop+"/gone.md"), answers: map[string]discover.Response{wellKnown: index},
			state: "index", reason: "found", mechanism: "well-known", final: wellKnown, asked: []string{shop + "/gone.md", wellKnown}},
		{name: "LC-106 one chain a mechanism", memory: seen(shop, shop+"/a.md", shop+"/b.md"), in: inputs(shop+"/c.md", shop+"/d.md"), answers: map[string]discover.Response{shop + "/b.md": index, shop + "/d.md": index},
			state: "none", reason: "not-found", asked: []string{shop + "/a.md", wellKnown, shop + "/c.md"}},
		{name: "LC-106 LC-013 the ceiling ends the cycle", memory: seen(shop, shop+"/a.md"), answers: map[string]discover.Response{shop + "/a.md": huge, wellKnown: index},
			state: "none", reason: "ceiling", asked: []string{shop + "/a.md"}},
		{name: "LC-006 LC-112 a detail under the ceiling is an index", answers: map[string]discover.Response{wellKnown: redirect(307, "/llms-full.txt"), shop + "/llms-full.txt": markdown(strings.Repeat("# a\n", 22_500))},
			state: "index", reason: "found", mechanism: "well-known", final: shop + "/llms-full.txt", asked: []string{wellKnown, shop + "/llms-full.txt"}},
		{name: "LC-006 LC-112 and over it nothing", answers: map[string]discover.Response{wellKnown: redirect(307, "/llms-full.txt"), shop + "/llms-full.txt": markdown(strings.Repeat("# a\n", 150_000))},
			state: "none", reason: "ceiling", asked: []string{wellKnown, shop + "/llms-full.txt"}},
		{name: "LC-043 a forbidden Link is not asked", memory: seen(shop, shop+"/private/l.txt"), denied: map[string]discover.Denial{shop + "/private/l.txt": discover.DeniedBySignal},
			state: "none", reason: "disallowed", asked: []string{wellKnown}},
		{name: "LC-042 LC-046 a forbidden record is not asked", in: inputs(shop + "/private/l.txt"), denied: map[string]discover.Denial{shop + "/private/l.txt": discover.DeniedBySignal},
			state: "none", reason: "disallowed", asked: []string{wellKnown}},
		{name: "LC-058 a forbidden well-known does not stop the others", in: inputs(shop + "/l.md"), denied: map[string]discover.Denial{wellKnown: discover.DeniedBySignal}, answers: map[string]discover.Response{shop + "/l.md": index},
			state: "index", reason: "found", mechanism: "robots", final: shop + "/l.md", asked: []string{shop + "/l.md"}},
		{name: "LC-110 a forbidden hop is not asked", answers: map[string]discover.Response{wellKnown: redirect(302, "/private/l.md")}, denied: map[string]discover.Denial{shop + "/private/l.md": discover.DeniedBySignal},
			state: "none", reason: "disallowed", asked: []string{wellKnown}},
		{name: "LC-136 a forbidden first candidate does not end the cycle", memory: seen(shop, shop+"/private/a"), denied: map[string]discover.Denial{shop + "/private/a": discover.DeniedBySignal}, answers: map[string]discover.Response{wellKnown: index},
			state: "index", reason: "found", mechanism: "well-known", final: wellKnown, asked: []string{wellKnown}},
		{name: "LC-130 the first record that is absolute, in-origin and permitted", in: inputs("/rel", "https://other.test/a", shop+"/b", shop+"/c", shop+"/d"), denied: map[string]discover.Denial{shop + "/b": discover.DeniedBySignal},
			answers: map[string]discover.Response{shop + "/c": index}, state: "index", reason: "found", mechanism: "robots", final: shop + "/c", asked: []string{wellKnown, shop + "/c"}},
		{name: "LC-134 robots.txt unreachable", in: discover.Inputs{Resolve: resolve, Policy: discover.DefaultPolicy(), RobotsUnreachable: true}, answers: map[string]discover.Response{wellKnown: index},
			state: "undetermined", reason: "unreachable"},
		{name: "LC-046 permission of the candidate unknown", denied: map[string]discover.Denial{wellKnown: discover.DeniedForNow}, in: inputs(shop + "/l"), state: "undetermined", reason: "unreachable"},
		{name: "an address that is closed to us", denied: map[string]discover.Denial{wellKnown: discover.DeniedByGuard}, state: "none", reason: "refused"},
		{name: "LC-019 only the mechanisms in use", memory: seen(shop, shop+"/a.md"), in: discover.Inputs{Resolve: resolve, Policy: discover.Policy{Mechanisms: []discover.Mechanism{discover.Robots}}, Records: []string{shop + "/c.md"}},
			answers: map[string]discover.Response{shop + "/c.md": index}, state: "index", reason: "found", mechanism: "robots", final: shop + "/c.md", asked: []string{shop + "/c.md"}},
		{name: "no mechanism names anything", in: discover.Inputs{Resolve: resolve, Policy: discover.Policy{Mechanisms: []discover.Mechanism{discover.Robots}}}, state: "none", reason: "not-advertised"},
		{name: "LC-142 no guess by default", answers: map[string]discover.Response{shop + "/llms.txt": index}, state: "none", reason: "not-found", asked: []string{wellKnown}},
		{name: "LC-142 the guess comes last", in: discover.Inputs{Resolve: resolve, Policy: discover.Policy{Mechanisms: []discover.Mechanism{discover.Guess, discover.DescribedBy, discover.WellKnown}}, DescribedBy: []string{shop + "/d.txt"}},
			answers: map[string]discover.Response{shop + "/llms.txt": index}, state: "index", reason: "found", mechanism: "guess", final: shop + "/llms.txt", asked: []string{wellKnown, shop + "/d.txt", shop + "/llms.txt"}},
		{name: "LC-118 429 ends the cycle", in: inputs(shop + "/l"), answers: map[string]discover.Response{wellKnown: reply(429, ""), shop + "/l": index}, state: "undetermined", reason: "rate-limited", asked: []string{wellKnown}},
		{name: "LC-022 500 is no advertisement, others are tried", in: inputs(shop + "/l"), answers: map[string]discover.Response{wellKnown: reply(500, ""), shop + "/l": index},
			state: "index", reason: "found", mechanism: "robots", final: shop + "/l", asked: []string{wellKnown, shop + "/l"}},
		{name: "LC-119 a 500 among failures leaves the question open", in: inputs(shop + "/l"), answers: map[string]discover.Response{wellKnown: reply(500, "")},
			state: "undetermined", reason: "server-error", asked: []string{wellKnown, shop + "/l"}},
		{name: "LC-119 503 with Retry-After ends the cycle", in: inputs(shop + "/l"), answers: map[string]discover.Response{wellKnown: reply(503, "", "Retry-After: 60")}, state: "undetermined", reason: "server-error", asked: []string{wellKnown}},
		{name: "a 304 nobody asked for is an error of the server", answers: map[string]discover.Response{wellKnown: reply(304, "")}, state: "undetermined", reason: "server-error", asked: []string{wellKnown}},
		{name: "LC-153 the well-known URI is built for the origin as it is", memory: seen("https://shop.example:8443"), state: "none", reason: "not-found", asked: []string{"https://shop.example:8443" + discover.WellKnownPath}},
		{name: "LC-141 a Link of www speaks for www only", memory: func() discover.Memory {
			m := discover.NewMemory(shop)
			m.ObservePage("https://www.shop.example/", 200, []string{shop + "/l"}, noon)
			return m
		}(), state: "none", reason: "not-found", asked: []string{wellKnown}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.memory.Origin == "" {
				test.memory = discover.NewMemory(shop)
			}
			if test.in.Resolve == nil {
				test.in = inputs()
			}
			w := world{answers: test.answers, denied: test.denied}
			result := w.run(&test.memory, test.in, noon)
			expect(t, result, test.state, test.reason)
			if result.Mechanism != test.mechanism || result.FinalURI != test.final {
				t.Errorf("mechanism %q, final URI %q; want %q, %q", result.Mechanism, result.FinalURI, test.mechanism, test.final)
			}
			if result.ContentOrigin != discover.OriginOf(test.final) || result.AdvertisedBy != test.memory.Origin {
				t.Errorf("LC-070 content of %q, advertised by %q", result.ContentOrigin, result.AdvertisedBy)
			}
			if result.State == discover.StateIndex && result.Text == nil || result.State != discover.StateIndex && (result.Text != nil || result.Copy != nil || result.SHA256 != "") {
				t.Errorf("LC-013 text %d octets, copy %v in state %s", len(result.Text), result.Copy, result.State)
			}
			w.expectAsked(t, test.asked...)
		})
	}
}

func TestCyclesOverTime(t *testing.T) {
	t.Run("LC-026 LC-027 a 404 is not probed again within 24 hours, not even after a restart", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{}
		expect(t, w.run(&m, inputs(), noon), "none", "not-found")
		w.expectAsked(t, wellKnown)
		data, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if m, err = discover.DecodeMemory(data); err != nil {
			t.Fatal(err)
		}
		expect(t, w.run(&m, inputs(), noon.Add(24*time.Hour-time.Second)), "none", "not-found")
		w.expectAsked(t)
		w.run(&m, inputs(), noon.Add(24*time.Hour+time.Second))
		w.expectAsked(t, wellKnown)
	})
	t.Run("LC-115 a new advertisement is used at once without a new probe", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{shop + "/l": markdown("# x")}}
		w.run(&m, inputs(), noon)
		w.expectAsked(t, wellKnown)
		expect(t, w.run(&m, inputs(shop+"/l"), noon.Add(2*time.Hour)), "index", "found")
		w.expectAsked(t, shop+"/l")
	})
	t.Run("LC-115 what was tried by Link is not tried again either", func(t *testing.T) {
		m, w := seen(shop, shop+"/l"), world{}
		w.run(&m, inputs(), noon)
		w.expectAsked(t, shop+"/l", wellKnown)
		w.run(&m, inputs(), noon.Add(2*time.Hour))
		w.expectAsked(t)
	})
	t.Run("LC-116 410 counts for seven days and drops the copy", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# x")}}
		w.run(&m, inputs(), noon)
		w.answers[wellKnown] = reply(410, "")
		at := noon.Add(2 * time.Hour)
		expect(t, w.run(&m, inputs(), at), "none", "gone")
		if m.Copy != nil || !m.Withdrawn {
			t.Errorf("copy %v, withdrawn %v", m.Copy, m.Withdrawn)
		}
		w.asked = nil
		w.run(&m, inputs(), at.Add(25*time.Hour))
		w.expectAsked(t)
		w.run(&m, inputs(), at.Add(169*time.Hour))
		w.expectAsked(t, wellKnown)
	})
	t.Run("LC-117 403 counts for 24 hours", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: reply(403, "")}}
		expect(t, w.run(&m, inputs(), noon), "none", "refused")
		w.asked = nil
		expect(t, w.run(&m, inputs(), noon.Add(23*time.Hour)), "none", "refused")
		w.expectAsked(t)
	})
	t.Run("LC-118 429 with Retry-After", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: reply(429, "", "Retry-After: 7200")}}
		w.run(&m, inputs(), noon)
		w.asked = nil
		m.ObservePage(shop+"/", 200, []string{shop + "/l"}, noon)
		expect(t, w.run(&m, inputs(), noon.Add(7199*time.Second)), "undetermined", "rate-limited")
		w.expectAsked(t)
		w.run(&m, inputs(), noon.Add(7200*time.Second))
		w.expectAsked(t, shop+"/l", wellKnown)
	})
	t.Run("LC-119 three failures at about 0, 1 and 3 hours, the copy is stale and then dropped", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# x", `ETag: "1"`)}}
		w.run(&m, inputs(), noon)
		w.answers[wellKnown] = reply(500, "")
		start := noon.Add(2 * time.Hour)
		for _, after := range []time.Duration{0, time.Hour, 3 * time.Hour} {
			w.asked = nil
			if after > 0 {
				w.run(&m, inputs(), start.Add(after-time.Second))
				w.expectAsked(t)
			}
			result := w.run(&m, inputs(), start.Add(after))
			expect(t, result, "undetermined", "server-error")
			if result.Copy == nil || !result.Stale {
				t.Errorf("at %v: copy %v, stale %v", after, result.Copy, result.Stale)
			}
		}
		result := w.run(&m, inputs(), noon.Add(time.Hour+7*24*time.Hour))
		if result.Copy != nil || m.Copy != nil || !m.Withdrawn {
			t.Errorf("after seven days: copy %v, withdrawn %v", m.Copy, m.Withdrawn)
		}
	})
	t.Run("LC-119 the wait doubles to 24 hours and no further", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: reply(502, "")}}
		in, now := inputs(), noon
		in.Jitter = 0.999
		for range 12 {
			w.run(&m, in, now)
			if wait := m.NextAllowed.Sub(now); wait < time.Hour || wait > 24*time.Hour {
				t.Fatalf("wait %v", wait)
			}
			now = m.NextAllowed
		}
		if m.Attempts != 12 {
			t.Errorf("attempts %d", m.Attempts)
		}
	})
	t.Run("LC-048 LC-051 hourly at most, then conditional", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: redirect(302, "/l"), shop + "/l": markdown("# x", `ETag: W/"v1"`)}}
		first := w.run(&m, inputs(), noon)
		w.asked, w.steps = nil, nil
		result := w.run(&m, inputs(), noon.Add(time.Hour-time.Second))
		expect(t, result, "index", "fresh")
		if result.Copy == nil || result.SHA256 != first.SHA256 {
			t.Errorf("LC-051 the copy is not served: %+v", result)
		}
		result = w.run(&m, inputs(), noon.Add(time.Hour+time.Second))
		expect(t, result, "index", "not-modified")
		if w.steps[0].IfNoneMatch != "" || w.steps[1].IfNoneMatch != `W/"v1"` || w.steps[1].IfModifiedSince != "" || result.Copy == nil || result.SHA256 != first.SHA256 {
			t.Errorf("steps %+v, copy %+v", w.steps, result.Copy)
		}
		w.expectAsked(t, wellKnown, shop+"/l")
		expect(t, w.run(&m, inputs(), noon.Add(2*time.Hour)), "index", "fresh") // the 304 restarted the clock
		w.expectAsked(t)
	})
	t.Run("LC-102 a Link seen after the index waits for the next cycle", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# x"), shop + "/a.md": markdown("# a")}}
		w.run(&m, inputs(), noon)
		w.expectAsked(t, wellKnown)
		m.ObservePage(shop+"/", 200, []string{shop + "/a.md"}, noon.Add(5*time.Second))
		expect(t, w.run(&m, inputs(), noon.Add(6*time.Second)), "index", "fresh")
		w.expectAsked(t)
		expect(t, w.run(&m, inputs(), noon.Add(61*time.Minute)), "index", "found")
		w.expectAsked(t, shop+"/a.md")
	})
	t.Run("LC-111 a permanent redirect is not remembered", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: redirect(301, "/l"), shop + "/l": markdown("# x")}}
		w.run(&m, inputs(), noon)
		w.asked = nil
		w.answers[wellKnown] = markdown("# new")
		w.run(&m, inputs(), noon.Add(2*time.Hour))
		w.expectAsked(t, wellKnown)
	})
	t.Run("LC-124 over the ceiling a good copy is withdrawn, for 24 hours, whatever is advertised", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# x")}}
		w.run(&m, inputs(), noon)
		w.answers[wellKnown] = markdown(strings.Repeat("#", 600_000))
		at := noon.Add(2 * time.Hour)
		result := w.run(&m, inputs(), at)
		expect(t, result, "none", "ceiling")
		if result.Copy != nil || result.Text != nil || m.Copy != nil || !m.Withdrawn {
			t.Errorf("something remained: %+v", m)
		}
		w.asked = nil
		expect(t, w.run(&m, inputs(shop+"/new"), at.Add(23*time.Hour)), "none", "ceiling")
		w.expectAsked(t)
		w.run(&m, inputs(shop+"/new"), at.Add(25*time.Hour))
		w.expectAsked(t, wellKnown)
	})
	t.Run("LC-103 a Link is used for 24 hours", func(t *testing.T) {
		m := discover.NewMemory(shop)
		m.ObservePage(shop+"/blog", 200, []string{shop + "/b.md"}, noon)
		for age, want := range map[time.Duration]string{24 * time.Hour: shop + "/b.md", 25 * time.Hour: wellKnown} {
			if got := discover.Rank(m, inputs(), noon.Add(age))[0].URI; got != want {
				t.Errorf("at %v: %s, want %s", age, got, want)
			}
		}
	})
	t.Run("LC-112 an index that an earlier index linked is noted", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# x")}}
		w.run(&m, inputs(), noon)
		m.AnswerDetail(detailStep(m, shop+"/llms-full.txt"), markdown("# full"), inputs(), noon)
		w.answers = map[string]discover.Response{wellKnown: redirect(307, "/llms-full.txt"), shop + "/llms-full.txt": markdown("# full")}
		if result := w.run(&m, inputs(), noon.Add(2*time.Hour)); !slices.Contains(result.Findings, discover.FindingPointsAtDetail) {
			t.Errorf("findings %v", result.Findings)
		}
	})
}

func TestConditions(t *testing.T) {
	const modified = "Tue, 03 Nov 2026 10:00:00 GMT"
	tests := []struct {
		name              string
		fields            []string
		change            func(*discover.Inputs)
		etag, since       string
		unconditionalCopy bool
	}{
		{name: "LC-049 entity tag only", fields: []string{`ETag: "v1"`}, etag: `"v1"`},
		{name: "LC-049 Last-Modified only", fields: []string{"Last-Modified: " + modified}, since: modified},
		{name: "LC-049 both: the tag alone", fields: []string{`ETag: W/"v1"`, "Last-Modified: " + modified}, etag: `W/"v1"`},
		{name: "LC-122 none: the date of the copy", fields: []string{"Date: " + modified}, since: modified},
		{name: "LC-122 not even a date: the time of receipt", since: "Mon, 30 Nov 2026 12:00:00 GMT"},
		{name: "LC-122 evicted body: unconditional", fields: []string{`ETag: "v1"`}, change: func(in *discover.Inputs) { in.BodyEvicted = true }},
		{name: "LC-122 no-store: unconditional", fields: []string{`ETag: "v1"`, "Cache-Control: no-store"}},
		{name: "LC-129 another language: no tag of this variant", fields: []string{`ETag: "v1"`, "Vary: Accept-Language"}, change: func(in *discover.Inputs) { in.RequestFields = map[string]string{"accept-language": "de"} }},
		{name: "LC-017 another language without Vary: the same", fields: []string{`ETag: "v1"`}, change: func(in *discover.Inputs) { in.RequestFields = map[string]string{"accept-language": "de"} }},
		{name: "LC-129 a field that did not vary it", fields: []string{`ETag: "v1"`, "Vary: Accept-Language"}, change: func(in *discover.Inputs) { in.RequestFields = map[string]string{"accept-encoding": "br"} }, etag: `"v1"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# x", test.fields...)}}
			w.run(&m, inputs(), noon)
			w.asked, w.steps = nil, nil
			in := inputs()
			if test.change != nil {
				test.change(&in)
			}
			cycle := discover.Begin(m, in, noon.Add(2*time.Hour))
			step, more := cycle.Next()
			if !more || step.IfNoneMatch != test.etag || step.IfModifiedSince != test.since {
				t.Errorf("step %+v, more %v; want %q, %q", step, more, test.etag, test.since)
			}
		})
	}
	t.Run("LC-122 no-store leaves nothing but the time", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# x", `ETag: "v1"`, "Cache-Control: no-store")}}
		result := w.run(&m, inputs(), noon)
		if string(result.Text) != "# x" || result.SHA256 == "" {
			t.Errorf("the answer itself may be used once: %+v", result)
		}
		if m.Copy.SHA256 != "" || m.Copy.ETag != "" || m.Copy.Language != "" || !m.Copy.NoStore {
			t.Errorf("copy %+v", m.Copy)
		}
		later := w.run(&m, inputs(), noon.Add(time.Minute))
		if later.Copy != nil || len(w.asked) != 1 {
			t.Errorf("served %+v after %v", later.Copy, w.asked)
		}
	})
	t.Run("LC-129 Vary: * is never served without revalidation", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# x", `ETag: "v1"`, "Vary: *")}}
		w.run(&m, inputs(), noon)
		if again := w.run(&m, inputs(), noon.Add(time.Minute)); again.Copy != nil || len(w.asked) != 1 {
			t.Errorf("served %+v after %v", again.Copy, w.asked)
		}
		expect(t, w.run(&m, inputs(), noon.Add(2*time.Hour)), "index", "not-modified")
	})
	t.Run("LC-017 bodies that differ by language without Vary are noted", func(t *testing.T) {
		m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# en")}}
		w.run(&m, inputs(), noon)
		w.answers[wellKnown] = markdown("# de")
		in := inputs()
		in.RequestFields = map[string]string{"accept-language": "de"}
		if result := w.run(&m, in, noon.Add(2*time.Hour)); !slices.Contains(result.Findings, discover.FindingNoVary) {
			t.Errorf("findings %v", result.Findings)
		}
	})
}
