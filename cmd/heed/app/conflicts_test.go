package app

import (
	"fmt"
	"maps"
	"testing"
)

func TestAnOriginCountsOnceForAKind(t *testing.T) {
	var c conflictCounts
	if c.byKind() != nil {
		t.Error("counted before anything was added")
	}
	c.add("https://a.test/", nil)
	for _, path := range []string{"/", "/1", "/2"} {
		c.add("https://a.test"+path, []string{"use"})
	}
	c.add("https://a.test/3", []string{"access", "use"})
	c.add("http://a.test/", []string{"use"})
	if got, want := c.byKind(), map[string]int64{"use": 2, "access": 1}; !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestOriginsThatAreToldApartAreBounded(t *testing.T) {
	var c conflictCounts
	for i := range maxConflictOrigins {
		c.add(fmt.Sprintf("https://%d.test/", i), []string{"use"})
	}
	if c.full() {
		t.Error("full too early")
	}
	c.add("https://one-more.test/", []string{"use"})
	c.add("https://0.test/", []string{"access"})
	if got := c.byKind(); !c.full() || got["use"] != maxConflictOrigins || got["access"] != 1 {
		t.Errorf("%v, full %t", got, c.full())
	}
}
