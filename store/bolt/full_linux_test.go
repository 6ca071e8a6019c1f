package bolt

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"heed/frontier"
)

// fullDisk opens an engine in a folder that has room for 1 MiB, or skips.
func fullDisk(t *testing.T) *Engine {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	return openAt(t, filepath.Join(dir, "state.db"), Options{})
}

func TestAFullDiskStopsWritingAndLosesNothing(t *testing.T) {
	e := fullDisk(t)
	ctx := context.Background()
	known, path := 0, e.db.Path()
	var err error
	for i := 0; i < 1000 && err == nil; i++ {
		var all []frontier.Candidate
		for j := range 200 {
			all = append(all, candidate("a.test", fmt.Sprintf("/%d/%d", i, j)))
		}
		var n int
		n, err = e.Discover(ctx, all)
		known += n
	}
	wantErr(t, err, frontier.ErrFull, "no space")
	_, _, err = e.Claim(ctx, frontier.ClaimRequest{TTL: time.Minute})
	wantErr(t, err, frontier.ErrFull, "")
	wantErr(t, e.SaveNote(ctx, "k", "a", []byte("v")), frontier.ErrFull, "")
	if stats, err := e.Stats(ctx); err != nil || stats.Known != int64(known) {
		t.Errorf("reading: %d known, %v; want %d", stats.Known, err, known)
	}
	wantErr(t, e.Close(), frontier.ErrFull, "")
	if c := verify(t, path); c.URLs != int64(known) {
		t.Errorf("%d URLs in the file, %d acknowledged", c.URLs, known)
	}
}
