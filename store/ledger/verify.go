package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Report is what Verify found.
type Report struct {
	Segments  int
	Entries   uint64 // sound lines
	Bytes     int64  // of sound lines, in plain form
	First     uint64 // seq of the first line; above 1 if older segments were moved away
	Last      uint64
	LastHash  string // to be kept elsewhere by whoever wants to pin the ledger
	TailBytes int64  // behind the mark of the open segment: not committed
	Broken    *Break // nil if the chain is sound
}

// Break is the first thing that is wrong.
type Break struct {
	File string // name without folder
	Line int    // counted from 1; 0 if it is about the file
	What string
}

func (b *Break) String() string { return fmt.Sprintf("%s line %d: %s", b.File, b.Line, b.What) }

// Verify goes through the whole chain and stops at the first line that breaks
// it. With marks it also sees lines that are missing at the end, and leaves out
// what is not committed; without, a torn last line counts as not committed. An
// error is about reading, not about what was read.
func Verify(ctx context.Context, dir string, marks map[string]int64) (Report, error) {
	var r Report
	list, err := segments(dir)
	if err != nil {
		return r, err
	}
	newest, mark := newestMark(marks)
	v := verifier{report: &r, tip: origin()}
	for i, s := range list {
		if newest > 0 && s.number > newest {
			break
		}
		if i > 0 && s.number != list[i-1].number+1 {
			r.Broken = &Break{plainName(list[i-1].number + 1), 0, "segment is missing"}
			return r, nil
		}
		limit := int64(-1)
		if s.number == newest {
			limit = mark
		}
		last := i == len(list)-1
		if err := v.segment(ctx, dir, s, limit, last); err != nil || r.Broken != nil {
			return r, err
		}
	}
	if newest > 0 && (len(list) == 0 || list[len(list)-1].number < newest) {
		r.Broken = &Break{plainName(newest), 0, "segment with committed lines is missing"}
	}
	return r, nil
}

type verifier struct {
	report *Report
	tip    link
}

// segment checks one segment up to limit octets, -1 for all of it.
func (v *verifier) segment(ctx context.Context, dir string, s segment, limit int64, last bool) error {
	in, name, err := openSegment(dir, s.number)
	if err != nil {
		return err
	}
	defer in.Close()
	v.report.Segments++
	broken := func(line int, format string, args ...any) error {
		v.report.Broken = &Break{name, line, fmt.Sprintf(format, args...)}
		return nil
	}
	var source io.Reader = in
	if limit >= 0 {
		source = io.LimitReader(in, limit)
	}
	lines, at := newLineReader(source), int64(0)
	for n := 1; ; n++ {
		if n&0x3ff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		text, err := lines.next()
		switch torn := int64(len(text)); {
		case err == nil:
		case errors.Is(err, ErrDamaged):
			return broken(n, "%v", err)
		case !errors.Is(err, io.EOF):
			return fmt.Errorf("ledger: verify %s: %w", name, err)
		case limit >= 0 && at+torn < limit:
			return broken(n, "the file ends at octet %d, %d were committed", at+torn, limit)
		case torn > 0 && (limit >= 0 || !last || !s.plain):
			return broken(n, "the line is cut off")
		case limit >= 0:
			v.report.TailBytes, err = io.Copy(io.Discard, in)
			return err
		default:
			v.report.TailBytes = torn
			return nil
		}
		if err := v.line(text, s.number); err != nil {
			return broken(n, "%v", err)
		}
		at += int64(len(text)) + 1
	}
}

func (v *verifier) line(text []byte, number int) error {
	r := v.report
	if r.Entries == 0 && number > 1 { // older segments are elsewhere: the first line at hand says where the chain begins
		own, prev, err := parts(text)
		if err != nil {
			return err
		}
		v.tip.seq = own.seq - 1
		copy(v.tip.hash[:], prev)
	}
	if err := v.tip.follow(text); err != nil {
		return err
	}
	if !json.Valid(text) {
		return errors.New("not JSON")
	}
	if r.Entries++; r.Entries == 1 {
		r.First = v.tip.seq
	}
	r.Bytes += int64(len(text)) + 1
	r.Last, r.LastHash = v.tip.seq, string(v.tip.hash[:])
	return nil
}
