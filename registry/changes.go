package registry

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Bounds of a page of the feed (BC-R-901).
const (
	maxChanges     = 1000
	defaultChanges = 500
)

// cursor is a place in the feed. seen is the floor that its holder has lived
// through: whoever began at the start has missed no removal that was forgotten
// before.
type cursor struct {
	epoch string
	seq   uint64
	seen  uint64
}

func (c cursor) String() string {
	return c.epoch + "-" + strconv.FormatUint(c.seq, 36) + "-" + strconv.FormatUint(c.seen, 36)
}

func readCursor(text string) (c cursor, ok bool) {
	epoch, rest, _ := strings.Cut(text, "-")
	seq, seen, ok := strings.Cut(rest, "-")
	if !ok || len(text) > 64 {
		return cursor{}, false
	}
	c.epoch = epoch
	var err, err2 error
	c.seq, err = strconv.ParseUint(seq, 36, 64)
	c.seen, err2 = strconv.ParseUint(seen, 36, 64)
	return c, err == nil && err2 == nil
}

// follow tells whether the feed can still be followed from c.
func (m *meta) follow(c cursor) bool {
	return c.epoch == m.Epoch && c.seq <= m.Head && c.seen <= m.Floor && m.Floor <= max(c.seq, c.seen)
}

// readChanges answers GET /v1/changes?since=&limit=: what has changed behind the
// cursor, each domain once with its last change, in the order of the changes.
func (s *Server) readChanges(w http.ResponseWriter, r *http.Request) {
	since, limit, err := changesQuery(r)
	if err == nil {
		err = s.current(r.Context())
	}
	if err != nil {
		s.answerError(w, r, err)
		return
	}
	body, err := s.shelf.changes(since, limit)
	if err != nil {
		s.answerError(w, r, err)
		return
	}
	s.answer(w, r, newDocument(jsonType, body))
}

func changesQuery(r *http.Request) (since string, limit int, err error) {
	q, err := query(r, "since", "limit", "cursor")
	if err != nil {
		return "", 0, err
	}
	since = q.Get("since")
	if since == "" {
		since = q.Get("cursor")
	}
	limit = defaultChanges
	if text := q.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > maxChanges {
			return "", 0, refuse(http.StatusBadRequest, "parameter", fmt.Sprintf("limit is 1 to %d", maxChanges))
		}
	}
	return since, limit, nil
}

// changes renders a page. An empty since means from the start.
func (s *shelf) changes(since string, limit int) ([]byte, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	at := cursor{epoch: s.meta.Epoch, seen: s.meta.Floor}
	if since != "" {
		c, ok := readCursor(since)
		if !ok || !s.meta.follow(c) {
			return nil, refuse(http.StatusGone, "cursor", "this cursor is unknown or has expired; read the feed from its start or the discovery document")
		}
		at = c
	}
	dst := append(make([]byte, 0, 128*min(limit, s.catalog.live)+128), `{"changes":[`...)
	n, more := 0, false
	for _, e := range s.catalog.feed[s.catalog.after(at.seq):] {
		site := s.catalog.at(e)
		if site == nil {
			continue
		}
		if n == limit {
			more = true
			break
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = appendChange(dst, site)
		at.seq = e.seq
		n++
	}
	if !more {
		at.seq = s.meta.Head
	}
	dst = append(dst, `],"cursor":"`...)
	dst = append(dst, at.String()...)
	dst = append(dst, `","more":`...)
	dst = strconv.AppendBool(dst, more)
	return append(dst, "}\n"...), nil
}

// appendChange writes a tuple: a removed card has a null for its ETag.
func appendChange(dst []byte, s *site) []byte {
	dst = append(dst, `{"domain":"`...)
	dst = append(dst, s.domain...)
	dst = append(dst, `","updated":"`...)
	if !s.listed {
		dst = s.removed.append(dst)
		return append(dst, `","etag":null}`...)
	}
	dst = s.updated.append(dst)
	dst = append(dst, `","etag":"`...)
	dst = append(dst, s.etag.String()...)
	return append(dst, `"}`...)
}
