package frontier

import (
	"testing"
	"time"
)

func TestWhatADayHasCost(t *testing.T) {
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	today := Day(noon)
	if Day(noon.Add(12*time.Hour-time.Millisecond)) != today || Day(noon.Add(12*time.Hour)) != today+1 || !DayEnd(noon).Equal(noon.Add(12*time.Hour)) {
		t.Fatal("a day does not end at midnight UTC")
	}
	s := Spent{}.Add(Spent{today, 1, 10}).Add(Spent{today, 2, 20})
	for name, row := range map[string]struct {
		day  int32
		want Spent
	}{
		"the same day":                    {today, Spent{today, 4, 33}},
		"the next day begins anew":        {today + 1, Spent{today + 1, 1, 3}},
		"a clock set back a day":          {today - 1, Spent{today, 4, 33}},
		"a clock that was wrong by years": {today - 1000, Spent{today - 1000, 1, 3}},
	} {
		if got := s.Add(Spent{row.day, 1, 3}); got != row.want {
			t.Errorf("%s: %+v, want %+v", name, got, row.want)
		}
	}
}
