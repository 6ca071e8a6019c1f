package mirror

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"heed/registry/card"
)

// errShape is a document that is JSON but not what was asked for.
var errShape = errors.New("mirror: document has another shape")

// poll asks whether anything has changed.
func (r *registry) poll(ctx context.Context) error {
	q := Request{URL: r.state.Snapshot, MaxBytes: listMaxBytes}
	if q.URL == "" {
		q.URL = r.origin + pathSnapshot
	}
	if r.state.Seen != "" {
		q.ETag = r.state.SnapshotETag
	}
	a, answered, err := r.ask(ctx, q)
	if err != nil || !answered {
		return err
	}
	switch {
	case a.Status == http.StatusNotModified && q.ETag != "":
	case a.Status == http.StatusNotFound: // no snapshot: the feed tells
		r.warnOnce("registry has no snapshot, reading the change feed at each poll")
		r.state.Reading = true
	case a.Status != http.StatusOK:
		return r.unusable(ctx, &r.state.PollRetry, fmt.Sprintf("%s: status %d", q.URL, a.Status))
	default:
		value, err := readSnapshot(a.Body)
		if err != nil {
			return r.unusable(ctx, &r.state.PollRetry, fmt.Sprintf("%s: %v", q.URL, err))
		}
		r.state.SnapshotETag = a.Header.Get("ETag")
		if value != r.state.Seen {
			r.state.Pending, r.state.Reading = value, true
		}
	}
	r.state.Polled, r.state.PollRetry = r.o.Clock(), retry{}
	r.pollAt = r.nextPoll(r.state.Polled)
	return r.succeed(ctx)
}

// readSnapshot reads the hash over the catalog.
func readSnapshot(body []byte) (string, error) {
	v, err := card.ReadJSON(body, listMaxBytes)
	if err != nil {
		return "", err
	}
	value, _ := v.Member("snapshot").Text()
	if value == "" || len(value) > 1024 {
		return "", fmt.Errorf("%w: no snapshot", errShape)
	}
	return value, nil
}

// readChanges reads one page of the change feed after the cursor. The cursor is
// always one that the feed gave, so that nothing is lost between two documents;
// without one the feed is read from its beginning.
func (r *registry) readChanges(ctx context.Context) error {
	q := Request{URL: r.changesURL(), MaxBytes: listMaxBytes}
	a, answered, err := r.ask(ctx, q)
	if err != nil || !answered {
		return err
	}
	switch {
	case a.Status == http.StatusGone && r.state.Cursor != "" && !r.state.Restarted:
		// The cursor has expired: all that is left is to read everything. A feed
		// whose own new cursor expires too is no feed.
		r.state.Cursor, r.state.IndexETag, r.state.Restarted = "", "", true
		r.state.Discovered = r.state.Discovered.Add(-discoverEvery)
		return r.succeed(ctx)
	case a.Status == http.StatusNotFound || a.Status == http.StatusGone:
		return r.withoutFeed(ctx, q.URL, a.Status)
	case a.Status != http.StatusOK:
		return r.unusable(ctx, &r.state.FeedRetry, fmt.Sprintf("%s: status %d", q.URL, a.Status))
	}
	page, err := readFeed(a.Body)
	if err != nil {
		return r.unusable(ctx, &r.state.FeedRetry, fmt.Sprintf("%s: %v", q.URL, err))
	}
	if err := r.applyChanges(ctx, page.changes); err != nil {
		return err
	}
	if page.cursor == "" || page.cursor == r.state.Cursor {
		page.more = false // the next page would be this one
	}
	if page.cursor != "" {
		r.state.Cursor = page.cursor
	}
	if !page.more {
		r.state.Listed, r.state.Reading, r.state.Restarted, r.state.Seen = true, false, false, r.state.Pending
	}
	r.state.FeedRetry, r.scanAt = retry{}, r.o.Clock()
	return r.succeed(ctx)
}

