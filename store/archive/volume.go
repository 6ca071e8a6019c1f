package archive

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"time"
)

const (
	suffixWARC  = ".warc.gz"
	suffixIndex = ".cdxj"
	suffixOpen  = ".open"
	markPrefix  = "archive/" // of the names of marks
)

// volume is one WARC file under construction with its index.
type volume struct {
	stem        string // file name without suffixes
	warc, index *os.File
	out, lines  *bufio.Writer
	size        int64 // octets appended
	synced      int64 // octets that are durable
	indexBytes  int64
	closed      bool
	scratch     []byte
}

func (v *volume) name() string { return v.stem + suffixWARC }

// newVolume creates the two files and writes the warcinfo record.
func (a *Archive) newVolume() (*volume, error) {
	var random [4]byte
	if _, err := io.ReadFull(a.options.Random, random[:]); err != nil {
		return nil, fmt.Errorf("archive: file name: %w", err)
	}
	now := a.options.Now().UTC()
	v := &volume{stem: fmt.Sprintf("%s-%s-%05d-%s", a.options.Prefix, now.Format(timestamp), a.serial, hex.EncodeToString(random[:]))}
	a.serial++
	var err error
	if v.warc, err = create(filepath.Join(a.options.Dir, v.name()+suffixOpen)); err != nil {
		return nil, err
	}
	if v.index, err = create(filepath.Join(a.options.IndexDir, v.stem+suffixIndex+suffixOpen)); err != nil {
		return nil, errors.Join(err, v.warc.Close())
	}
	v.out, v.lines = bufio.NewWriterSize(v.warc, 256<<10), bufio.NewWriterSize(v.index, 64<<10)
	if err := a.warcinfo(v, now); err != nil {
		return nil, errors.Join(fmt.Errorf("archive: warcinfo of %s: %w", v.name(), err), v.close())
	}
	return v, nil
}

func create(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("archive: create: %w", err)
	}
	return f, nil
}

// warcinfo is the first record of every file (WARC 1.1 §6.2).
func (a *Archive) warcinfo(v *volume, now time.Time) error {
	id, err := newRecordID(a.options.Random)
	if err != nil {
		return err
	}
	w := a.presses.Get().(*press)
	defer a.presses.Put(w)
	w.text = w.text[:0]
	w.line("software", a.options.Software)
	w.line("format", "WARC file version 1.1")
	w.line("conformsTo", "https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/")
	w.line("operator", a.options.Operator)
	w.line("robots", a.options.Robots)
	w.block.Reset()
	w.block.Write(w.text)
	w.begin("warcinfo", id, now.Format(warcDate))
	w.field("WARC-Filename", v.name())
	out := &countingWriter{w: v.out}
	if err := w.finish(out, typeFields, w.text, nil, 0); err != nil {
		return err
	}
	v.size = out.n
	return nil
}

// append copies a visit to the end and gives the place of its first member.
func (v *volume) append(p *Prepared) (offset int64, err error) {
	offset = v.size
	if err := p.writeTo(v.out); err != nil {
		return 0, err
	}
	v.size += p.Bytes()
	if p.line == nil {
		return offset, nil
	}
	v.scratch = p.line.appendLine(v.scratch[:0], p.firstBytes, offset, v.name())
	v.indexBytes += int64(len(v.scratch))
	_, err = v.lines.Write(v.scratch)
	return offset, err
}

func (v *volume) sync() error {
	if v.synced == v.size {
		return nil
	}
	if err := errors.Join(v.out.Flush(), v.lines.Flush()); err != nil {
		return err
	}
	if err := v.warc.Sync(); err != nil {
		return err
	}
	v.synced = v.size
	return nil
}

// close can be repeated.
func (v *volume) close() error {
	if v.closed {
		return nil
	}
	v.closed = true
	return errors.Join(v.warc.Close(), v.index.Close())
}

// stemOf takes a file name apart: ok tells whether it is one of ours.
func stemOf(name, prefix string) (stem string, serial int, open, ok bool) {
	m := volumeName.FindStringSubmatch(name)
	if m == nil || m[2] != prefix {
		return "", 0, false, false
	}
	for _, c := range m[3] {
		serial = serial*10 + int(c-'0')
	}
	return m[1], serial, m[5] != "", true
}

var volumeName = regexp.MustCompile(`^(([A-Za-z0-9_]+)-\d{14}-(\d{5,9})-[0-9a-f]{8})\.(warc\.gz|cdxj)(\.open)?$`)
