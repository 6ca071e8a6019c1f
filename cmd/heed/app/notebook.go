package app

import (
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"

	"heed/crawler"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/store/archive"
	"heed/store/ledger"
)

// notebook writes down what was done: records into the archive, lines into the
// ledger. Workers prepare both; the engine's writer appends them in the order of
// its commits.
type notebook struct {
	archive *archive.Archive // nil if nothing is archived
	dir     string           // of the archive
	ledger  *ledger.Ledger
	log     *slog.Logger

	conflicts conflictCounts // of this process

	broken atomic.Bool // a commit failed: what was appended since is not committed
}

var _ crawler.Sink = (*notebook)(nil)

func newNotebook(log *slog.Logger) *notebook { return &notebook{log: log} }

// page is the prepared trace of one visit.
type page struct {
	record   *archive.Prepared // nil if nothing is archived of it
	line     []byte
	location string
}

// Location is where the record went, "" if there is none.
func (p *page) Location() string { return p.location }

// outcome is the part of a ledger line that says what came of a visit.
type outcome struct {
	Kind    crawler.VisitKind `json:"kind"`
	URL     string            `json:"url"`
	State   string            `json:"state,omitempty"`
	Reason  string            `json:"reason,omitempty"`
	Status  int               `json:"status,omitempty"`
	SHA256  string            `json:"sha256,omitempty"`
	Wire    int64             `json:"bytes_wire,omitempty"`
	Decoded int64             `json:"bytes_decoded,omitempty"`
	Title   string            `json:"title,omitempty"`
	Failure string            `json:"failure,omitempty"`
	Via     string            `json:"via,omitempty"`
	Path    string            `json:"path,omitempty"`

	Conflicts []string `json:"conflicts,omitempty"` // kinds of contradictions in the decision
}

// Prepare makes the trace of a visit ready to be appended.
func (n *notebook) Prepare(v crawler.Visit) (frontier.Attachment, error) {
	p := &page{}
	o := outcome{Kind: v.Kind, URL: v.URL, Reason: v.Reason, Title: v.Title, Via: v.Item.Parent, Path: v.Item.Path}
	if v.State != frontier.Unknown {
		o.State = v.State.String()
	}
	if v.Err != nil {
		o.Failure = v.Err.Error()
	}
	if x := v.Exchange; x != nil {
		o.Status, o.Wire, o.Decoded = x.Status, x.WireBytes, x.DecodedBytes
		if x.DecodedBytes > 0 && v.Err == nil {
			o.SHA256 = hex.EncodeToString(x.SHA256[:])
		}
	}
	if v.Decision != nil {
		o.Conflicts = politeness.ConflictKinds(*v.Decision)
		n.conflicts.add(v.URL, o.Conflicts)
	}
	var err error
	if p.line, err = ledger.Marshal(ledger.Entry{Type: "visit", At: v.At, Decision: v.Decision, Outcome: o}); err != nil {
		return nil, fmt.Errorf("app: ledger line: %w", err)
	}
	if n.archive == nil || v.Exchange == nil {
		return p, nil
	}
	if p.record, err = n.archive.Build(n.recordOf(v)); err != nil {
		return nil, fmt.Errorf("app: archive record: %w", err)
	}
	return p, nil
}

// beforeCommit appends what a group of settlements did, and makes it durable.
func (n *notebook) beforeCommit(attachments []frontier.Attachment) (frontier.Marks, error) {
	marks, err := n.write(attachments)
	if err != nil {
		n.broken.Store(true)
	}
	return marks, err
}

func (n *notebook) write(attachments []frontier.Attachment) (frontier.Marks, error) {
	for _, a := range attachments {
		p := a.(*page)
		if p.record != nil {
			location, err := n.archive.Append(p.record)
			if err != nil {
				return nil, err
			}
			p.location = location
		}
		if _, err := n.ledger.Append(p.line); err != nil {
			return nil, err
		}
	}
	marks := frontier.Marks{}
	if n.archive != nil {
		if err := n.archive.Sync(); err != nil {
			return nil, err
		}
		n.archive.Marks(marks)
	}
	if err := n.ledger.Sync(); err != nil {
		return nil, err
	}
	n.ledger.Marks(marks)
	return marks, nil
}

// recordOf says what of a visit is archived, and as what.
func (n *notebook) recordOf(v crawler.Visit) archive.Record {
	x := v.Exchange
	r := archive.Record{Kind: archive.Response, URL: v.URL, RequestedAt: x.RequestedAt, RequestHead: x.RawRequestHead, ResponseHead: x.RawResponseHead,
		Proto: x.Proto, DecodedSHA256: x.SHA256, DiscoveryPath: v.Item.Path, Via: v.Item.Parent}
	if r.RequestedAt.IsZero() {
		r.RequestedAt = v.At
	}
	if x.RemoteAddr.IsValid() {
		r.Address = x.RemoteAddr.String()
	}
	if v.Decision != nil {
		r.Decision = *v.Decision
	}
	switch {
	case v.Err != nil:
		r.Kind, r.FailureKind, r.FailureText = archive.Failure, fetch.KindOf(v.Err).String(), v.Err.Error()
	case !v.Keep && x.Status >= 200 && x.Status < 300:
		r.Kind, r.FailureKind, r.FailureText = archive.Failure, "refused", v.Reason
	case x.Status == http.StatusNotModified:
		r.Kind = archive.NotModified
		if !n.refer(&r, v.Item.Page) {
			r.Kind, r.FailureKind, r.FailureText = archive.Failure, "not-modified", "304 to a page whose body is not in this archive"
		}
	default:
		r.Body, r.BodyBytes = x.RawBody.Reader(), x.RawBody.Len()
		if held := v.Item.Page; held.Digest == x.SHA256 && x.DecodedBytes > 0 && n.refer(&r, held) {
			r.Kind = archive.Identical
		}
	}
	synthesize(&r, x)
	return r
}

// synthesize writes the heads of an exchange whose octets were not kept.
func synthesize(r *archive.Record, x *fetch.Exchange) {
	if r.Kind == archive.Failure || len(r.ResponseHead) > 0 {
		return
	}
	r.ResponseHead = archive.ResponseHead(x.Status, x.Header)
	if u, err := url.Parse(r.URL); err == nil {
		r.RequestHead = archive.RequestHead(http.MethodGet, u.RequestURI(), u.Host, nil)
	}
}

// refer points a record at the stored body of the page as it was held. It
// answers false if there is none.
func (n *notebook) refer(r *archive.Record, held frontier.Page) bool {
	if held.Location == "" {
		return false
	}
	ref, err := archive.Refer(n.dir, held.Location)
	if err != nil {
		n.log.Warn("a stored body is not where it should be; run heed verify", "url", r.URL, "location", held.Location, "err", err)
		return false
	}
	r.RefersTo = ref
	return true
}

// close ends the archive: in order if all that was appended is committed, else
// as it stands, to be cut back by the next start.
func (n *notebook) close() error {
	if n.broken.Load() {
		return n.archive.Abandon()
	}
	return n.archive.Close()
}
