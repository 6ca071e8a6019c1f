package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"heed/frontier"
	"heed/store/enginetest"
)

var errCrash = errors.New("crash")

// crashable is an engine that can stop as a kill would stop it.
type crashable struct{ *Engine }

func (c crashable) Crash() error {
	c.mu.Lock()
	c.failed, c.closed = errCrash, true
	c.queue.kick()
	c.wakeAll()
	c.mu.Unlock()
	<-c.stopped
	return c.db.Close()
}

func TestTheContract(t *testing.T) {
	enginetest.Run(t, func(t *testing.T, dir string, clock func() time.Time) frontier.Engine {
		path := filepath.Join(dir, "state.db")
		if _, err := os.Stat(path); err == nil {
			verify(t, path)
		}
		e, err := Open(path, Options{
			Clock: clock, Delay: func(string, []byte) time.Duration { return enginetest.Delay }, Seen: 1, noSync: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		return crashable{e}
	})
}

// verify fails unless the file is sound.
func verify(t testing.TB, path string) Check {
	t.Helper()
	c, err := Verify(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range c.Problems {
		t.Error(p)
	}
	return c
}
