package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nlnwa/gowarc/v3"
)

// maxProblems bounds the list in a report; all are counted.
const maxProblems = 100

// Report is what Verify found.
type Report struct {
	Files     int // WARC files read
	Records   int
	Captures  int   // index lines, each with its record
	Bytes     int64 // of WARC files
	OpenBytes int64 // of unfinished files behind their marks, or without one: not committed, not read
	Faults    int
	Problems  []Problem // the first maxProblems of them
}

// Problem is one thing that is wrong.
type Problem struct {
	File   string // name without folder
	Offset int64  // in the WARC file, -1 if it is about the file or the index
	What   string
}

func (p Problem) String() string {
	if p.Offset < 0 {
		return p.File + ": " + p.What
	}
	return fmt.Sprintf("%s at octet %d: %s", p.File, p.Offset, p.What)
}

func (r *Report) add(file string, offset int64, format string, args ...any) {
	if r.Faults++; len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, Problem{file, offset, fmt.Sprintf(format, args...)})
	}
}

// Verify reads every record of every file with a strict reader, checks all
// digests, and compares the index with the records in both directions. Of
// unfinished files it reads what is committed according to marks. A file that
// is broken is left at the broken record; the others are read to their end. An
// error is about reading, not about what was read.
func Verify(ctx context.Context, dir, indexDir string, marks map[string]int64) (Report, error) {
	var r Report
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("archive: verify: %w", err)
	}
	stems := make(map[string]bool)
	for _, e := range entries {
		m := volumeName.FindStringSubmatch(e.Name())
		if m == nil || m[4] != suffixWARC[1:] {
			continue
		}
		stem, open := m[1], m[5] != ""
		stems[stem] = true
		info, err := e.Info()
		if err != nil {
			return r, fmt.Errorf("archive: verify: %w", err)
		}
		v := verifier{report: &r, file: stem + suffixWARC, size: info.Size()}
		if mark, marked := marks[markPrefix+v.file]; open || marked {
			if v.size < mark {
				r.add(v.file, v.size, "the file ends here, %d octets were committed", mark)
				continue
			}
			r.OpenBytes += v.size - mark
			v.size = mark
		}
		if !open {
			if err := v.loadIndex(indexDir, stem); err != nil {
				return r, err
			}
		}
		if err := v.records(ctx, filepath.Join(dir, e.Name())); err != nil {
			return r, err
		}
	}
	return r, r.strayIndexes(indexDir, stems)
}

// strayIndexes looks for an index whose WARC file is not there.
func (r *Report) strayIndexes(indexDir string, stems map[string]bool) error {
	entries, err := os.ReadDir(indexDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("archive: verify: %w", err)
	}
	for _, e := range entries {
		if m := volumeName.FindStringSubmatch(e.Name()); m != nil && m[4] == suffixIndex[1:] && m[5] == "" && !stems[m[1]] {
			r.add(e.Name(), -1, "index of a file that is not there")
		}
	}
	return nil
}

// verifier checks one WARC file.
type verifier struct {
	report *Report
	file   string
	size   int64
	lines  map[int64][]byte // index lines by offset; nil: there is no index to compare with
}

func (v *verifier) loadIndex(indexDir, stem string) error {
	text, err := os.ReadFile(filepath.Join(indexDir, stem+suffixIndex))
	if errors.Is(err, fs.ErrNotExist) {
		v.report.add(v.file, -1, "has no index")
		return nil
	}
	if err != nil {
		return fmt.Errorf("archive: verify: %w", err)
	}
	v.lines = make(map[int64][]byte)
	var before []byte
	for line := range bytes.Lines(text) {
		p, ok := placeOf(line)
		switch {
		case !ok || p.file != v.file:
			v.report.add(stem+suffixIndex, -1, "line of no use: %.200q", line)
			continue
		case bytes.Compare(before, line) > 0:
			v.report.add(stem+suffixIndex, -1, "not sorted at %.200q", line)
		case v.lines[p.offset] != nil:
			v.report.add(stem+suffixIndex, -1, "two lines for octet %d", p.offset)
		}
		before, v.lines[p.offset] = line, line
	}
	return nil
}

func (v *verifier) records(ctx context.Context, path string) error {
	r := v.report
	r.Files++
	r.Bytes += v.size
	x := indexer{file: v.file, emit: v.compare}
	first := true
	err := scan(path, 0, v.size, strict(), func(rec found) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if first {
			first = false
			v.checkInfo(rec)
		}
		r.Records++
		if err := v.checkPayload(rec); err != nil {
			return err
		}
		return x.see(rec)
	})
	if err == nil {
		err = x.flush()
	}
	switch {
	case errors.Is(err, ErrDamaged):
		r.add(v.file, -1, "%v", err)
		return nil // the lines behind the break have no records to be compared with
	case err != nil:
		return err
	case first && v.size > 0:
		r.add(v.file, 0, "has no records")
	}
	for offset := range v.lines {
		r.add(v.file, offset, "the index points here, but no response or revisit begins here")
	}
	return nil
}

func (v *verifier) checkInfo(rec found) {
	if name := rec.WarcRecord.WarcHeader().Get(gowarc.WarcFilename); rec.WarcRecord.Type() != gowarc.Warcinfo || name != v.file {
		v.report.add(v.file, 0, "begins with a %s that says %q", rec.WarcRecord.Type(), name)
	}
}

// checkPayload compares the SHA-256 of a payload; the SHA-1 ones were checked
// by the reader.
func (v *verifier) checkPayload(rec found) error {
	want := rec.WarcRecord.WarcHeader().Get(fieldSHA256)
	if rec.WarcRecord.Type() != gowarc.Response {
		return nil
	}
	payload, err := payloadOf(rec.WarcRecord)
	if err != nil {
		return fmt.Errorf("%w: payload at octet %d: %v", ErrDamaged, rec.Offset, err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, payload); err != nil {
		return fmt.Errorf("%w: payload at octet %d: %v", ErrDamaged, rec.Offset, err)
	}
	if got := hex.EncodeToString(h.Sum(nil)); !strings.EqualFold(got, want) {
		v.report.add(v.file, rec.Offset, "%s says %q, the payload has %s", fieldSHA256, want, got)
	}
	return nil
}

// compare looks for the index line of a record and crosses it off.
func (v *verifier) compare(offset int64, line []byte) error {
	if v.lines == nil {
		return nil
	}
	got, ok := v.lines[offset]
	delete(v.lines, offset)
	switch {
	case !ok:
		v.report.add(v.file, offset, "no index line for this record")
	case !bytes.Equal(got, line):
		v.report.add(v.file, offset, "index line is %.300q, the record gives %.300q", got, line)
	default:
		v.report.Captures++
	}
	return nil
}
