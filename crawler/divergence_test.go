package crawler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"heed/crawler"
	"heed/crawler/discover"
	"heed/frontier"
)

// titled is a page with a title.
func titled(title string) reply {
	return answer(200, "<!doctype html><title>"+title+"</title>words", "Content-Type: text/html")
}

// sampled asks for the context of the store and compares it with n pages.
func (j *job) sampled(n int) crawler.ContextResult {
	j.world.t.Helper()
	d := crawler.ContextDemand{Demand: crawler.Demand{Patience: 5 * time.Second}, Sample: n}
	r, err := j.ContextOf(j.world.t.Context(), store, d)
	if err != nil {
		j.world.t.Fatal(err)
	}
	return r
}

// agreements writes a sample down.
func agreements(r crawler.ContextResult) string {
	var list []string
	for _, s := range r.Samples {
		says := s.Reason
		if s.Agree != nil {
			says = fmt.Sprint(*s.Agree)
		}
		list = append(list, strings.TrimPrefix(s.URI, store)+" "+says)
	}
	return strings.Join(list, ", ")
}

func divergence(r crawler.ContextResult) string {
	if r.Divergence == nil {
		return "none"
	}
	return fmt.Sprintf("%.2f", *r.Divergence)
}

const threeLinks = "# The Store\n- [A](/p)\n- [Returns](/q)\n- [Delivery](/r.html)\n- [Full text](/full.md)\n"

func TestLC073ASampleOfPagesIsFetchedUnderAllPoliciesAndCompared(t *testing.T) {
	w := indexed(t, threeLinks)
	w.on(store+"/robots.txt", text("User-agent: *\nDisallow: /q\n")).
		on(store+"/p", titled("B")).on(store+"/q", titled("Returns")).on(store+"/r.html", titled("Delivery | The Store"))
	j := w.open(func(s *setup) { s.pace.Delay = 150 * time.Millisecond })
	defer j.close()
	r := j.sampled(3)
	if got, want := agreements(r), "/p false, /q robots.disallow, /r.html true"; got != want || divergence(r) != "0.50" {
		t.Errorf("%s, divergence %s; want %s", got, divergence(r), want)
	}
	w.never(store+"/q", store+"/full.md")
	w.asked(store, discover.WellKnownPath, "/p", "/r.html")
	w.gaps("shop.example", 150*time.Millisecond)
	for _, path := range []string{"/p", "/r.html"} {
		if v := j.book.last(store + path); v == nil || v.kind != crawler.VisitPage || v.verdict != "allow" {
			t.Errorf("%s is recorded as %+v", path, v)
		}
	}
}

func TestLC073OfALongIndexOnlyAsManyPagesAsAsked(t *testing.T) {
	var index strings.Builder
	index.WriteString("# The Store\n")
	for i := range 30 {
		fmt.Fprintf(&index, "- [Page %d](/%d)\n", i, i)
	}
	w := indexed(t, index.String())
	w.on(store+" *", titled("Page"))
	j := w.open(brisk)
	defer j.close()
	r := j.sampled(3)
	if got := agreements(r); got != "/0 true, /10 true, /20 true" || divergence(r) != "0.00" {
		t.Errorf("%s, divergence %s", got, divergence(r))
	}
	w.asked(store, discover.WellKnownPath, "/0", "/10", "/20")
}

func TestLC073TheHomePageFillsASampleUp(t *testing.T) {
	w := indexed(t, "# The Store\n- [Full text](/full.md)\n- [Elsewhere](https://other.test/a)\n- [moved](/moved)\n- [no title](/blank)\n- [gone](/gone)\n")
	w.on(store+"/", titled("Casino")).on(store+"/moved", redirect(302, "https://other.test/b")).on("https://other.test/b", titled("moved")).
		on(store+"/blank", titled("")).on(store+"/gone", status(404))
	j := w.open(brisk)
	defer j.close()
	r := j.sampled(9)
	if got, want := agreements(r), "/moved cross-origin, /blank no-title, /gone status-404, / false"; got != want || divergence(r) != "1.00" {
		t.Errorf("%s, divergence %s; want %s", got, divergence(r), want)
	}
	w.never("https://other.test/a", store+"/full.md")
}

