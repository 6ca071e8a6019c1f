package frontier

import "time"

// Spent is what one day has cost, for the budgets of a day. Days are counted from
// midnight to midnight UTC.
type Spent struct {
	Day   int32 // days since 1970-01-01
	Pages int64
	Bytes int64 // on the wire
}

const dayLength = 24 * time.Hour

// Day is the number of the day of an instant.
func Day(t time.Time) int32 { return int32(t.Unix() / int64(dayLength/time.Second)) }

// DayEnd is the next midnight UTC.
func DayEnd(t time.Time) time.Time { return t.UTC().Truncate(dayLength).Add(dayLength) }

// On is what of it counts on a day: all, if it was spent on that day, or on the
// next one, which a clock that was set back has been in already; else nothing. What
// lies further ahead was written under a clock that was wrong.
func (s Spent) On(day int32) Spent {
	if s.Day == day || s.Day == day+1 {
		return s
	}
	return Spent{Day: day}
}

// Add adds what was spent on the day of more.
func (s Spent) Add(more Spent) Spent {
	sum := s.On(more.Day)
	sum.Pages += more.Pages
	sum.Bytes += more.Bytes
	return sum
}

// IsZero tells whether nothing was spent.
func (s Spent) IsZero() bool { return s.Pages == 0 && s.Bytes == 0 }
