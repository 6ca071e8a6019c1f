package bolt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"

	"heed/frontier"
)

// Layout of the head of a bbolt file: two meta pages, each with its own
// checksum. Numbers are in the byte order of the machine.
const (
	pageHeader  = 16
	metaBytes   = 64
	metaMagic   = 0xED0CDAED
	offPageSize = 8
	offPages    = 40 // high-water mark in pages
	offTx       = 48
	offChecksum = 56
)

// intact tells the size of the file, 0 if there is none, and refuses one that
// is shorter than its own head says: bbolt maps it and would be killed by a
// signal on the first page that is not there.
func intact(path string) (int64, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	if info.Mode().IsRegular() && size == 0 {
		return 0, nil
	}
	need, ok := needed(f)
	if !ok {
		return 0, fmt.Errorf("%w: neither copy of its head is valid; %s", frontier.ErrDamaged, advice)
	}
	if size < need {
		return 0, fmt.Errorf("%w: it was cut off, %d of %d octets are there; %s", frontier.ErrDamaged, size, need, advice)
	}
	return size, nil
}

// needed is the number of octets in use according to the newest valid meta page.
func needed(f io.ReaderAt) (bytes int64, ok bool) {
	var newest uint64
	try := func(off int64) (pageSize int64) {
		var b [metaBytes]byte
		if _, err := f.ReadAt(b[:], off+pageHeader); err != nil {
			return 0
		}
		sum := fnv.New64a()
		sum.Write(b[:offChecksum])
		n := binary.NativeEndian
		if n.Uint32(b[:]) != metaMagic || n.Uint64(b[offChecksum:]) != sum.Sum64() {
			return 0
		}
		pageSize = int64(n.Uint32(b[offPageSize:]))
		pages := n.Uint64(b[offPages:])
		if pageSize <= 0 || pages > uint64(1<<62/pageSize) {
			return 0
		}
		if tx := n.Uint64(b[offTx:]); !ok || tx > newest {
			newest, bytes, ok = tx, int64(pages)*pageSize, true
		}
		return pageSize
	}
	if size := try(0); size > 0 {
		try(size)
		return bytes, ok
	}
	// The first page is torn: the second stands one page further, whatever a page is.
	for size := int64(1 << 10); size <= 1<<16 && !ok; size <<= 1 {
		try(size)
	}
	return bytes, ok
}
