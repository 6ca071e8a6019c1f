package crawler

import (
	"slices"

	"heed/frontier"
	"heed/politeness"
)

// maxForeignOrigins bounds the origins that one list makes us ask for their
// robots.txt.
const maxForeignOrigins = 100

// foreignOrigin says what is known about an origin that a list names pages of.
type foreignOrigin uint8

const (
	foreignAsked    foreignOrigin = iota + 1 // its robots.txt will be read
	foreignConfirms                          // its robots.txt names the list
	foreignSilent                            // its robots.txt does not name it
)

// confirmed tells whether robots.txt of an origin, as far as it is at hand, names
// this list. Where it is not at hand it is sent for; if it names the list, the
// list is read once more on behalf of that origin.
func (r *reading) confirmed(origin string) (bool, error) {
	known, ok := r.foreign[origin]
	if !ok && len(r.foreign) >= maxForeignOrigins {
		return false, nil
	}
	if !ok {
		records, err := r.c.Gate.Records(r.ctx, origin, sitemapRecord)
		if err != nil {
			return false, err
		}
		known = foreignSilent
		if slices.ContainsFunc(records, func(record politeness.Record) bool {
			url, ok := resolveOnce(origin+"/robots.txt", record.Value)
			return ok && url == r.key.url
		}) {
			known = foreignConfirms
		} else if len(records) == 0 {
			known = foreignAsked
			key := origin + listsMark
			r.e.links = append(r.e.links, frontier.Candidate{URL: key, Host: frontier.HostKey(key), Score: childScore, Path: hopList, Parent: r.key.url})
		}
		r.foreign[origin] = known
	}
	return known == foreignConfirms, nil
}
