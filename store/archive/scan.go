package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/nlnwa/gowarc/v3"
)

// strict makes gowarc look for everything that is not WARC/1.1 word for word,
// wrong digests included; see faultOf. What a server sent inside the block is
// not our fault.
func strict() []gowarc.WarcRecordOption {
	return []gowarc.WarcRecordOption{
		gowarc.WithSyntaxErrorPolicy(gowarc.ErrWarn),
		gowarc.WithSpecViolationPolicy(gowarc.ErrWarn),
		gowarc.WithUnknownRecordTypePolicy(gowarc.ErrFail),
		gowarc.WithBlockErrorPolicy(gowarc.ErrIgnore),
	}
}

// framing makes gowarc look for the bounds of records only, without their
// digests: enough to find our own records again.
func framing() []gowarc.WarcRecordOption {
	return append(strict(), gowarc.WithSpecViolationPolicy(gowarc.ErrIgnore))
}

// faultOf gives the first finding about a record that counts, nil if there is
// none. Two do not, for a stranger's link must not make an archive look damaged:
// gowarc's URL parser refuses hosts that occur in links (a last label of 20
// digits and a letter), and gowarc decodes RFC 2047 encoded words everywhere,
// which fails for a query like ?=?a?q?b?=. The field is then empty or gone; see
// targetOf.
func faultOf(validation []error) error {
	for _, err := range validation {
		var field *gowarc.HeaderFieldError
		if errors.As(err, &field) && (field.FieldName == gowarc.WarcTargetURI || field.FieldName == gowarc.WarcRefersToTargetURI) {
			continue
		}
		var syntax *gowarc.SyntaxError
		if errors.As(err, &syntax) && strings.HasPrefix(syntax.Msg, "error decoding line") {
			continue
		}
		return err
	}
	return nil
}

// targetOf reads the WARC-Target-URI of a member word for word. gowarc empties
// the field if its URL parser refuses the value, and decodes what looks like an
// RFC 2047 encoded word, which a query may well do.
func targetOf(member io.Reader) (string, error) {
	z, err := gzip.NewReader(member)
	if err != nil {
		return "", err
	}
	defer z.Close()
	in := bufio.NewReaderSize(io.LimitReader(z, maxURLBytes+maxHeadBytes), 2*maxURLBytes)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return "", fmt.Errorf("record head: %w", err)
		}
		name, value, _ := bytes.Cut(line, []byte{':'})
		if len(name) == len(gowarc.WarcTargetURI) && strings.EqualFold(string(name), gowarc.WarcTargetURI) {
			url := string(bytes.TrimSpace(value))
			if !plainURL(url) {
				return "", fmt.Errorf("target %.200q", url)
			}
			return url, nil
		}
		if isEmptyLine(line) {
			return "", errors.New("no target")
		}
	}
}

// found is a record where it was found.
type found struct {
	gowarc.Record
	file io.ReaderAt
}

// member opens the octets of the record.
func (f found) member() io.Reader { return io.NewSectionReader(f.file, f.Offset, f.Size) }

// scan reads the records of a WARC file from an offset to its end at size, and
// sees to it that they cover all of it. Every record is valid only during its
// call.
func scan(path string, from, size int64, rigour []gowarc.WarcRecordOption, visit func(found) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("archive: scan: %w", err)
	}
	defer f.Close()
	r, err := gowarc.NewWarcFileReaderFromStream(io.NewSectionReader(f, 0, size), from, rigour...)
	if err != nil {
		return fmt.Errorf("archive: scan %s: %w", path, err)
	}
	defer r.Close()
	for at := from; at < size; {
		rec, err := r.Next()
		if err != nil {
			return fmt.Errorf("%w: %s at octet %d: %v", ErrDamaged, path, at, err)
		}
		if fault := faultOf(rec.Validation); fault != nil {
			err = fmt.Errorf("%w: %s at octet %d: %v", ErrDamaged, path, at, fault)
		} else if rec.Offset != at || rec.Size <= 0 {
			err = fmt.Errorf("%w: %s: record expected at octet %d stands at %d", ErrDamaged, path, at, rec.Offset)
		} else {
			err = visit(found{rec, f})
		}
		if err = errors.Join(err, rec.Close()); err != nil {
			return err
		}
		at += rec.Size
	}
	return nil
}

// indexer rebuilds index lines from records. A line is complete when the
// request behind its response was seen, so it is one record late.
type indexer struct {
	file    string
	emit    func(offset int64, line []byte) error
	waiting *capture
	id      string
	offset  int64
	length  int64
}

func (x *indexer) see(rec found) error {
	head := rec.WarcRecord.WarcHeader()
	switch rec.WarcRecord.Type() {
	case gowarc.Response, gowarc.Revisit:
		if err := x.flush(); err != nil {
			return err
		}
		date, err := time.Parse(time.RFC3339, head.Get(gowarc.WarcDate))
		if err != nil {
			return fmt.Errorf("%w: %s at octet %d: date: %v", ErrDamaged, x.file, rec.Offset, err)
		}
		url, err := targetOf(rec.member())
		if err != nil {
			return fmt.Errorf("%w: %s at octet %d: %v", ErrDamaged, x.file, rec.Offset, err)
		}
		x.waiting = newCapture(url, date.UTC().Format(timestamp), protocolHead(rec.WarcRecord),
			head.Get(gowarc.WarcPayloadDigest), rec.WarcRecord.Type() == gowarc.Revisit)
		x.id, x.offset, x.length = rec.WarcRecord.RecordId(), rec.Offset, rec.Size
	case gowarc.Request:
		if x.waiting != nil && head.GetId(gowarc.WarcConcurrentTo) == x.id {
			x.waiting.setMethod(protocolHead(rec.WarcRecord))
		}
	}
	return nil
}

func (x *indexer) flush() error {
	if x.waiting == nil {
		return nil
	}
	line := x.waiting.appendLine(nil, x.length, x.offset, x.file)
	x.waiting = nil
	return x.emit(x.offset, line)
}

// protocolHead gives the HTTP head in a block, nil if there is none.
func protocolHead(rec gowarc.WarcRecord) []byte {
	if b, ok := rec.Block().(gowarc.ProtocolHeaderBlock); ok {
		return b.ProtocolHeaderBytes()
	}
	return nil
}

// payloadOf opens the payload of a record, empty if it has none.
func payloadOf(rec gowarc.WarcRecord) (io.Reader, error) {
	if b, ok := rec.Block().(gowarc.PayloadBlock); ok {
		return b.PayloadBytes()
	}
	return bytes.NewReader(nil), nil
}
