package politeness

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestPurposesAreReadFromNames(t *testing.T) {
	tests := []struct {
		names []string
		want  Purposes
	}{
		{[]string{"index"}, PurposesOf(Index)},
		{[]string{"retrieve"}, PurposesOf(Index, Answer)},
		{[]string{"index,train"}, PurposesOf(Index, Train)},
		{[]string{"index, answer", "act"}, PurposesOf(Index, Answer, Act)},
		{[]string{"train", "train"}, PurposesOf(Train)},
	}
	for _, tt := range tests {
		if got, err := ParsePurposes(tt.names...); err != nil || got != tt.want {
			t.Errorf("%q: %s, %v; want %s", tt.names, got, err, tt.want)
		}
	}
	for _, names := range [][]string{nil, {""}, {"Index"}, {"index,"}, {"search"}, {"index", "all"}} {
		if got, err := ParsePurposes(names...); !errors.Is(err, ErrPurpose) || got != 0 {
			t.Errorf("%q: %s, %v; want ErrPurpose", names, got, err)
		}
	}
}

func TestNamesOfPurposesReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Purposes(rapid.IntRange(1, 1<<purposeCount-1).Draw(t, "set"))
		if back, err := ParsePurposes(s.String()); err != nil || back != s {
			t.Fatalf("%q reads as %s, %v", s, back, err)
		}
	})
}

func TestUsesJoinStrictly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := drawUses("a").Draw(t, "a"), drawUses("b").Draw(t, "b"), drawUses("c").Draw(t, "c")
		if a.Join(b) != b.Join(a) || a.Join(b).Join(c) != a.Join(b.Join(c)) || a.Join(a) != a {
			t.Fatalf("join of %v %v %v depends on order or number", a, b, c)
		}
		joined := a.Join(b)
		for p := range a {
			if joined[p] < a[p] || joined[p] < b[p] {
				t.Fatalf("join of %v and %v is softer: %v", a, b, joined)
			}
		}
	})
}