func TestLC074AnIndexThatDisagreesSaysSoInTheProvenanceFromThenOn(t *testing.T) {
	w := indexed(t, threeLinks)
	w.on(store+"/p", titled("B")).on(store+"/q", titled("Casino")).on(store+"/r.html", titled("Win money")).on(store+"/full.md", markdown("# full"))
	crawl := w.open(func(s *setup) { contextual(store + "/p")(s); brisk(s) })
	crawl.run() // which makes /full.md a detail
	crawl.close()

	j := w.open(brisk)
	r := j.sampled(3)
	if got := agreements(r); divergence(r) != "1.00" || got != "/p false, /q false, /r.html false" {
		t.Errorf("divergence %s: %s", divergence(r), got)
	}
	j.close()

	j = w.open(brisk)
	defer j.close()
	if m, err := j.ContextMemory(t.Context(), store); err != nil || m.Divergence == nil || m.Divergence.Share < 0.8 || m.Divergence.Compared != 3 || m.Divergence.SHA256 != r.SHA256 {
		t.Errorf("LC-074 remembered is %+v, %v", m.Divergence, err)
	}
	for path, want := range map[string]string{
		discover.WellKnownPath: "1 " + store + " well-known", "/full.md": "1 " + probe + " well-known", "/p": "none",
	} {
		f, err := j.Fetch(t.Context(), store+path, crawler.Demand{Patience: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		e, err := f.Envelope(1 << 20)
		f.Close()
		if err == nil {
			err = j.Attribute(t.Context(), &e)
		}
		got := "none"
		if e.Divergence != nil {
			got = fmt.Sprintf("%v %s %s", *e.Divergence, e.AdvertisedBy, e.Mechanism)
		}
		if err != nil || got != want {
			t.Errorf("the envelope of %s says %q, want %q (%v)", path, got, want, err)
		}
	}
	if again := j.contextOf(store, false); divergence(again) != "1.00" || len(again.Samples) != 0 {
		t.Errorf("later it is %s with %d samples", divergence(again), len(again.Samples))
	}
}

func TestLC074ADivergenceEndsWithTheNextSampleOrWithTheIndex(t *testing.T) {
	w := indexed(t, threeLinks)
	w.on(store+"/p", titled("B")).on(store+"/q", titled("Casino")).on(store+"/r.html", titled("Win money"))
	j := w.open(brisk)
	j.sampled(3)
	w.on(store+"/p", titled("The Store - A")).on(store+"/q", titled("Returns")).on(store+"/r.html", titled("Delivery"))
	if r := j.sampled(3); divergence(r) != "0.00" {
		t.Errorf("sampled again it is %s", divergence(r))
	}
	j.close()
	w.on(probe, status(410))
	w.time.advance(25 * time.Hour)
	j = w.open(brisk)
	defer j.close()
	if r := j.sampled(3); r.State != discover.StateNone || r.Divergence != nil || r.Samples != nil {
		t.Errorf("of an index that is gone it is %s (%s)", divergence(r), r.State)
	}
	if m, err := j.ContextMemory(t.Context(), store); err != nil || m.Divergence != nil {
		t.Errorf("remembered is %+v, %v", m.Divergence, err)
	}
}

func TestLC154WithoutASampleNoPageIsAskedFor(t *testing.T) {
	w := indexed(t, threeLinks)
	j := w.open(brisk)
	defer j.close()
	if r := j.sampled(0); r.Divergence != nil || r.Samples != nil {
		t.Errorf("%+v", r.Samples)
	}
	if got := w.targets(store); !slices.Equal(got, []string{discover.WellKnownPath}) {
		t.Errorf("asked for %q", got)
	}
}

func TestLC009ACrawlFollowsAnIndexThatARequestOnDemandHasBrought(t *testing.T) {
	w := indexed(t, "# The Store\n- [Full text](/full.md)\n")
	w.on(store+"/", html("home")).on(store+"/full.md", markdown("# full"))
	expect(t, w.contextOf(store), "index", "found")
	w.crawl(contextual(store + "/"))
	w.asked(store, discover.WellKnownPath, "/", "/full.md")
}

// betweenVisits calls meanwhile once, before a visit of a URL is recorded.
type betweenVisits struct {
	crawler.Sink
	url       string
	meanwhile func()
}

func (s *betweenVisits) Prepare(v crawler.Visit) (frontier.Attachment, error) {
	if run := s.meanwhile; v.URL == s.url && run != nil {
		s.meanwhile = nil
		run()
	}
	return s.Sink.Prepare(v)
}

func TestLC074AnIndexThatIsWithdrawnMeanwhileLeavesNoDivergence(t *testing.T) {
	w := indexed(t, "# The Store\n- [A](/p)\n")
	w.on(store+"/p", titled("B"))
	sink := &betweenVisits{Sink: newRecorder(), url: store + "/p"}
	j := w.open(func(s *setup) { brisk(s); s.sink = sink })
	defer j.close()
	sink.meanwhile = func() {
		w.on(probe, status(410))
		w.time.advance(2 * time.Hour)
		expect(t, j.contextOf(store, false), "none", "gone")
	}
	j.sampled(1)
	if m, err := j.ContextMemory(t.Context(), store); err != nil || sink.meanwhile != nil || m.Copy != nil || m.Divergence != nil {
		t.Errorf("remembered is %+v, %v", m.Divergence, err)
	}
}
