package enginetest

import "slices"

// story is one course of events on an engine. Names begin with the number of the
// invariant that they are about.
type story struct {
	name string
	run  func(s *stage)
}

func stories() []story {
	return slices.Concat(urlStories(), grantStories(), durableStories(), orderStories(), memoryStories(), hostStories())
}
