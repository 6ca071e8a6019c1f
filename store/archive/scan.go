package archive

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/nlnwa/gowarc/v3"
)

// strict makes gowarc refuse what is not WARC/1.1 word for word, wrong digests
// included. What a server sent inside the block is not our fault.
func strict() []gowarc.WarcRecordOption {
	return []gowarc.WarcRecordOption{
		gowarc.WithSyntaxErrorPolicy(gowarc.ErrFail),
		gowarc.WithSpecViolationPolicy(gowarc.ErrFail),
		gowarc.WithUnknownRecordTypePolicy(gowarc.ErrFail),
		gowarc.WithBlockErrorPolicy(gowarc.ErrIgnore),
	}
}

// scan reads the records of a WARC file from an offset to its end at size, and
// sees to it that they cover all of it. Every record is valid only during its
// call.
func scan(path string, from, size int64, visit func(gowarc.Record) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("archive: scan: %w", err)
	}
	defer f.Close()
	r, err := gowarc.NewWarcFileReaderFromStream(io.NewSectionReader(f, 0, size), from, strict()...)
	if err != nil {
		return fmt.Errorf("archive: scan %s: %w", path, err)
	}
	defer r.Close()
	for at := from; at < size; {
		rec, err := r.Next()
		if err != nil {
			return fmt.Errorf("%w: %s at octet %d: %v", ErrDamaged, path, at, err)
		}
		if rec.Offset != at || rec.Size <= 0 {
			err = fmt.Errorf("%w: %s: record expected at octet %d stands at %d", ErrDamaged, path, at, rec.Offset)
		} else {
			err = visit(rec)
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

func (x *indexer) see(rec gowarc.Record) error {
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
		url := head.Get(gowarc.WarcTargetURI)
		if !plainURL(url) {
			return fmt.Errorf("%w: %s at octet %d: target %.200q", ErrDamaged, x.file, rec.Offset, url)
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
