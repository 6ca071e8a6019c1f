package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"heed/registry/card"
)

func TestAnswersThatAreNoCard(t *testing.T) {
	deny := object{"consent": object{"retrieve": false}}
	valid := `{"botcentral":"1.1","domain":"shop.test","consent":{"train":true}`
	tests := []struct {
		name   string
		answer func(Request) (Answer, error)
		former card.Status // of a copy held before
		first  card.Status // without one
	}{
		{"BC-C-914 HTML", body("<html>oops"), card.Read, card.Unavailable},
		{"BC-C-914 a list", body("[]"), card.Read, card.Unavailable},
		{"BC-C-914 status 500", status(500), card.Read, card.Unavailable},
		{"BC-C-914 status 403", status(403), card.Read, card.Unavailable},
		{"BC-C-914 status 204", status(204), card.Read, card.Unavailable},
		{"BC-C-914 status 304 out of the blue", status(304), card.Read, card.Unavailable},
		{"BC-C-914 a redirect is not followed", status(301, "Location", "https://rogue.test/"), card.Read, card.Unavailable},
		{"BC-C-022 the card of another domain", body(`{"botcentral":"1.1","domain":"other.test","consent":{}}`), card.Read, card.Unavailable},
		{"BC-C-023 a body of 8 MiB", func(Request) (Answer, error) {
			a, _ := status(200)(Request{})
			a.Body = bytes.Repeat([]byte(" "), 8<<20)
			return a, nil
		}, card.Read, card.Unavailable},
		{"BC-C-023 a body that the getter gave up", func(Request) (Answer, error) { return Answer{}, fmt.Errorf("get: %w", ErrTooLarge) }, card.Read, card.Unavailable},
		{"BC-C-023 nested too deeply", body(valid + `,"x":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + "}"), card.Read, card.Unavailable},
		{"BC-C-933 two consent members", body(valid + `,"consent":{}}`), card.Invalid, card.Invalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFakeRegistry("shop.test"), newMemory()
				f.override("/v1/site/shop.test", tt.answer)
				m := open(t, f, s)
				syncNow(t, m, "shop.test")
				if h := held(t, m, "shop.test"); h.Status != tt.first && h.Status != card.Unread || h.HasCard() || h.Consent.Train {
					t.Errorf("without a former card: %+v", h)
				}
				if h := held(t, open(t, f, s), "shop.test"); h.HasCard() || h.Status == card.Read {
					t.Errorf("after a restart: %+v", h)
				}
				f.override("/v1/site/shop.test", nil)
				f.put("shop.test", deny)
				time.Sleep(2 * time.Hour)
				syncNow(t, m, "shop.test")
				if h := held(t, m, "shop.test"); h.Status != card.Read || h.Consent.Retrieve {
					t.Fatalf("%+v", h)
				}
				f.override("/v1/site/shop.test", func(q Request) (Answer, error) {
					if q.ETag != "" && tt.name == "BC-C-914 status 304 out of the blue" {
						q.ETag = ""
						return status(500)(q)
					}
					return tt.answer(q)
				})
				f.put("shop.test", nil)
				time.Sleep(time.Hour)
				syncNow(t, m, "shop.test")
				for _, m := range []*Mirror{m, open(t, f, s)} {
					h := held(t, m, "shop.test")
					if h.Status != tt.former || h.Consent.Retrieve || !h.HasCard() || !h.SeenProof {
						t.Errorf("beside a former card: %+v", h)
					}
				}
				if m.Status()[0].UnavailableSince != (time.Time{}) {
					t.Errorf("one bad card makes the registry unavailable: %+v", m.Status())
				}
			})
		})
	}
}

func TestProofThatWasSeenIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFakeRegistry("shop.test", "new.test"), newMemory()
		pending := object{"verification": object{"method": "pending", "checked": nil}, "consent": object{"retrieve": false}}
		f.put("new.test", pending)
		syncNow(t, open(t, f, s), "shop.test", "new.test")
		f.put("shop.test", pending)
		m := open(t, f, s)
		syncNow(t, m, "shop.test")
		if h := held(t, m, "shop.test"); h.State(time.Now()) != card.Pending || !h.SeenProof || h.Consent.Retrieve {
			t.Errorf("BC-C-904 %+v", h)
		}
		if h := held(t, m, "new.test"); h.SeenProof {
			t.Errorf("BC-C-904 %+v", h)
		}
		f.remove("shop.test")
		time.Sleep(time.Hour)
		syncNow(t, m)
		f.put("shop.test", pending)
		time.Sleep(time.Hour)
		m = open(t, f, s)
		syncNow(t, m, "shop.test")
		if h := held(t, m, "shop.test"); !h.SeenProof {
			t.Errorf("BC-C-904 forgotten after it was off the list: %+v", h)
		}
	})
}

func TestClockOfTheRegistry(t *testing.T) {
	for name, tt := range map[string]struct{ ahead, want time.Duration }{
		"BC-C-907 within the tolerance": {4 * time.Minute, 0},
		"BC-C-907 ours is 2 h slow":     {2 * time.Hour, 2 * time.Hour},
		"BC-C-907 ours is 2 h ahead":    {-2 * time.Hour, -2 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFakeRegistry("shop.test"), newMemory()
				o := func(o *Options) { o.Clock = func() time.Time { return time.Now().Add(-tt.ahead) } }
				syncNow(t, open(t, f, s, o), "shop.test")
				h := held(t, open(t, f, s, o), "shop.test")
				if h.Skew != tt.want {
					t.Errorf("skew %s", h.Skew)
				}
				if got := h.State(time.Now().Add(-tt.ahead)); tt.ahead >= 0 && got != card.Fresh {
					t.Errorf("%s", got)
				}
			})
		})
	}
}

func TestDiscovery(t *testing.T) {
	other := `"listed":[{"domain":"shop.test","name":"S","href":"/v1/site/shop.test"}]}`
	tests := []struct {
		name  string
		index func(Request) (Answer, error)
		want  []string // requests of the first start and of the first poll after it
	}{
		{"BC-C-935 aliases and a relative href", body(`{"catalog":"https://registry.test/v1/search","feed":"https://registry.test/v1/changes","snapshot_url":"/v1/snapshot","zz":1,` + other),
			[]string{pathIndex, "/v1/site/shop.test", pathSnapshot, pathChanges}},
		{"BC-C-935 members of no known name", body(`{"poll_here":"https://registry.test/poll",` + other), []string{pathIndex, "/v1/site/shop.test", pathSnapshot, pathChanges}},
		{"BC-C-935 members of wrong types", body(`{"snapshot":7,"changes":{},"next":[],` + other), []string{pathIndex, "/v1/site/shop.test", pathSnapshot, pathChanges}},
		{"BC-C-020 resources on other hosts, or not over https", body(`{"snapshot":"http://10.0.0.1/x","changes":"https://rogue.test/feed",` + other),
			[]string{pathIndex, "/v1/site/shop.test", pathSnapshot, pathChanges}},
		{"BC-C-020 plain http on the same host", body(`{"snapshot":"http://registry.test/s","changes":"//registry.test:8443/c",` + other),
			[]string{pathIndex, "/v1/site/shop.test", pathSnapshot, pathChanges}},
		{"BC-C-020 a card on another host", body(`{"listed":[{"domain":"shop.test","href":"https://rogue.test/card"}]}`),
			[]string{pathIndex, "/v1/site/shop.test", pathSnapshot, pathChanges}},
		{"BC-C-020 other paths on the host", body(`{"snapshot":"/s","changes":"/c?x=1","listed":[{"domain":"shop.test","href":"/cards/1#x"}]}`),
			[]string{pathIndex, "/cards/1", "/s"}},
		{"product 8.6 no discovery document: fixed paths", status(404), []string{pathIndex, pathChanges, "/v1/site/shop.test", pathSnapshot, pathChanges + "?since=1"}},
		{"a discovery document without a list: the feed from its beginning", body(`{"botcentral":"1.1"}`),
			[]string{pathIndex, pathChanges, "/v1/site/shop.test", pathSnapshot, pathChanges + "?since=1"}},
		{"BC-R-907 a list of several pages", func(q Request) (Answer, error) {
			if strings.HasSuffix(q.URL, "page=2") {
				return body(`{"listed":[{"domain":"shop.test"}]}`)(q)
			}
			return body(`{"next":"/.well-known/botcentral-index.json?page=2","listed":[{"domain":"aa.test"}]}`)(q)
		}, []string{pathIndex, pathIndex + "?page=2", "/v1/site/shop.test", pathSnapshot, pathChanges}},
		{"entries that are no domains", body(`{"listed":[7,{"domain":"../x"},{"domain":"a b.test"},{"domain":"localhost"},{"domain":"ä.test"},{"domain":"a..test"},{"domain":"Shop.Test."}]}`),
			[]string{pathIndex, "/v1/site/shop.test", pathSnapshot, pathChanges}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeRegistry("shop.test")
				f.override(pathIndex, tt.index)
				f.override("/cards/1", body(`{"domain":"shop.test"}`))
				f.override("/s", status(200))
				m := open(t, f, newMemory())
				syncNow(t, m, "shop.test")
				time.Sleep(pollEvery)
				syncNow(t, m)
				if got := f.requests(); !slices.Equal(got, tt.want) {
					t.Errorf("%q\nwant %q", got, tt.want)
				}
				if held(t, m, "shop.test").Status != card.Read {
					t.Error("the card was not read")
				}
			})
		})
	}
}

func TestABrokenListIsEvidenceOfNothing(t *testing.T) {
	for name, answer := range map[string]func(Request) (Answer, error){
		"BC-C-914 status 500": status(500), "BC-C-914 HTML": body("<html>"), "BC-C-914 a redirect": status(302, "Location", "/x"),
		"BC-C-914 an array": body("[]"), "BC-C-914 doubled members": body(`{"listed":[],"listed":[]}`),
		"BC-C-023 9 MiB":      body(`{"listed":[` + strings.Repeat(" ", 9<<20) + `]}`),
		"BC-C-914 slow":       func(Request) (Answer, error) { time.Sleep(requestTimeout); return Answer{}, context.DeadlineExceeded },
		"BC-C-914 status 503": status(503, "Retry-After", "30"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, s := newFakeRegistry("shop.test"), newMemory()
				f.override(pathIndex, answer)
				m := open(t, f, s)
				syncNow(t, m, "shop.test")
				if got := f.requests(); len(got) != 1 {
					t.Fatalf("%q", got)
				}
				if h := held(t, m, "shop.test"); h.Status != card.Unavailable {
					t.Errorf("BC-C-914 an error is not the absence of a card: %+v", h)
				}
				if st := m.Status()[0]; st.UnavailableSince.IsZero() || st.Problem == "" {
					t.Errorf("%+v", st)
				}
				if h := held(t, open(t, f, s), "shop.test"); h.Status != card.Unavailable {
					t.Errorf("after a restart: %+v", h)
				}
				f.override(pathIndex, nil)
				time.Sleep(2 * time.Minute)
				syncNow(t, m, "shop.test")
				if held(t, m, "shop.test").Status != card.Read || !m.Status()[0].UnavailableSince.IsZero() {
					t.Errorf("when it is back: %+v", m.Status())
				}
				f.override(pathIndex, answer)
				time.Sleep(25 * time.Hour)
				f.requests()
				syncNow(t, m, "shop.test")
				if held(t, m, "shop.test").Status != card.Read {
					t.Error("BC-C-914 an error has deleted a card")
				}
			})
		})
	}
}

func TestALongPauseIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeRegistry("shop.test", "other.test")
		list := body(`{"listed":[{"domain":"shop.test"},{"domain":"other.test"}]}`, "Retry-After", "86400")
		f.override(pathIndex, list)
		m := open(t, f, newMemory())
		syncNow(t, m, "shop.test")
		if h := held(t, m, "shop.test"); h.Status != card.Unavailable {
			t.Errorf("BC-C-914 retrieval would wait a day: %+v", h)
		}
		if got := f.requests(); len(got) != 1 {
			t.Errorf("BC-C-018 %q", got)
		}
	})
}

func TestABrokenIndexDoesNotStopThePolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeRegistry("shop.test")
		m := open(t, f, newMemory())
		syncNow(t, m, "shop.test")
		f.override(pathIndex, status(500))
		time.Sleep(25 * time.Hour)
		f.put("shop.test", object{"allow_bots": false})
		syncNow(t, m)
		if held(t, m, "shop.test").AllowBots {
			t.Errorf("%q", f.requests())
		}
	})
}

func TestAnExpiredCursor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFakeRegistry("a.test", "b.test", "c.test"), newMemory()
		m := open(t, f, s)
		syncNow(t, m, "a.test", "b.test", "c.test")
		time.Sleep(pollEvery)
		syncNow(t, m)
		f.put("a.test", object{"allow_bots": false})
		f.mu.Lock()
		delete(f.cards, "b.test") // and the feed does not say so
		f.dropped = 100
		f.mu.Unlock()
		f.requests()
		time.Sleep(pollEvery)
		syncNow(t, m)
		got := f.requests()
		for i, prefix := range []string{pathSnapshot, pathChanges + "?since=3", pathIndex, pathChanges, "/v1/site/a.test if"} {
			if i >= len(got) || !strings.HasPrefix(got[i], prefix) {
				t.Fatalf("BC-R-901 %q", got)
			}
		}
		if len(got) != 5 || held(t, m, "a.test").AllowBots || m.Lookup("b.test") != nil || held(t, m, "c.test").Status != card.Read {
			t.Errorf("BC-R-901 %q", got)
		}
	})
}

func TestFeeds(t *testing.T) {
	tests := []struct {
		name  string
		feed  func(Request) (Answer, error)
		reads int // of the feed at one poll
		again bool
	}{
		{"a feed that says more without moving on", body(`{"changes":[],"cursor":"x","more":true}`), 2, false},
		{"a feed without a cursor that says more", body(`{"changes":[],"more":true}`), 1, false},
		{"a registry without a feed: all cards are read on a change", status(404), 1, true},
		{"an entry without an etag: the card is read", body(`{"changes":[{"domain":"shop.test"}],"cursor":"x"}`), 1, true},
		{"a weak etag is compared without its mark", func(q Request) (Answer, error) {
			return body(`{"changes":[{"domain":"shop.test","etag":"W/\"new\""}],"cursor":"x"}`)(q)
		}, 1, true},
		{"entries of wrong types", body(`{"changes":[7,{"domain":7,"etag":null},{"domain":"","etag":"x"},{"etag":{}}],"cursor":7,"more":"yes"}`), 1, false},
		{"BC-C-914 no list", body(`{"changes":{}}`), 1, false},
		{"BC-C-914 doubled members", body(`{"changes":[],"changes":[]}`), 1, false},
		{"BC-C-914 status 500", status(500), 1, false},
		{"a cursor without end", body(`{"changes":[],"cursor":"` + strings.Repeat("x", 5000) + `"}`), 1, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeRegistry("shop.test")
				f.override(pathChanges, tt.feed)
				m := open(t, f, newMemory())
				syncNow(t, m, "shop.test")
				f.requests()
				time.Sleep(pollEvery)
				syncNow(t, m)
				got := f.requests()
				count := func(prefix string) (n int) {
					for _, line := range got {
						if strings.HasPrefix(line, prefix) {
							n++
						}
					}
					return n
				}
				if count(pathChanges) != tt.reads || count("/v1/site/") == 1 != tt.again {
					t.Errorf("%q", got)
				}
				if held(t, m, "shop.test").Status != card.Read {
					t.Error("BC-C-914 the card is lost")
				}
			})
		})
	}
}

func TestSnapshotsThatCannotBeUsed(t *testing.T) {
	for name, answer := range map[string]func(Request) (Answer, error){
		"BC-C-914 status 500": status(500), "BC-C-914 no snapshot": body(`{}`), "BC-C-914 a number": body(`{"snapshot":7}`),
		"BC-C-914 HTML": body("<html>"), "BC-C-914 304 without a question": status(304),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFakeRegistry("shop.test", "other.test")
				m := open(t, f, newMemory())
				f.override(pathSnapshot, answer)
				syncNow(t, m)
				time.Sleep(pollEvery)
				syncNow(t, m, "shop.test")
				got := f.requests()
				if want := []string{pathIndex, pathSnapshot, "/v1/site/shop.test"}; !slices.Equal(got, want) {
					t.Errorf("%q", got)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		f := newFakeRegistry("shop.test")
		m := open(t, f, newMemory())
		f.override(pathSnapshot, status(404))
		syncNow(t, m, "shop.test")
		f.put("shop.test", object{"allow_bots": false})
		time.Sleep(pollEvery)
		syncNow(t, m)
		if held(t, m, "shop.test").AllowBots {
			t.Errorf("without a snapshot the feed tells: %q", f.requests())
		}
	})
}

func TestAStoreThatFailsStopsTheMirror(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFakeRegistry("shop.test"), newMemory()
		m := open(t, f, s)
		s.saves = 0
		if err := m.Sync(t.Context()); !errors.Is(err, errFull) {
			t.Errorf("Sync: %v", err)
		}
		if err := m.Run(t.Context()); !errors.Is(err, errFull) {
			t.Errorf("Run: %v", err)
		}
		if got := f.requests(); len(got) != 0 {
			t.Errorf("a request that could not be counted was sent: %q", got)
		}
	})
}

func TestSyncEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, s := newFakeRegistry("shop.test"), newMemory()
		m := open(t, f, s)
		ctx, stop := context.WithCancel(t.Context())
		f.override(pathIndex, func(Request) (Answer, error) { stop(); return Answer{}, context.Canceled })
		if err := m.Sync(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
		if st := m.Status()[0]; st.Problem != "" {
			t.Errorf("our own end is no failure of the registry: %+v", st)
		}
	})
}

// TestKills stops processes at random saves and lets the registry change
// between them: nothing is lost, and the budget holds over all processes.
func TestKills(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 25).Draw(rt, "steps")
		numbers := rapid.SliceOfN(rapid.IntRange(0, 11), len(steps), len(steps)).Draw(rt, "numbers")
		page := rapid.IntRange(0, 3).Draw(rt, "page")
		var problem string
		defer func() {
			if problem != "" {
				rt.Fatal(problem)
			}
		}()
		synctest.Test(t, func(t *testing.T) {
			domain := func(n int) string { return fmt.Sprintf("d%d.test", n) }
			f, s := newFakeRegistry(domain(0), domain(1), domain(2)), newMemory()
			f.pageSize = page
			m := open(t, f, s)
			for i, step := range steps {
				n := numbers[i]
				switch step {
				case 0:
					f.put(domain(n), object{"name": fmt.Sprint(i)})
				case 1:
					f.remove(domain(n))
				case 2: // a kill at the n-th save
					m = open(t, f, s)
					s.saves = n
					m.Want(domain(n))
					_ = m.Sync(t.Context())
					s.saves = -1
					m = open(t, f, s)
				case 3:
					m.Want(domain(n))
					_ = m.Sync(t.Context())
				case 4:
					time.Sleep(time.Duration(n*n) * 10 * time.Second)
				case 5:
					f.mu.Lock()
					f.dropped = len(f.order) - n
					f.mu.Unlock()
				}
			}
			ctx, stop := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- m.Run(ctx) }()
			time.Sleep(25 * time.Hour) // a list, many polls
			stop()
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			checkBudget(t, f.sent)
			log := f.requests()
			for n := range 12 {
				c, ok := f.cards[domain(n)]
				h := m.Lookup(domain(n))
				if ok != (len(h) == 1) || ok && (h[0].Status != card.Read || h[0].Name != c["name"]) {
					problem = fmt.Sprintf("%s: listed %v, held %+v\nlog %q", domain(n), ok, h, log)
				}
			}
		})
	})
}

// TestTenThousandCards holds what issue and ledger ask of a large registry.
func TestTenThousandCards(t *testing.T) {
	if testing.Short() {
		t.Skip("10,000 cards take a few seconds")
	}
	const cards = 10_000
	f, s := newFakeRegistry(), newMemory()
	for i := range cards {
		f.put(fmt.Sprintf("site-number-%05d.test", i), object{"summary": strings.Repeat("x", 500)})
	}
	warm := fill(t, f, s)
	before := heap()
	m := open(t, f, s)
	used := heap() - before
	if n := m.Status()[0].Cards; n != cards {
		t.Fatalf("%d cards", n)
	}
	t.Logf("%d cards in %.1f MB", cards, float64(used)/1e6)
	if used > 40_000_000 {
		t.Errorf("%d octets for %d cards", used, cards)
	}
	if warm < cards {
		t.Errorf("%d requests for %d cards", warm, cards)
	}
	runtime.KeepAlive(m)
}

// fill reads all cards with a clock that runs a minute at each budget.
func fill(t *testing.T, f *fakeRegistry, s *memory) (requests int) {
	now := time.Now()
	clock := func(o *Options) { o.Clock = func() time.Time { return now } }
	m := open(t, f, s, clock)
	for minute := 0; minute%20 != 0 || m.Status()[0].Cards < len(f.cards); minute++ {
		if _, err := m.registries[0].advance(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		now = now.Add(budgetWindow + time.Second)
		if requests += len(f.requests()); requests > 3*len(f.cards) {
			t.Fatalf("%d requests, %d cards", requests, m.Status()[0].Cards)
		}
	}
	return requests
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func FuzzFeed(f *testing.F) {
	f.Add([]byte(`{"changes":[{"domain":"a.test","etag":null},{"domain":"b.test","etag":"W/\"x\""}],"cursor":"q","more":true}`))
	f.Add([]byte(`{"changes":{}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		page, err := readFeed(raw)
		if err != nil && len(page.changes) > 0 {
			t.Fatal("changes beside an error")
		}
		for _, c := range page.changes {
			if c.domain == "" || strings.ContainsAny(c.domain, "/ \n\t?#") || c.gone && c.etag != "" {
				t.Fatalf("%+v", c)
			}
		}
	})
}

func FuzzList(f *testing.F) {
	f.Add([]byte(`{"snapshot":"/s","changes":"https://rogue.test/","next":"?p=2","listed":[{"domain":"a.test","href":"//x/y"}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := New(Options{Registries: []string{origin}})
		if err != nil {
			t.Fatal(err)
		}
		l, err := m.registries[0].readList(origin+pathIndex, raw)
		if err != nil {
			return
		}
		urls := []string{l.snapshot, l.changes, l.next}
		for _, d := range l.domains {
			urls = append(urls, d.href)
		}
		for _, u := range urls {
			if u != "" && u != origin && !strings.HasPrefix(u, origin+"/") && !strings.HasPrefix(u, origin+"?") {
				t.Fatalf("BC-C-020 %q", u)
			}
		}
	})
}

func FuzzStoredCard(f *testing.F) {
	f.Add([]byte("{\"status\":2,\"due\":\"2026-11-30T12:00:00Z\"}\n{\"domain\":\"a.test\"}"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		n, ok := decodeCard(raw)
		if !ok {
			return
		}
		m, err := New(Options{Registries: []string{origin}})
		if err != nil {
			t.Fatal(err)
		}
		e := &entry{listed: true}
		m.registries[0].place(e, "a.test", n)
		if len(e.copy) > 1 || len(e.copy) == 1 && e.copy[0].Domain != "a.test" && e.copy[0].HasCard() {
			t.Fatalf("%+v", e)
		}
	})
}

func BenchmarkLookup(b *testing.B) {
	f, s := newFakeRegistry(), newMemory()
	for i := range 15 {
		f.put(fmt.Sprintf("d%d.test", i), nil)
	}
	m := open(b, f, s)
	syncNow(b, m, "d1.test")
	b.ReportAllocs()
	for b.Loop() {
		if len(m.Lookup("d1.test")) != 1 || m.Lookup("none.test") != nil {
			b.Fatal("lookup")
		}
	}
}
