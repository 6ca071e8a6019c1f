package discover_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"heed/crawler/discover"
)

// indexed returns a memory whose index is at the well-known URI.
func indexed(t *testing.T) discover.Memory {
	t.Helper()
	m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# x")}}
	expect(t, w.run(&m, inputs(), noon), "index", "found")
	return m
}

func TestPlanDetails(t *testing.T) {
	details, ordinary := discover.PlanDetails(shop+"/ctx/index.md", []string{
		shop + "/returns.md", shop + "/about", shop + "/FULL.TXT?v=1", "https://other.test/x.md", shop + "/ctx/index.md", shop + "/v1.2/page", "http://shop.example/down.md", shop + "/logo.png"})
	if want := []string{shop + "/returns.md", shop + "/FULL.TXT?v=1"}; !slices.Equal(details, want) {
		t.Errorf("LC-144 details %q", details)
	}
	if want := []string{shop + "/about", "https://other.test/x.md", shop + "/v1.2/page", "http://shop.example/down.md", shop + "/logo.png"}; !slices.Equal(ordinary, want) {
		t.Errorf("LC-069 LC-144 ordinary %q", ordinary)
	}
}

func TestDetails(t *testing.T) {
	const uri = shop + "/full.md"
	crawl := discover.Demand{}
	t.Run("LC-052 daily at most, then conditional", func(t *testing.T) {
		m := indexed(t)
		step, err := m.DetailStep(uri, crawl, inputs(), noon)
		if err != nil || step.Role != discover.Detail || step.MaxBytes != 4<<20 || step.IfNoneMatch != "" {
			t.Fatalf("step %+v, %v", step, err)
		}
		if got := m.AnswerDetail(step, crawl, markdown("# full", `ETag: "f"`), inputs(), noon); got.Reason != discover.Found || string(got.Text) != "# full" {
			t.Errorf("outcome %+v", got)
		}
		var notDue *discover.NotDueError
		if _, err = m.DetailStep(uri, crawl, inputs(), noon.Add(24*time.Hour-time.Minute)); !errors.As(err, &notDue) || !notDue.Until.Equal(noon.Add(24*time.Hour)) {
			t.Errorf("error %v", err)
		}
		at := noon.Add(24*time.Hour + time.Minute)
		if step, err = m.DetailStep(uri, crawl, inputs(), at); err != nil || step.IfNoneMatch != `"f"` {
			t.Errorf("step %+v, %v", step, err)
		}
		digest := m.Details[uri].Copy.SHA256
		if got := m.AnswerDetail(step, crawl, reply(304, ""), inputs(), at); got.Reason != discover.NotModified || m.Details[uri].Copy.SHA256 != digest || !m.Details[uri].NextAllowed.Equal(at.Add(24*time.Hour)) {
			t.Errorf("outcome %+v, known %+v", got, m.Details[uri])
		}
	})
	t.Run("LC-145 each has its own day", func(t *testing.T) {
		m := indexed(t)
		for i := range 3 {
			step, err := m.DetailStep(fmt.Sprintf("%s/%d.md", shop, i), crawl, inputs(), noon.Add(time.Duration(i)*time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			m.AnswerDetail(step, crawl, markdown("# x"), inputs(), noon.Add(time.Duration(i)*time.Hour))
		}
		for i := range 3 {
			_, before := m.DetailStep(fmt.Sprintf("%s/%d.md", shop, i), crawl, inputs(), noon.Add(time.Duration(i)*time.Hour+23*time.Hour))
			_, after := m.DetailStep(fmt.Sprintf("%s/%d.md", shop, i), crawl, inputs(), noon.Add(time.Duration(i)*time.Hour+25*time.Hour))
			if before == nil || after != nil {
				t.Errorf("detail %d: %v, %v", i, before, after)
			}
		}
	})
	t.Run("LC-055 LC-056 on demand only with a need, which is recorded", func(t *testing.T) {
		m := indexed(t)
		if _, err := m.DetailStep(uri, discover.Demand{OnDemand: true, Need: " "}, inputs(), noon); !errors.Is(err, discover.ErrNeedRequired) {
			t.Errorf("error %v", err)
		}
		demand := discover.Demand{OnDemand: true, Need: "question not answered by index"}
		step, err := m.DetailStep(uri, demand, inputs(), noon)
		if err != nil {
			t.Fatal(err)
		}
		m.AnswerDetail(step, demand, markdown("# x"), inputs(), noon)
		if m.Details[uri].Need != demand.Need {
			t.Errorf("need %q", m.Details[uri].Need)
		}
	})
	t.Run("LC-069 only of the index's origin, only with an index", func(t *testing.T) {
		m := indexed(t)
		if _, err := m.DetailStep("https://other.test/x.md", crawl, inputs(), noon); !errors.Is(err, discover.ErrForeignDetail) {
			t.Errorf("error %v", err)
		}
		m = discover.NewMemory(shop)
		if _, err := m.DetailStep(uri, crawl, inputs(), noon); !errors.Is(err, discover.ErrForeignDetail) {
			t.Errorf("error %v", err)
		}
	})
	tests := []struct {
		name     string
		response discover.Response
		reason   discover.Reason
		wait     time.Duration
	}{
		{"LC-146 Latin-1", markdown("\xE9"), discover.Encoding, 24 * time.Hour},
		{"LC-144 a web page is an ordinary URL", reply(200, "<p>", "Content-Type: text/html"), discover.HTML, 24 * time.Hour},
		{"a redirect is not followed", redirect(301, "/other.md"), discover.RedirectStatus, 24 * time.Hour},
		{"LC-116 410", reply(410, ""), discover.Gone, 7 * 24 * time.Hour},
		{"LC-118 429", reply(429, "", "Retry-After: 7200"), discover.RateLimited, 2 * time.Hour},
		{"LC-119 500", reply(500, ""), discover.ServerError, time.Hour},
		{"LC-121 longer lifetime", markdown("# x", "Cache-Control: max-age=172800"), discover.Found, 48 * time.Hour},
		{"a 304 nobody asked for", reply(304, ""), discover.ServerError, time.Hour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := indexed(t)
			step, err := m.DetailStep(uri, crawl, inputs(), noon)
			if err != nil {
				t.Fatal(err)
			}
			got := m.AnswerDetail(step, crawl, test.response, inputs(), noon)
			if known := m.Details[uri]; got.Reason != test.reason || known.NextAllowed.Sub(noon) != test.wait || got.State != discover.StateIndex && known.Copy != nil {
				t.Errorf("outcome %+v, known %+v", got, known)
			}
		})
	}
	t.Run("the number remembered is bounded", func(t *testing.T) {
		m := indexed(t)
		for i := range 1005 {
			at := noon.Add(time.Duration(i) * time.Second)
			m.AnswerDetail(discover.Step{URI: fmt.Sprintf("%s/%d.md", shop, i)}, crawl, markdown("# x"), inputs(), at)
		}
		if _, have := m.Details[shop+"/0.md"]; have || len(m.Details) != 1000 {
			t.Errorf("%d details, the first among them: %v", len(m.Details), have)
		}
	})
}

func TestMemoryThatCannotBeReadIsAnError(t *testing.T) {
	for _, data := range []string{"", "{", `{"version":2,"origin":"https://shop.example"}`, `{"version":1}`, `{"version":1,"origin":"https://shop.example/x"}`} {
		if _, err := discover.DecodeMemory([]byte(data)); !errors.Is(err, discover.ErrMemory) {
			t.Errorf("%q: %v", data, err)
		}
	}
}

func TestMemoryIsAValue(t *testing.T) {
	m := indexed(t)
	m.ObservePage(shop+"/", 200, []string{shop + "/a"}, noon)
	before := m
	cycle := discover.Begin(m, inputs(), noon.Add(2*time.Hour))
	m.ObservePage(shop+"/", 200, []string{shop + "/b"}, noon)
	m.ObservePage(shop+"/x", 200, []string{shop + "/c"}, noon)
	m.AnswerDetail(discover.Step{URI: shop + "/d.md"}, discover.Demand{}, markdown("# d"), inputs(), noon)
	if len(before.Links) != 1 || before.Links[0].URI != shop+"/a" || len(before.Details) != 0 {
		t.Errorf("the copy changed: %+v", before)
	}
	step, _ := cycle.Next()
	cycle.Answer(markdown("# x"))
	after := cycle.Memory()
	after.TakeObservations(m)
	if step.URI != shop+"/a" || after.Links[0].URI != shop+"/b" || len(after.Details) != 1 || after.State != discover.StateIndex {
		t.Errorf("step %s, memory %+v", step.URI, after)
	}
}
