package mirror

import (
	"cmp"
	"context"
	"net/http"
)

// robotsMaxBytes is what is read of a robots.txt; a longer one says nothing here.
const robotsMaxBytes = 512_000

// readRobots tells the operator if the robots.txt of a registry forbids the
// resources that are read here. Reading goes on: the interface is documented for
// programs (BC-C-936). It is asked for once after each reading of the discovery
// document, whatever comes of it: where it fails, the cards are not put off for it.
func (r *registry) readRobots(ctx context.Context) error {
	r.state.RobotsFor = r.state.Discovered // stored before the request is sent
	a, answered, err := r.ask(ctx, Request{URL: r.origin + pathRobots, Accept: "text/plain", MaxBytes: robotsMaxBytes})
	if err != nil || !answered || a.Status != http.StatusOK {
		return err
	}
	for _, url := range []string{r.origin + pathCard, cmp.Or(r.state.Changes, r.origin+pathChanges), cmp.Or(r.state.Snapshot, r.origin+pathSnapshot)} {
		if r.o.Forbids(a.Body, url) {
			r.warnOnce("robots.txt of the registry forbids its documented interface, which is read all the same", "resource", url)
			return nil
		}
	}
	return nil
}

// robotsDue tells whether robots.txt has not been looked at since the discovery
// document was read.
func (r *registry) robotsDue() bool {
	return r.o.Forbids != nil && r.state.RobotsFor.Before(r.state.Discovered)
}
