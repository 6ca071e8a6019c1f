package discover_test

import (
	"errors"
	"fmt"
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

// detailStep is the request for a detail as a caller makes it.
func detailStep(m discover.Memory, uri string) discover.Step {
	step := discover.Step{URI: uri, Role: discover.Detail}
	if held := m.Details[uri].Copy; held != nil {
		step.IfNoneMatch, step.IfModifiedSince = held.ETag, held.LastModified
	}
	return step
}

func TestDetails(t *testing.T) {
	const uri = shop + "/full.md"
	t.Run("LC-052 daily at most, then conditional", func(t *testing.T) {
		m := indexed(t)
		if got := m.AnswerDetail(detailStep(m, uri), markdown("# full", `ETag: "f"`), inputs(), noon); got.Reason != discover.Found || string(got.Text) != "# full" {
			t.Errorf("outcome %+v", got)
		}
		if got := m.Details[uri].NextAllowed; !got.Equal(noon.Add(24 * time.Hour)) {
			t.Errorf("next allowed %s", got)
		}
		at, digest := noon.Add(24*time.Hour+time.Minute), m.Details[uri].Copy.SHA256
		if got := m.AnswerDetail(detailStep(m, uri), reply(304, ""), inputs(), at); got.Reason != discover.NotModified || m.Details[uri].Copy.SHA256 != digest || !m.Details[uri].NextAllowed.Equal(at.Add(24*time.Hour)) {
			t.Errorf("outcome %+v, known %+v", got, m.Details[uri])
		}
	})
	t.Run("LC-145 each has its own day", func(t *testing.T) {
		m := indexed(t)
		for i := range 3 {
			m.AnswerDetail(detailStep(m, fmt.Sprintf("%s/%d.md", shop, i)), markdown("# x"), inputs(), noon.Add(time.Duration(i)*time.Hour))
		}
		for i := range 3 {
			if got := m.Details[fmt.Sprintf("%s/%d.md", shop, i)].NextAllowed; !got.Equal(noon.Add(time.Duration(i+24) * time.Hour)) {
				t.Errorf("detail %d: next allowed %s", i, got)
			}
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
			got := m.AnswerDetail(detailStep(m, uri), test.response, inputs(), noon)
			if known := m.Details[uri]; got.Reason != test.reason || known.NextAllowed.Sub(noon) != test.wait || got.State != discover.StateIndex && known.Copy != nil {
				t.Errorf("outcome %+v, known %+v", got, known)
			}
		})
	}
	t.Run("the number remembered is bounded", func(t *testing.T) {
		m := indexed(t)
		for i := range 1005 {
			at := noon.Add(time.Duration(i) * time.Second)
			m.AnswerDetail(discover.Step{URI: fmt.Sprintf("%s/%d.md", shop, i)}, markdown("# x"), inputs(), at)
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
	m.AnswerDetail(discover.Step{URI: shop + "/d.md"}, markdown("# d"), inputs(), noon)
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
