package app

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/textproto"

	"heed/crawler"
	"heed/frontier"
	"heed/politeness"
	"heed/store/archive"
)

// Exported counts what an export did.
type Exported struct {
	Written  int                       `json:"written"`
	Withheld map[politeness.Reason]int `json:"withheld"` // stored pages that may not be used, by reason
	Missing  int                       `json:"missing"`  // pages whose body is not in the archive
	Refused  int                       `json:"refused"`  // pages that a decision kept out of the archive
}

// Export gives every stored page that may be used for all purposes, judged again
// now, host by host. A page of which no copy is to be shown comes without its text.
// It makes no request.
func (a *App) Export(ctx context.Context, purposes politeness.Purposes, yield func(crawler.Envelope) error) (Exported, error) {
	out := Exported{Withheld: map[politeness.Reason]int{}}
	err := a.pages(ctx, func(r frontier.Report) error {
		switch {
		case r.State == frontier.Refused:
			out.Refused++
			return nil
		case !held(r):
			return nil
		}
		stored, err := a.stored(ctx, r.Page.Location)
		if err != nil {
			a.options.Log.Warn("a page cannot be read back", "url", r.URL, "err", err)
			out.Missing++
			return nil
		}
		d, err := a.crawler.Load().JudgeStored(ctx, r.URL, stored.header, stored.body, purposes)
		if err != nil {
			return err
		}
		if d.Verdict == politeness.Allow && !openAtFetch(r.Page, purposes) {
			d.Verdict, d.Reason = politeness.Deny, politeness.PurposeNotAtFetch
		}
		if d.Verdict != politeness.Allow {
			out.Withheld[d.Reason]++
			return nil
		}
		e := crawler.NewEnvelope(r.URL, r.Page.FetchedAt, sha256.Sum256(stored.body), stored.header, d)
		e.Stale = a.expired(r.Page.FreshUntil)
		if err := a.crawler.Load().Attribute(ctx, &e); err != nil {
			return err
		}
		if !e.NoCopy {
			e.Fill(stored.body)
		}
		out.Written++
		return yield(e)
	})
	if err != nil {
		return out, fmt.Errorf("app: export: %w", err)
	}
	return out, nil
}

// openAtFetch tells whether purposes were open by the decision under which a page
// was asked for last. What is permitted later does not act backwards (BC-C-919). Of
// a page that older state says nothing about, only what silence permits is open.
func openAtFetch(p frontier.Page, purposes politeness.Purposes) bool {
	open := politeness.Purposes(p.Open)
	if open == 0 {
		open = politeness.PurposesOf(politeness.Index, politeness.Answer)
	}
	return purposes&^open == 0
}

// held tells whether a body is stored that is what its URL answered last.
func held(r frontier.Report) bool {
	return r.Page.Location != "" && r.State != frontier.Gone && r.Page.Status/100 == 2
}

// pages calls f for every page that is known.
func (a *App) pages(ctx context.Context, f func(frontier.Report) error) error {
	for hostCursor := ""; ; {
		hosts, next, err := a.engine.ListHosts(ctx, hostCursor, listPage)
		if err != nil {
			return err
		}
		for _, h := range hosts {
			if err := a.pagesOf(ctx, h.Name, f); err != nil {
				return err
			}
		}
		if hostCursor = next; next == "" {
			return nil
		}
	}
}

func (a *App) pagesOf(ctx context.Context, host string, f func(frontier.Report) error) error {
	for cursor := ""; ; {
		list, next, err := a.engine.ListHost(ctx, host, cursor, listPage)
		if err != nil {
			return err
		}
		for _, r := range list {
			if !frontier.IsPage(r.URL) {
				continue
			}
			if err := f(r); err != nil {
				return err
			}
		}
		if cursor = next; next == "" {
			return nil
		}
	}
}

// storedPage is a page as it was received, decoded.
type storedPage struct {
	header http.Header
	body   []byte
}

// stored reads a page back from the archive.
func (a *App) stored(ctx context.Context, location string) (storedPage, error) {
	s, err := archive.Read(a.folder.archive(), location)
	if err != nil {
		return storedPage{}, err
	}
	defer s.Close()
	r := textproto.NewReader(bufio.NewReader(bytes.NewReader(s.Head)))
	if _, err := r.ReadLine(); err != nil {
		return storedPage{}, err
	}
	mime, err := r.ReadMIMEHeader()
	if err != nil {
		return storedPage{}, err
	}
	p := storedPage{header: http.Header(mime)}
	body, err := a.client.Decode(ctx, s.URL, p.header, s, a.config.PageBytes())
	if err != nil {
		return storedPage{}, err
	}
	defer body.Close()
	content, err := body.Bytes(a.config.PageBytes())
	p.body = bytes.Clone(content)
	return p, err
}
