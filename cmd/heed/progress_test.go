package main

import (
	"slices"
	"testing"
	"unicode/utf8"
)

func TestTheProgressFlowsAndLosesNothing(t *testing.T) {
	parts := []string{"job · crawling", "279 pages, 0 unchanged, 20 refused, 4 failed", "122.8/s (ceiling 530.1/s)"}
	for width, want := range map[int][]string{
		140: {"job · crawling · 279 pages, 0 unchanged, 20 refused, 4 failed · 122.8/s (ceiling 530.1/s)"},
		79:  {"job · crawling · 279 pages, 0 unchanged, 20 refused, 4 failed", "  122.8/s (ceiling 530.1/s)"},
		20:  {parts[0], "  " + parts[1], "  " + parts[2]},
	} {
		got := flow(width, " · ", parts...)
		if !slices.Equal(got, want) {
			t.Errorf("width %d: %q, want %q", width, got, want)
		}
		for _, l := range got {
			if width > 60 && utf8.RuneCountInString(l) > width {
				t.Errorf("width %d: %q is too long", width, l)
			}
		}
	}
}
