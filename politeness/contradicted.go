package politeness

import (
	"context"
	"fmt"
	"time"
)

// Permission is the opinion by which the site's own preferences permit the request
// explicitly: a server that answers 403 all the same contradicts its site (AP-142).
// Silence, and a denial of anybody, are none.
func (d *Decision) Permission() (Opinion, bool) {
	if d.Verdict != Allow {
		return Opinion{}, false
	}
	for _, o := range d.Opinions {
		if o.Recheck > 0 && o.Verdict == Allow && o.Doc != nil {
			return o, true
		}
	}
	return Opinion{}, false
}

// Contradicted says that the server refused what d allows. It tells whether the
// document with the permission is to be asked for again before anything else is
// concluded: its copy ends here if it is older than the source cares for. A
// younger copy stays, so that a site that goes on contradicting itself is not asked
// for ever; and so does one that cannot be read at present.
func (g *Gate) Contradicted(ctx context.Context, d *Decision, now time.Time) (again bool, err error) {
	o, ok := d.Permission()
	if !ok {
		return false, nil
	}
	if again, err = g.library.outdate(ctx, o.Doc.URL, now, o.Recheck); err != nil {
		return false, fmt.Errorf("politeness: %s was contradicted: %w", o.Doc.URL, err)
	}
	return again, nil
}

// outdate ends the freshness of a copy that is older than an age, durably. It
// tells whether there is, or soon will be, a newer one to wait for.
func (l *Library) outdate(ctx context.Context, url string, now time.Time, age time.Duration) (bool, error) {
	if !l.Begin(url) {
		return true, nil // somebody is fetching it
	}
	defer l.End(url)
	d, err := l.Copy(ctx, url)
	switch {
	case err != nil || d == nil || d.Failure != nil:
		return false, err
	case now.Sub(d.FetchedAt) < age:
		return false, nil
	case d.Due(now):
		return true, nil
	}
	d.Expires = now
	return true, l.Store(ctx, d)
}
