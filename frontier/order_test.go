package frontier

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

type ranked struct {
	score, depth int
	known        time.Time
}

func (u ranked) rank() uint64 { return Rank(u.score, u.depth, u.known) }

func drawRanked(t *rapid.T, name string, from time.Time, within time.Duration) ranked {
	return ranked{
		rapid.IntRange(-10, 110).Draw(t, name+" score"), rapid.IntRange(-10, 1000).Draw(t, name+" depth"),
		from.Add(time.Duration(rapid.Int64Range(0, within.Milliseconds()).Draw(t, name+" known")) * time.Millisecond),
	}
}

func TestOfURLsFoundTogetherTheBetterGoesFirst(t *testing.T) {
	known := time.UnixMilli(1_800_000_000_000)
	rapid.Check(t, func(t *rapid.T) {
		score, depth := rapid.IntRange(0, maxScore).Draw(t, "score"), rapid.IntRange(0, 50).Draw(t, "depth")
		here := Rank(score, depth, known)
		if score < maxScore && Rank(score+1, depth, known) >= here {
			t.Error("a better score does not go first")
		}
		if Rank(score, depth+1, known) <= here {
			t.Error("a greater depth does not go last")
		}
		if Rank(score, depth, known.Add(time.Millisecond)) <= here {
			t.Error("a younger one does not go last")
		}
		if score < maxScore && Rank(score+1, depth+50, known) >= here {
			t.Error("depth outweighs score")
		}
	})
}

// Nothing starves, whatever is found meanwhile, and the bound is no larger than it
// has to be.
func TestNothingIsOvertakenAfterMaxWait(t *testing.T) {
	start := time.UnixMilli(1_800_000_000_000)
	rapid.Check(t, func(t *rapid.T) {
		old := drawRanked(t, "old", start, 24*time.Hour)
		late := drawRanked(t, "late", old.known.Add(MaxWait+time.Millisecond), 1000*time.Hour)
		if late.rank() <= old.rank() {
			t.Errorf("%+v overtakes %+v", late, old)
		}
	})
	worst := ranked{0, maxDepth, start}
	if best := (ranked{maxScore, 0, start.Add(MaxWait - time.Millisecond)}); best.rank() >= worst.rank() {
		t.Error("the bound is too large")
	}
}

func TestARankFitsIn48Bits(t *testing.T) {
	if r := Rank(0, maxDepth, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)); r >= 1<<48 {
		t.Errorf("rank %#x", r)
	}
	if r := Rank(100, 0, time.Time{}); r != 0 {
		t.Errorf("the zero time has rank %d", r)
	}
}
