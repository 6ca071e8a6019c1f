package config

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration that is written as in Go, with days besides:
// 500ms, 90s, 1h30m, 7d, 1d12h. A day has 24 hours.
type Duration time.Duration

const day = 24 * time.Hour

// Std returns d as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String writes d in the form UnmarshalText reads, without zero parts.
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// MarshalText writes d as String does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration. A bare number other than 0 is refused: it
// does not say its unit.
func (d *Duration) UnmarshalText(text []byte) error {
	s := string(text)
	if _, err := strconv.ParseFloat(s, 64); err == nil && s != "0" {
		return &valueError{"has no unit", "write " + s + "s, " + s + "m or " + s + "h"}
	}
	rest, negative := strings.CutPrefix(s, "-")
	var total time.Duration
	if number, after, ok := strings.Cut(rest, "d"); ok {
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || strings.Trim(number, "0123456789.") != "" || n > float64(math.MaxInt64/day) {
			return errDuration()
		}
		total, rest = time.Duration(n*float64(day)), after
		if rest == "" {
			rest = "0"
		}
	}
	part, err := time.ParseDuration(rest)
	if err != nil || part < 0 || strings.HasPrefix(rest, "-") || part > math.MaxInt64-total {
		return errDuration()
	}
	total += part
	if negative {
		total = -total
	}
	*d = Duration(total)
	return nil
}

func errDuration() error {
	return &valueError{"is not a duration", "write 500ms, 90s, 5m, 2h or 7d"}
}

// Date is a day, written 2026-11-30.
type Date struct{ t time.Time }

// Time returns midnight UTC at the start of the day; the zero time if unset.
func (d Date) Time() time.Time { return d.t }

// IsZero tells whether no day is set.
func (d Date) IsZero() bool { return d.t.IsZero() }

// String writes the day as 2006-01-02, "" if unset.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.t.Format(time.DateOnly)
}

// MarshalText writes d as String does.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a day.
func (d *Date) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil || t.IsZero() {
		return &valueError{"is not a day", "write it like 2026-11-30"}
	}
	d.t = t
	return nil
}
