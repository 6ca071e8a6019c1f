package bolt

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heed/frontier"
	"heed/store/enginetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
		e, err := Open(filepath.Join(dir, "state.db"), Options{
			Clock: clock, Delay: func(string, []byte) time.Duration { return enginetest.Delay }, Seen: 1, noSync: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		return crashable{e}
	})
}
