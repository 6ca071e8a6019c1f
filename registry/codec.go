package registry

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// siteCodec is the first octet of a stored site.
const siteCodec = 1

// The record of a domain: the codec, flags, the ETag, then variable-length
// integers (revision, sequence, times, window in seconds) and strings with
// their length before them, in the order of appendSite.
const (
	flagListed = 1 << iota
	flagStale
	flagValidated
	flagAdmitValidated
)

const (
	flagAllowBots = 1 << iota
	flagRetrieve
	flagTrain
	flagAct
	flagCite
)

func bit(set bool, flag byte) byte {
	if set {
		return flag
	}
	return 0
}

// appendSite writes the record of s; the domain is its key.
func appendSite(dst []byte, s *site) []byte {
	p, a, f := &s.proof, s.admission(), &s.facts
	dst = append(dst, siteCodec,
		bit(s.listed, flagListed)|bit(s.stale, flagStale)|bit(p.validated, flagValidated)|bit(a.validated, flagAdmitValidated),
		bit(f.allowBots, flagAllowBots)|bit(f.retrieve, flagRetrieve)|bit(f.train, flagTrain)|bit(f.act, flagAct)|bit(f.cite, flagCite),
		byte(p.method), byte(p.crawl), p.failures, byte(a.method), byte(a.crawl), f.pointers)
	dst = append(dst, s.etag[:]...)
	dst = binary.AppendUvarint(dst, s.rev)
	dst = binary.AppendUvarint(dst, s.seq)
	for _, i := range [...]instant{s.removed, s.updated, s.next, p.checked, p.proven, p.missed, a.at} {
		dst = binary.AppendVarint(dst, int64(i))
	}
	dst = binary.AppendUvarint(dst, uint64(s.window/time.Second))
	for _, text := range [...]string{s.publisher, p.holder, p.note, a.publisher, f.tdm} {
		dst = binary.AppendUvarint(dst, uint64(len(text)))
		dst = append(dst, text...)
	}
	for _, text := range [...]string{f.name, f.text, f.terms} {
		dst = binary.AppendUvarint(dst, uint64(len(text)))
	}
	return append(append(append(dst, f.name...), f.text...), f.terms...)
}

// words keeps one copy of each short text that many sites share.
type words map[string]string

func (w words) intern(text []byte) string {
	if kept, ok := w[string(text)]; ok { // does not allocate
		return kept
	}
	kept := string(text)
	if len(w) < 4096 {
		w[kept] = kept
	}
	return kept
}

// readSite reads what appendSite wrote. It keeps neither the record nor the
// domain it is given.
func readSite(domain string, record []byte, shared words) (*site, error) {
	r := recordReader{rest: record}
	head := r.take(9)
	s := new(site)
	copy(s.etag[:], r.take(len(s.etag)))
	s.rev, s.seq = r.uvarint(), r.uvarint()
	p, a, f := &s.proof, new(admission), &s.facts
	for _, i := range [...]*instant{&s.removed, &s.updated, &s.next, &p.checked, &p.proven, &p.missed, &a.at} {
		*i = instant(r.varint())
	}
	s.window = time.Duration(r.uvarint()) * time.Second
	for _, text := range [...]*string{&s.publisher, &p.holder, &p.note, &a.publisher, &f.tdm} {
		*text = shared.intern(r.text())
	}
	r.facts(f)
	// A catalog holds many names; one that begins the text is held once.
	if strings.HasPrefix(f.text, domain) {
		s.domain = f.text[:len(domain)]
	} else {
		s.domain = strings.Clone(domain)
	}
	if r.bad || len(r.rest) != 0 || head[0] != siteCodec ||
		head[3] > byte(DNSTXT) || head[4] > byte(CrawlNoRobots) || head[6] > byte(DNSTXT) || head[7] > byte(CrawlNoRobots) {
		return nil, fmt.Errorf("%w: record of %q", ErrDamaged, domain)
	}
	s.listed, s.stale = head[1]&flagListed != 0, head[1]&flagStale != 0
	p.validated, a.validated = head[1]&flagValidated != 0, head[1]&flagAdmitValidated != 0
	f.allowBots, f.retrieve, f.train = head[2]&flagAllowBots != 0, head[2]&flagRetrieve != 0, head[2]&flagTrain != 0
	f.act, f.cite = head[2]&flagAct != 0, head[2]&flagCite != 0
	p.method, p.crawl, p.failures = Method(head[3]), CrawlHealth(head[4]), head[5]
	a.method, a.crawl, f.pointers = Method(head[6]), CrawlHealth(head[7]), head[8]
	if *a != (admission{}) {
		s.admitted = a
	}
	return s, nil
}

// recordReader takes a record apart; after the first fault it gives zeros.
type recordReader struct {
	rest []byte
	bad  bool
}

func (r *recordReader) take(n int) []byte {
	if n > len(r.rest) {
		r.bad = true
		return make([]byte, min(n, 64))
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

func (r *recordReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *recordReader) varint() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *recordReader) text() []byte { return r.take(r.length()) }

func (r *recordReader) length() int {
	n := r.uvarint()
	if n > uint64(len(r.rest)) {
		r.bad = true
		return 0
	}
	return int(n)
}

// facts reads the texts of a card into one string.
func (r *recordReader) facts(f *facts) {
	name, text, terms := r.length(), r.length(), r.length()
	if name+text+terms > len(r.rest) {
		r.bad = true
		return
	}
	all := string(r.take(name + text + terms))
	f.name, f.text, f.terms = all[:name], all[name:name+text], all[name+text:]
}
