package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zstd"
)

const (
	segmentBytes = 64 << 20
	// maxSegmentBytes refuses a compressed segment that cannot be ours: a
	// segment outgrows segmentBytes by one commit group at most.
	maxSegmentBytes = 1 << 30

	markPrefix     = "ledger/" // of the names of marks
	suffixZstd     = ".zst"
	suffixTemp     = ".tmp"
	suffixUnmarked = ".unmarked"
)

var segmentName = regexp.MustCompile(`^(\d{6,9})\.jsonl(\.zst)?$`)

func plainName(number int) string { return fmt.Sprintf("%06d.jsonl", number) }

func markName(number int) string { return markPrefix + plainName(number) }

// segment is a file, or two while compression is under way.
type segment struct {
	number       int
	plain, small bool // NUMBER.jsonl is there, NUMBER.jsonl.zst is there
}

// segments lists what a folder holds, oldest first. A folder that is not there
// holds nothing.
func segments(dir string) ([]segment, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("ledger: list: %w", err)
	}
	var list []segment
	for _, e := range entries { // ReadDir sorts by name; numbers are checked below
		m := segmentName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		number, err := strconv.Atoi(m[1])
		if err != nil || number < 1 || plainName(number) != m[1]+".jsonl" {
			continue
		}
		i, found := slices.BinarySearchFunc(list, number, func(s segment, n int) int { return s.number - n })
		if !found {
			list = slices.Insert(list, i, segment{number: number})
		}
		if m[2] == "" {
			list[i].plain = true
		} else {
			list[i].small = true
		}
	}
	return list, nil
}

// openSegment reads a segment in plain form, whichever form it has. The name
// is that of the file.
func openSegment(dir string, number int) (r io.ReadCloser, name string, err error) {
	name = plainName(number)
	f, err := os.Open(filepath.Join(dir, name))
	if err == nil {
		return f, name, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, name, fmt.Errorf("ledger: open segment: %w", err)
	}
	name += suffixZstd
	if f, err = os.Open(filepath.Join(dir, name)); err != nil {
		return nil, name, fmt.Errorf("ledger: open segment: %w", err)
	}
	d, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, name, errors.Join(fmt.Errorf("ledger: open segment %s: %w", name, err), f.Close())
	}
	return &unpacked{d: d, left: maxSegmentBytes, file: f}, name, nil
}

// unpacked is a compressed segment, read.
type unpacked struct {
	d    *zstd.Decoder
	left int64
	file *os.File
}

func (u *unpacked) Read(b []byte) (int, error) {
	n, err := u.d.Read(b)
	if u.left -= int64(n); u.left < 0 {
		return 0, fmt.Errorf("%w: more than %d octets", ErrDamaged, int64(maxSegmentBytes))
	}
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return n, err
}

func (u *unpacked) Close() error {
	u.d.Close()
	return u.file.Close()
}

// compress puts the compressed form in the place of a plain segment. It can be
// repeated after a crash at any point: as long as the plain file is there, it
// is the one that counts.
func compress(dir string, number int) error {
	plain := filepath.Join(dir, plainName(number))
	temp, small := plain+suffixZstd+suffixTemp, plain+suffixZstd
	if err := compressInto(temp, plain); err != nil {
		return fmt.Errorf("ledger: compress: %w", err)
	}
	if err := os.Rename(temp, small); err != nil {
		return fmt.Errorf("ledger: compress: %w", err)
	}
	if err := syncFolder(dir); err != nil {
		return err
	}
	if err := os.Remove(plain); err != nil {
		return fmt.Errorf("ledger: compress: %w", err)
	}
	return nil
}

func compressInto(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	e, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return err
	}
	if _, err := io.Copy(e, bufio.NewReaderSize(in, 1<<20)); err != nil {
		return errors.Join(err, e.Close())
	}
	if err := e.Close(); err != nil {
		return err
	}
	return out.Sync()
}

func syncFolder(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("ledger: sync folder: %w", err)
	}
	return errors.Join(d.Sync(), d.Close())
}
