package feed

import "time"

// Spans of dates of which a part is missing. A date without a zone, and every date without a time, may be
// meant in any zone: the westernmost ends its day 12 hours after UTC does.
const (
	day  = 24 * time.Hour
	west = 12 * time.Hour
)

// parseDate reads a date of a sitemap or feed: a W3C date and time format, or an RFC 822 date. It returns
// the earliest instant meant and how much later it may be.
func parseDate(b []byte) (time.Time, time.Duration, bool) {
	c := cursor{b}
	if _, ok := (&cursor{b}).digits(4, 4); ok {
		return c.w3c()
	}
	return c.rfc822()
}

// cursor walks a date.
type cursor struct{ rest []byte }

// digits takes a number of so many digits.
func (c *cursor) digits(least, most int) (n int, ok bool) {
	i := 0
	for i < len(c.rest) && i < most && '0' <= c.rest[i] && c.rest[i] <= '9' {
		n = 10*n + int(c.rest[i]-'0')
		i++
	}
	if i < least {
		return 0, false
	}
	c.rest = c.rest[i:]
	return n, true
}

// take takes an octet if it is next.
func (c *cursor) take(want byte) bool {
	if len(c.rest) == 0 || c.rest[0] != want {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

// skip takes all octets of a set.
func (c *cursor) skipSpace() {
	for len(c.rest) > 0 && isSpace(c.rest[0]) {
		c.rest = c.rest[1:]
	}
}

// word takes letters.
func (c *cursor) word() []byte {
	i := 0
	for i < len(c.rest) && (c.rest[i]|0x20) >= 'a' && (c.rest[i]|0x20) <= 'z' {
		i++
	}
	word := c.rest[:i]
	c.rest = c.rest[i:]
	return word
}

func (c *cursor) done() bool { return len(c.rest) == 0 }

// clock is a time of day with what precision it was written.
type clock struct {
	sinceMidnight time.Duration
	span          time.Duration
}

// clock takes hh:mm, hh:mm:ss or hh:mm:ss.fraction. 24:00 is the end of the day, second 60 a leap second.
func (c *cursor) clock() (clock, bool) {
	hour, ok := c.digits(1, 2)
	if !ok || !c.take(':') {
		return clock{}, false
	}
	minute, ok := c.digits(2, 2)
	if !ok {
		return clock{}, false
	}
	t := clock{span: time.Minute}
	second := 0
	if c.take(':') {
		if second, ok = c.digits(2, 2); !ok {
			return clock{}, false
		}
		t.span = time.Second
		if c.take('.') || c.take(',') {
			// Below a second nothing that a crawler does depends on it.
			if _, ok = c.digits(1, 9); !ok {
				return clock{}, false
			}
		}
	}
	if hour > 24 || minute > 59 || second > 60 || hour == 24 && minute+second > 0 {
		return clock{}, false
	}
	t.sinceMidnight = time.Duration(hour)*time.Hour + time.Duration(minute)*time.Minute +
		time.Duration(second)*time.Second
	return t, true
}

// offset takes ±hh:mm, ±hhmm or ±hh.
func (c *cursor) offset() (time.Duration, bool) {
	sign := time.Duration(1)
	if c.take('-') {
		sign = -1
	} else if !c.take('+') {
		return 0, false
	}
	hours, ok := c.digits(2, 2)
	if !ok {
		return 0, false
	}
	minutes := 0
	if c.take(':') || !c.done() && c.rest[0] >= '0' && c.rest[0] <= '9' {
		if minutes, ok = c.digits(2, 2); !ok {
			return 0, false
		}
	}
	if hours > 24 || minutes > 59 {
		return 0, false
	}
	return sign * (time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute), true
}

// date returns midnight of a day, or false if there is no such day.
func date(year, month, dayOfMonth int) (time.Time, bool) {
	t := time.Date(year, time.Month(month), dayOfMonth, 0, 0, 0, 0, time.UTC)
	return t, year > 0 && t.Year() == year && int(t.Month()) == month && t.Day() == dayOfMonth
}