func (r *registry) changesURL() string {
	at := r.state.Changes
	if at == "" {
		at = r.origin + pathChanges
	}
	if r.state.Cursor == "" {
		return at
	}
	mark := "?"
	if strings.Contains(at, "?") {
		mark = "&"
	}
	return at + mark + "since=" + url.QueryEscape(r.state.Cursor)
}

// withoutFeed does what is left where a registry has no feed: which cards have
// changed cannot be known, so all are due.
func (r *registry) withoutFeed(ctx context.Context, at string, status int) error {
	if !r.state.Listed {
		return r.unusable(ctx, &r.state.FeedRetry, fmt.Sprintf("%s: status %d, and no list of domains", at, status))
	}
	r.warnOnce("registry has no change feed, reading all cards on a change")
	now := r.o.Clock()
	r.mu.Lock()
	for _, e := range r.entries {
		e.due, e.expires = earlier(e.due, now), earlier(e.expires, now)
	}
	r.mu.Unlock()
	s := &r.state
	s.Reading, s.Restarted, s.Cursor, s.Seen, s.FeedRetry = false, false, "", s.Pending, retry{}
	r.scanAt = now
	return r.succeed(ctx)
}

// feed is a page of the change feed.
type feed struct {
	changes []change
	cursor  string
	more    bool
}

// change is the last change of one domain.
type change struct {
	domain string
	etag   string // without quotes; empty if none is given
	gone   bool
}

func readFeed(body []byte) (feed, error) {
	v, err := card.ReadJSON(body, listMaxBytes)
	if err != nil {
		return feed{}, err
	}
	var f feed
	list := v.Member("changes")
	if !list.IsArray() {
		return feed{}, fmt.Errorf("%w: no changes", errShape)
	}
	if f.cursor, _ = v.Member("cursor").Text(); len(f.cursor) > 4096 {
		return feed{}, fmt.Errorf("%w: cursor of %d octets", errShape, len(f.cursor))
	}
	f.more = v.Member("more").IsTrue()
	for e := range list.Elements() {
		var c change
		for name, value := range e.Members() {
			switch name {
			case "domain":
				c.domain = domainName(value)
			case "etag":
				text, isText := value.Text()
				c.etag, c.gone = bareTag(text), !isText && string(value) == "null"
			}
		}
		if c.domain != "" {
			f.changes = append(f.changes, c)
		}
	}
	return f, nil
}

// bareTag is an entity tag without its quotes and its mark of weakness: in a
// feed it stands with or without.
func bareTag(tag string) string {
	tag = strings.TrimPrefix(tag, "W/")
	if len(tag) >= 2 && tag[0] == '"' && tag[len(tag)-1] == '"' {
		tag = tag[1 : len(tag)-1]
	}
	if len(tag) > 1024 {
		return ""
	}
	return tag
}

// applyChanges marks the cards that changed. The marks are stored with the list
// before the cursor moves on, so a process that is killed in between reads the
// page again, and one that is killed later still knows which cards are due.
func (r *registry) applyChanges(ctx context.Context, changes []change) error {
	now := r.o.Clock()
	var gone []string
	full := false
	r.mu.Lock()
	for _, c := range changes {
		e := r.entries[c.domain]
		if c.gone {
			if e != nil && e.listed {
				e.delist()
				gone = append(gone, c.domain)
			}
			continue
		}
		if e == nil && len(r.entries) >= maxListed {
			full = true
			continue
		}
		e = r.enlist(c.domain, now)
		if c.etag != "" && (c.etag == e.announced || c.etag == bareTag(e.etag)) {
			continue
		}
		if e.announced, e.due, e.expires = c.etag, now, now; c.etag == "" {
			e.announced = "?" + strconv.FormatInt(now.UnixMilli(), 10) // like no other mark
		}
	}
	r.mu.Unlock()
	if full {
		r.warnOnce("registry lists more domains than are kept", "kept", maxListed)
	}
	if err := r.saveList(ctx); err != nil {
		return err
	}
	return r.dropCards(ctx, gone)
}
