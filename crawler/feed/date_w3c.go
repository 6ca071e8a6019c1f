package feed

import "time"

// w3c reads the six forms of the W3C date and time formats, from a year alone to fractions of a second.
// It also takes a space for the T, one digit for month and day, an offset without its colon, and no zone
// at all.
func (c *cursor) w3c() (time.Time, time.Duration, bool) {
	year, _ := c.digits(4, 4)
	if c.done() {
		t, ok := date(year, 1, 1)
		return t, t.AddDate(1, 0, 0).Sub(t) + west, ok
	}
	month, ok := c.dashed()
	if !ok {
		return time.Time{}, 0, false
	}
	if c.done() {
		t, ok := date(year, month, 1)
		return t, t.AddDate(0, 1, 0).Sub(t) + west, ok
	}
	dayOfMonth, ok := c.dashed()
	if !ok {
		return time.Time{}, 0, false
	}
	t, ok := date(year, month, dayOfMonth)
	if !ok || c.done() {
		return t, day + west, ok
	}
	if !c.take('T') && !c.take('t') && !c.take(' ') {
		return time.Time{}, 0, false
	}
	at, ok := c.clock()
	if !ok {
		return time.Time{}, 0, false
	}
	c.skipSpace()
	t = t.Add(at.sinceMidnight)
	if c.done() {
		return t, at.span + west, true
	}
	offset, ok := c.zone()
	return t.Add(-offset), at.span, ok && c.done()
}

func (c *cursor) dashed() (int, bool) {
	if !c.take('-') {
		return 0, false
	}
	return c.digits(1, 2)
}
