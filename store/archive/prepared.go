package archive

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// Prepared is a visit ready to be appended. It is used once: by Append, or by
// Discard if it is not wanted after all.
type Prepared struct {
	owner *Archive
	buf   *bytes.Buffer // all members, or those after the spooled one
	spool *os.File      // the first member, if it is large
	spent atomic.Bool   // a second Append or Discard does nothing

	spoolBytes int64
	firstBytes int64 // length of the first member: what the index points to

	line     *capture // nil: not in the index
	location string   // where the body is; "" until known
	store    bool     // the body is in the first member
	key      payloadKey
	self     Reference
}

// Location tells, after Append, where the body is stored as
// file:offset:length. It is "" if no body was stored or referred to, as for a
// 304 or a failure.
func (p *Prepared) Location() string { return p.location }

// Bytes is what Append will write, in octets.
func (p *Prepared) Bytes() int64 { return p.spoolBytes + int64(p.buf.Len()) }

// Discard frees what a Prepared holds. It does nothing after Append.
func (p *Prepared) Discard() {
	if p.spent.CompareAndSwap(false, true) {
		p.release()
	}
}

func (p *Prepared) release() {
	if p.spool != nil {
		p.spool.Close()
		os.Remove(p.spool.Name()) // what stays is removed by the next Open
		p.spool = nil
	}
	p.owner.buffers.Put(p.buf)
	p.buf = nil
}

// writeTo appends all members to w.
func (p *Prepared) writeTo(w io.Writer) error {
	if p.spool != nil {
		if _, err := p.spool.Seek(0, io.SeekStart); err != nil {
			return fmt.Errorf("rewind spool: %w", err)
		}
		n, err := io.Copy(w, p.spool)
		if err != nil {
			return err
		}
		if n != p.spoolBytes {
			return fmt.Errorf("spool of %d octets gave %d: %w", p.spoolBytes, n, io.ErrUnexpectedEOF)
		}
	}
	_, err := w.Write(p.buf.Bytes())
	return err
}
