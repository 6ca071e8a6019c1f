package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heed/registry/card"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const origin = "https://registry.test"

type object = map[string]any

// fakeRegistry answers like a registry, from memory, with the clock of the test.
type fakeRegistry struct {
	mu        sync.Mutex
	cards     map[string]object
	tags      map[string]string
	bodies    map[string][]byte
	order     []string // domains in the order of their last change
	gone      map[string]bool
	dropped   int // changes before this one are forgotten
	overrides map[string]func(Request) (Answer, error)
	pageSize  int // of the feed, 0 is all
	log       []string
	sent      []time.Time
}

func newFakeRegistry(domains ...string) *fakeRegistry {
	f := &fakeRegistry{cards: map[string]object{}, tags: map[string]string{}, bodies: map[string][]byte{}, gone: map[string]bool{}, overrides: map[string]func(Request) (Answer, error){}}
	for _, d := range domains {
		f.put(d, nil)
	}
	return f
}

// put writes a card; changes replace members of a proven one that grants all.
func (f *fakeRegistry) put(domain string, changes object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := object{"botcentral": "1.1", "domain": domain, "canonical": "https://" + domain, "name": domain, "allow_bots": true,
		"allow": []string{}, "deny": []string{}, "pages": []object{{"url": "https://" + domain + "/", "rel": "home", "score": 80}},
		"verification": object{"method": "dns-txt", "checked": time.Now().UTC().Format(time.RFC3339)},
		"consent":      object{"retrieve": true, "train": true, "act": true, "tdm": "open"}}
	maps.Copy(c, changes)
	f.cards[domain], f.tags[domain] = c, tag(c)
	f.bodies[domain], _ = json.Marshal(c)
	delete(f.gone, domain)
	f.touch(domain)
}

func (f *fakeRegistry) remove(domain string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.cards, domain)
	f.gone[domain] = true
	f.touch(domain)
}

func (f *fakeRegistry) touch(domain string) { f.order = append(f.order, domain) }

func (f *fakeRegistry) override(path string, answer func(Request) (Answer, error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.overrides[path] = answer; answer == nil {
		delete(f.overrides, path)
	}
}

func status(code int, fields ...string) func(Request) (Answer, error) {
	return func(Request) (Answer, error) {
		a := Answer{Status: code, Header: http.Header{}}
		for i := 0; i < len(fields); i += 2 {
			a.Header.Set(fields[i], fields[i+1])
		}
		return a, nil
	}
}

func body(text string, fields ...string) func(Request) (Answer, error) {
	return func(q Request) (Answer, error) {
		a, _ := status(200, fields...)(q)
		a.Body = []byte(text)
		return a, nil
	}
}

// requests lists the paths asked for since the last call.
func (f *fakeRegistry) requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

func (f *fakeRegistry) Get(ctx context.Context, q Request) (Answer, error) {
	f.mu.Lock()
	u, err := url.Parse(q.URL)
	if err != nil || u.Scheme != "https" || "https://"+u.Host != origin && u.Host != "second.test" {
		f.mu.Unlock()
		return Answer{}, fmt.Errorf("asked for %s", q.URL)
	}
	line := u.RequestURI()
	if q.ETag != "" {
		line += " if " + q.ETag
	}
	f.log = append(f.log, line)
	f.sent = append(f.sent, time.Now())
	override := f.overrides[u.Path]
	f.mu.Unlock()
	if override != nil {
		return override(q)
	}
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case u.Path == pathIndex:
		var listed []object
		for _, d := range slices.Sorted(maps.Keys(f.cards)) {
			listed = append(listed, object{"domain": d, "name": d, "href": "/v1/site/" + d})
		}
		return answer(q, object{"botcentral": "1.1", "snapshot": origin + pathSnapshot, "changes": origin + pathChanges, "listed": listed}), nil
	case u.Path == pathSnapshot:
		return answer(q, object{"snapshot": f.hash(), "count": len(f.cards)}), nil
	case u.Path == pathChanges:
		return f.changes(q, u.Query().Get("since")), nil
	case strings.HasPrefix(u.Path, pathCard):
		d := strings.TrimPrefix(u.Path, pathCard)
		if _, ok := f.cards[d]; ok {
			return served(q, f.bodies[d], f.tags[d]), nil
		}
	}
	return Answer{Status: 404, Header: http.Header{}, Body: []byte(`{"error":"not listed"}`)}, nil
}

