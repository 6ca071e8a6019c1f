package crawler_test

import (
	"testing"

	"heed/politeness"
)

// training is a crawl for training of a site whose robots.txt grants it.
func training(s *setup) {
	s.seeds, s.every, s.Purposes = []string{shop + "/"}, true, politeness.PurposesOf(politeness.Train)
}

const (
	reservations = "/.well-known/tdmrep.json"
	trainable    = "User-agent: *\nContent-Signal: ai-train=yes\n"
)

func TestBCC025TheReservationsAreLookedForOnceBeforeTheFirstPage(t *testing.T) {
	w := wide(t, 3)
	w.on(shop+"/robots.txt", text(trainable)).on(shop+reservations, status(404))
	w.crawl(training)
	w.asked(shop, preferences, reservations, "/", "/p0", "/p1", "/p2")
	if file, page := w.of(shop+reservations), w.of(shop+"/"); len(file) != 1 || len(page) != 1 || page[0].at.Before(file[0].at) {
		t.Errorf("%d files, %d pages, or the file came later", len(file), len(page))
	}
}

func TestBCC025RedirectsOfTheReservationsAreFollowed(t *testing.T) {
	w := wide(t, 2)
	w.on(shop+"/robots.txt", text(trainable)).on(shop+reservations, redirect(302, "/tdm.json")).
		on(shop+"/tdm.json", answer(200, `[{"location":"/p1","tdm-reservation":1}]`, "Content-Type: application/json"))
	j := w.open(training)
	j.run()
	j.ends(shop+"/p0", "fetched")
	j.ends(shop+"/p1", "refused tdm.reserved")
	w.never(shop + "/p1")
}

func TestBCC025AJobThatDoesNotTrainAsksForNoReservations(t *testing.T) {
	w := wide(t, 1)
	w.crawl(func(s *setup) { s.seeds, s.every = []string{shop + "/"}, true })
	w.never(shop + reservations)
}
