package archive

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/nlnwa/gowarc/v3"
)

// maxMemberBytes bounds a location: far above any body that is ever kept.
const maxMemberBytes = 1 << 40

// Stored is a response read back.
type Stored struct {
	URL       string
	Date      time.Time // WARC-Date
	Head      []byte    // HTTP head as stored
	Status    int
	BodyBytes int64

	body   io.Reader
	record gowarc.WarcRecord
	file   *os.File
}

// Read gives the payload in its content coding.
func (s *Stored) Read(b []byte) (int, error) { return s.body.Read(b) }

// Close frees what Read needs.
func (s *Stored) Close() error { return errors.Join(s.record.Close(), s.file.Close()) }

// Read opens a stored response by what Append returned. Digests are checked
// before the first octet is handed out. The file may still be written to.
// ErrLocation if location is not one, ErrDamaged if there is no sound response.
func Read(dir, location string) (*Stored, error) {
	f, offset, length, err := openAt(dir, location)
	if err != nil {
		return nil, err
	}
	s, err := readAt(f, offset, length)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("archive: read %s: %w", location, err), f.Close())
	}
	return s, nil
}

// openAt opens the file of a location, finished or not.
func openAt(dir, location string) (f *os.File, offset, length int64, err error) {
	name, offset, length, err := parseLocation(location)
	if err != nil {
		return nil, 0, 0, err
	}
	f, err = os.Open(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		f, err = os.Open(filepath.Join(dir, name+suffixOpen))
	}
	if errors.Is(err, fs.ErrNotExist) { // renamed between the two
		f, err = os.Open(filepath.Join(dir, name))
	}
	if err != nil {
		return nil, 0, 0, fmt.Errorf("archive: read %s: %w", location, err)
	}
	return f, offset, length, nil
}

func readAt(f *os.File, offset, length int64) (*Stored, error) {
	in := bufio.NewReader(io.NewSectionReader(f, offset, length))
	rec, _, validation, err := gowarc.NewUnmarshaler(strict()...).Unmarshal(in)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if fault := faultOf(validation); fault != nil {
		return nil, errors.Join(fmt.Errorf("%w: %v", ErrDamaged, fault), rec.Close())
	}
	s := &Stored{record: rec, file: f, Head: protocolHead(rec)}
	if rec.Type() != gowarc.Response {
		return nil, errors.Join(fmt.Errorf("%w: the record is a %s", ErrDamaged, rec.Type()), rec.Close())
	}
	status, _ := readHead(s.Head)
	size, _ := rec.ContentLength()
	s.BodyBytes = size - int64(len(s.Head))
	s.Date, err = rec.Date()
	if err == nil {
		s.URL, err = targetOf(io.NewSectionReader(f, offset, length))
	}
	if err == nil {
		s.Status, err = strconv.Atoi(status)
	}
	if err == nil {
		s.body, err = payloadOf(rec)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%w: %v", ErrDamaged, err), rec.Close())
	}
	return s, nil
}

// parseLocation takes file:offset:length apart. A file is a bare name of ours:
// a location never leads out of the folder.
func parseLocation(location string) (file string, offset, length int64, err error) {
	file, rest, _ := strings.Cut(location, ":")
	at, size, _ := strings.Cut(rest, ":")
	m := volumeName.FindStringSubmatch(file)
	offset, err1 := strconv.ParseInt(at, 10, 64)
	length, err2 := strconv.ParseInt(size, 10, 64)
	if m == nil || m[4] != suffixWARC[1:] || m[5] != "" || err1 != nil || err2 != nil || offset < 0 || length <= 0 || length > maxMemberBytes {
		return "", 0, 0, fmt.Errorf("%w: %.200q", ErrLocation, location)
	}
	return file, offset, length, nil
}
