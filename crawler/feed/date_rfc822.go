package feed

import (
	"strings"
	"time"
)

// rfc822 reads the dates of RSS: RFC 822 with years of two or four digits, the name of the day, the
// seconds and the zone being optional, and full month names taken for short ones.
func (c *cursor) rfc822() (time.Time, time.Duration, bool) {
	if weekday := c.word(); len(weekday) > 0 {
		c.take(',')
		c.skipSpace()
	}
	dayOfMonth, ok := c.digits(1, 2)
	if !ok {
		return time.Time{}, 0, false
	}
	c.separator()
	month := monthOf(c.word())
	c.separator()
	digits := len(c.rest)
	year, ok := c.digits(2, 4)
	if digits -= len(c.rest); !ok || digits == 3 {
		return time.Time{}, 0, false
	}
	if digits == 2 { // RFC 5322 4.3
		year += 1900
		if year < 1950 {
			year += 100
		}
	}
	t, ok := date(year, month, dayOfMonth)
	c.take(',')
	c.skipSpace()
	if !ok || c.done() {
		return t, day + west, ok
	}
	at, ok := c.clock()
	if !ok {
		return time.Time{}, 0, false
	}
	t = t.Add(at.sinceMidnight)
	c.skipSpace()
	if c.done() {
		return t, at.span + west, true
	}
	offset, ok := c.zone()
	return t.Add(-offset), at.span, ok && c.done()
}

func (c *cursor) separator() {
	c.skipSpace()
	c.take('-')
	c.skipSpace()
}

// monthOf returns the number of a month, 0 if there is none of that name.
func monthOf(name []byte) int {
	const short = 3
	if len(name) < short {
		return 0
	}
	for month := time.January; month <= time.December; month++ {
		if strings.EqualFold(month.String()[:short], string(name[:short])) {
			return int(month)
		}
	}
	return 0
}

// zone takes an offset, or a name that RFC 822 defines, with an offset after UTC or GMT.
func (c *cursor) zone() (time.Duration, bool) {
	name := strings.ToUpper(string(c.word()))
	switch name {
	case "":
		return c.offset()
	case "Z", "UT", "UTC", "GMT":
		if c.done() {
			return 0, true
		}
		return c.offset()
	case "EDT":
		return -4 * time.Hour, true
	case "EST", "CDT":
		return -5 * time.Hour, true
	case "CST", "MDT":
		return -6 * time.Hour, true
	case "MST", "PDT":
		return -7 * time.Hour, true
	case "PST":
		return -8 * time.Hour, true
	}
	return 0, false
}
