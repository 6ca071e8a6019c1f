package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// shellOctets is how much of a file is searched for HTML, counted after content
// codings were undone, a byte order mark included (BC-P-901).
const shellOctets = 400

// shellMarks are what gives HTML away.
var shellMarks = [][]byte{[]byte("<!doctype"), []byte("<html"), []byte("<head"), []byte("<body")}

// checkFile asks for the file, hop by hop.
func checkFile(ctx context.Context, g Getter, q *Question) (token int, o Outcome) {
	ctx, done := context.WithTimeout(ctx, fileTimeout)
	defer done()
	at := &url.URL{Scheme: "https", Host: q.Domain, Path: Path}
	for hops := 0; ; hops++ {
		a, err := g.Get(ctx, at.String(), fileMaxBytes)
		switch {
		case errors.Is(err, ErrAddress):
			return -1, Outcome{Cause: Address}
		case err != nil:
			return -1, Outcome{Cause: Unreachable, Detail: oneLine(err)}
		case !redirects(a.Status):
			return judge(a, tokens(q.Tokens))
		case hops == maxHops:
			return -1, Outcome{Cause: BadRedirect, Detail: fmt.Sprintf("more than %d", maxHops)}
		}
		next, err := at.Parse(a.Header.Get("Location"))
		if err != nil || a.Header.Get("Location") == "" || !q.mayFollow(next) {
			return -1, Outcome{Cause: BadRedirect, Detail: fmt.Sprintf("status %d", a.Status)}
		}
		at = next
	}
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// mayFollow tells whether a hop stays with who controls the domain (BC-P-904).
func (q *Question) mayFollow(u *url.URL) bool {
	domain := q.Domain
	if q.Registrable != nil {
		domain = q.Registrable(domain)
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	inside := host == domain || strings.HasSuffix(host, "."+domain)
	return u.Scheme == "https" && u.User == nil && (u.Port() == "" || u.Port() == "443") && inside
}

// judge looks at the last answer. All conditions hold together (BC-P-007).
func judge(a Answer, wanted tokens) (token int, o Outcome) {
	switch a.Status {
	case http.StatusOK:
	case http.StatusNotFound, http.StatusGone:
		return -1, Outcome{Cause: NoFile, Detail: fmt.Sprintf("status %d", a.Status)}
	default:
		return -1, Outcome{Cause: BadStatus, Detail: fmt.Sprintf("status %d", a.Status)}
	}
	if isHTML(a.Header.Values("Content-Type")) {
		return -1, Outcome{Cause: HTMLShell, Detail: "media type text/html"}
	}
	body, cut := a.Body, a.Cut
	if len(body) > fileMaxBytes {
		body, cut = body[:fileMaxBytes], true
	}
	start := bytes.ToLower(body[:min(len(body), shellOctets)])
	for _, mark := range shellMarks {
		if bytes.Contains(start, mark) {
			return -1, Outcome{Cause: HTMLShell, Detail: "markup at the beginning"}
		}
	}
	if token, ok := wanted.inFile(body, cut); ok {
		return token, Outcome{Cause: Found}
	}
	if cut {
		return -1, Outcome{Cause: Oversize}
	}
	return -1, Outcome{Cause: TokenAbsent}
}

// isHTML tells whether any field says text/html, whatever its case and its
// parameters (BC-P-910). A file without a media type is not HTML.
func isHTML(fields []string) bool {
	for _, field := range fields {
		for one := range strings.SplitSeq(field, ",") {
			media, _, err := mime.ParseMediaType(one)
			if err != nil {
				media, _, _ = strings.Cut(one, ";")
			}
			if strings.EqualFold(strings.TrimSpace(media), "text/html") {
				return true
			}
		}
	}
	return false
}
