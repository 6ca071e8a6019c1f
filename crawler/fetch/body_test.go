package fetch

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

func TestALargeBodyGoesToDiskAndLeavesNoFile(t *testing.T) {
	page := mixed(200 << 10)
	coded := encode(t, "gzip", page)
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		wire []byte
		head string
	}{{"coded", coded, "gzip"}, {"plain", page, "identity"}} {
		url, _ := scripted(t, say(answer(tt.head, tt.wire)))
		c := newClient(t, func(o *Options) { o.SpoolDir = dir; o.Limits.MemoryBodyBytes = 4 << 10 })
		x, body := get(t, c, Request{URL: url, WantRaw: true})
		raw, err := io.ReadAll(x.RawBody.Reader())
		if err != nil || body != string(page) || !bytes.Equal(raw, tt.wire) || !x.Body.Spooled() || !x.RawBody.Spooled() {
			t.Errorf("%s: %d octets, raw %d, spooled %v %v, %v", tt.name, len(body), len(raw), x.Body.Spooled(), x.RawBody.Spooled(), err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
			t.Errorf("%s: files %v, %v", tt.name, files, err)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
		if _, err := x.Body.Reader().Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: read after close: %v", tt.name, err)
		}
	}
}

func TestASpoolFolderThatIsMissingIsALocalFault(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(mixed(100 << 10)) })
	c := newClient(t, func(o *Options) { o.SpoolDir = t.TempDir() + "/none"; o.Limits.MemoryBodyBytes = kib })
	_, err := do(t, c, Request{URL: url})
	if wantKind(t, err, KindSpool); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("%v does not hold the cause", err)
	}
}

func TestABodySharedWithTheRawOneLivesUntilBothAreClosed(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("page")) })
	c := newClient(t, nil)
	x, _ := get(t, c, Request{URL: url, WantRaw: true})
	all := c.budget.total
	x.Body.Close()
	x.Body.Close() // must not count twice
	if raw, err := x.RawBody.Bytes(10); err != nil || string(raw) != "page" || c.budget.sem.TryAcquire(all) {
		t.Errorf("raw %q, %v, or the budget was given back early", raw, err)
	}
	x.RawBody.Close()
	if !c.budget.sem.TryAcquire(all) {
		t.Error("budget was not given back")
	}
}

func TestANilBodyIsEmpty(t *testing.T) {
	var b *Body
	p, err := b.Bytes(0)
	rest, rerr := io.ReadAll(b.Reader())
	if b.Len() != 0 || len(p) != 0 || err != nil || len(rest) != 0 || rerr != nil || b.Close() != nil || b.Spooled() {
		t.Error("a nil body is not empty")
	}
	if (*Exchange)(nil).Close() != nil {
		t.Error("a nil exchange does not close")
	}
}

func TestBytesRefusesMoreThanAskedFor(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("12345")) })
	x, _ := get(t, newClient(t, nil), Request{URL: url})
	if _, err := x.Body.Bytes(4); !errors.Is(err, ErrBodyTooLarge) {
		t.Errorf("error %v", err)
	}
	if p, err := x.Body.Bytes(5); err != nil || string(p) != "12345" {
		t.Errorf("%q, %v", p, err)
	}
}

func TestTheSinkReturnsWhatWasWritten(t *testing.T) {
	dir, buffers := t.TempDir(), newBufferPool()
	rapid.Check(t, func(rt *rapid.T) {
		memory := rapid.Int64Range(0, 200).Draw(rt, "memory")
		parts := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 100), 0, 8).Draw(rt, "parts")
		s := newSink(buffers, dir, memory)
		var want []byte
		for _, p := range parts {
			want = append(want, p...)
			if err := s.write(p); err != nil {
				rt.Fatal(err)
			}
		}
		b := newBody(s.finish(nil))
		defer b.Close()
		got, err := io.ReadAll(b.Reader())
		if err != nil || !bytes.Equal(got, want) || b.Spooled() != (int64(len(want)) > memory) {
			rt.Fatalf("wrote %d, got %d, spooled %v, %v", len(want), len(got), b.Spooled(), err)
		}
	})
}

func TestBodiesInFlightStayUnderTheBudget(t *testing.T) {
	page := mixed(40 << 10)
	url := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(page) })
	const limit = 64 << 10
	c := newClient(t, func(o *Options) { o.BodyBudgetBytes = 4 * limit; o.Limits.MemoryBodyBytes = limit })
	var wg sync.WaitGroup
	var mu sync.Mutex
	var held, most int64
	for range 40 {
		wg.Go(func() {
			x, err := c.Do(t.Context(), Request{URL: url})
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			held += x.Body.Len()
			most = max(most, held)
			mu.Unlock()
			runtime.Gosched() // let others come in while this one holds its body
			mu.Lock()
			held -= x.Body.Len()
			mu.Unlock()
			if err := x.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if most > c.budget.total || !c.budget.sem.TryAcquire(c.budget.total) {
		t.Errorf("%d octets held at once of %d, or some not given back", most, c.budget.total)
	}
}
