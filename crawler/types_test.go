package crawler_test

import (
	"testing"
)

func TestOnlyTheTypesOfTheJobAreKeptAndLinksAreFollowedAllTheSame(t *testing.T) {
	w := newWorld(t)
	w.on(shop+"/robots.txt", status(404)).on(shop+"/", html(`<a href=/a.pdf>x</a><a href=/b.png>x</a>`)).
		on(shop+"/a.pdf", answer(200, "%PDF", "Content-Type: Application/PDF; x=y")).
		on(shop+"/b.png", answer(200, "png", "Content-Type: image/png"))
	j := w.open(func(s *setup) { seeds(shop + "/")(s); s.Types = []string{"application/pdf", "video/*"} })
	j.run()
	j.ends(shop+"/", "refused scope.type")
	j.ends(shop+"/b.png", "refused scope.type")
	j.ends(shop+"/a.pdf", "fetched")
	if v := j.book.last(shop + "/"); v.keep || v.body != "" || v.verdict != "deny" {
		t.Errorf("home page %+v", v)
	}
	if st, err := j.Status(t.Context()); err != nil || st.Run.Pages != 1 || st.Run.Refused != 2 {
		t.Errorf("counts %+v, %v", st.Run, err)
	}
}

func TestRequisitesOnDemand(t *testing.T) {
	for _, on := range []bool{false, true} {
		w := newWorld(t)
		w.on(shop+"/robots.txt", status(404)).on(shop+"/", html(`<img src=/i.png><script src=/s.js></script><link rel=stylesheet href=/c.css><a href=/deep>x</a>`)).
			on(shop+" *", answer(200, "x", "Content-Type: image/png"))
		j := w.open(func(s *setup) { seeds(shop + "/")(s); s.Requisites, s.depth = on, 0 })
		j.run()
		if !on {
			w.asked(shop, "/")
			continue
		}
		w.asked(shop, "/", "/i.png", "/s.js", "/c.css")
		if v := j.book.last(shop + "/i.png"); v == nil || v.item.Path != "E" || v.item.Depth != 0 {
			t.Errorf("a requisite: %+v", v)
		}
	}
}
