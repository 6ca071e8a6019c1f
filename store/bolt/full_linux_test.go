package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"heed/frontier"
)

// smallDisk is a path in a folder that has room for so many octets, or skips.
func smallDisk(t *testing.T, bytes int64) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("a small file system cannot be mounted: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, 0) })
	return filepath.Join(dir, "state.db")
}

func TestAFullDiskStopsWritingAndLosesNothing(t *testing.T) {
	e := openAt(t, smallDisk(t, 1<<20), Options{})
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

func TestACompactionWithoutRoomLeavesTheFileAlone(t *testing.T) {
	whole, err := os.ReadFile(filled(t))
	if err != nil {
		t.Fatal(err)
	}
	path := smallDisk(t, int64(len(whole)+200_000))
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Compact(path)
	wantErr(t, err, frontier.ErrFull, "no space")
	if _, err := os.Stat(path + packedSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a copy is left: %v", err)
	}
	if c := verify(t, path); c.URLs != 3000 {
		t.Errorf("%d URLs", c.URLs)
	}
}