func (f *fakeRegistry) hash() string {
	var b strings.Builder
	for _, d := range slices.Sorted(maps.Keys(f.cards)) {
		b.WriteString(d + f.tags[d])
	}
	return "sha256:" + hexOf(b.String())
}

func (f *fakeRegistry) changes(q Request, since string) Answer {
	from := 0
	if since != "" {
		n, err := strconv.Atoi(since)
		if err != nil || n < f.dropped || n > len(f.order) {
			return Answer{Status: 410, Header: http.Header{}}
		}
		from = n
	}
	end := len(f.order)
	if f.pageSize > 0 {
		end = min(end, from+f.pageSize)
	}
	list := []object{}
	for _, d := range f.order[from:end] {
		if _, ok := f.cards[d]; ok {
			list = append(list, object{"domain": d, "etag": f.tags[d]})
		} else {
			list = append(list, object{"domain": d, "etag": nil})
		}
	}
	return answer(q, object{"changes": list, "cursor": strconv.Itoa(end), "more": end < len(f.order)})
}

func hexOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

func tag(v any) string {
	raw, _ := json.Marshal(v)
	return hexOf(string(raw))
}

func answer(q Request, v any) Answer {
	raw, _ := json.Marshal(v)
	return served(q, raw, hexOf(string(raw)))
}

// served is an answer with a strong entity tag, or a 304.
func served(q Request, raw []byte, tag string) Answer {
	etag := `"` + tag + `"`
	a := Answer{Status: 200, Header: http.Header{"Etag": {etag}, "Date": {time.Now().UTC().Format(http.TimeFormat)}}, Body: raw}
	if q.ETag == etag {
		a.Status, a.Body = 304, nil
	}
	return a
}

var errFull = errors.New("disk full")

// memory is a store that can be made to fail after some saves.
type memory struct {
	mu    sync.Mutex
	notes map[string][]byte
	saves int // left before all fail, if not negative
}

func newMemory() *memory { return &memory{notes: map[string][]byte{}, saves: -1} }

func (s *memory) LoadNote(_ context.Context, kind, key string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes[kind+"\x00"+key]), nil
}

func (s *memory) SaveNote(_ context.Context, kind, key string, value []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.saves == 0 {
		return errFull
	}
	s.saves--
	if s.notes[kind+"\x00"+key] = slices.Clone(value); value == nil {
		delete(s.notes, kind+"\x00"+key)
	}
	return nil
}

func (s *memory) ListNotes(_ context.Context, kind, cursor string, limit int) (notes []Note, next string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range slices.Sorted(maps.Keys(s.notes)) {
		key, ok := strings.CutPrefix(k, kind+"\x00")
		if !ok || key <= cursor && cursor != "" {
			continue
		}
		if len(notes) == limit {
			return notes, notes[limit-1].Key, nil
		}
		notes = append(notes, Note{Key: key, Value: s.notes[k]})
	}
	return notes, "", nil
}

// open is a process that starts over a store.
func open(t testing.TB, g Getter, s Store, change ...func(*Options)) *Mirror {
	t.Helper()
	o := Options{Registries: []string{origin}, Tokens: []string{"heed"}, Getter: g, Store: s, Fortune: func() float64 { return 0 }}
	for _, c := range change {
		c(&o)
	}
	m, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return m
}

func syncNow(t testing.TB, m *Mirror, wanted ...string) {
	t.Helper()
	for _, d := range wanted {
		m.Want(d)
	}
	if err := m.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// held is the only copy of a domain.
func held(t testing.TB, m *Mirror, domain string) card.Held {
	t.Helper()
	h := m.Lookup(domain)
	if len(h) != 1 {
		t.Fatalf("%s: %d copies", domain, len(h))
	}
	return h[0]
}
