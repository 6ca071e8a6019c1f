package settings

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

const minute = time.Minute

// maxRate bounds a rate: above it a limit limits nothing.
const maxRate = 1_000_000

var errRate = errors.New("is not a rate; write 120/m, 2/s, 5000/h or 0 for no limit")

// Rate is a number of reads in a time, written 120/m. The zero value is no
// limit, written 0.
type Rate struct {
	Count int
	Per   time.Duration
}

// String writes r in the form UnmarshalText reads.
func (r Rate) String() string {
	unit := map[time.Duration]string{time.Second: "s", minute: "m", time.Hour: "h"}[r.Per]
	if r.Count == 0 || unit == "" {
		return "0"
	}
	return strconv.Itoa(r.Count) + "/" + unit
}

// Words writes r for people; "" is no limit.
func (r Rate) Words() string {
	unit := map[time.Duration]string{time.Second: "second", minute: "minute", time.Hour: "hour"}[r.Per]
	if r.Count == 0 || unit == "" {
		return ""
	}
	return strconv.Itoa(r.Count) + " reads a " + unit
}

// MarshalText writes r as String does.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a rate.
func (r *Rate) UnmarshalText(text []byte) error {
	if string(text) == "0" {
		*r = Rate{}
		return nil
	}
	number, unit, _ := strings.Cut(string(text), "/")
	per, ok := map[string]time.Duration{"s": time.Second, "m": minute, "h": time.Hour}[unit]
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || n > maxRate || number[0] == '+' {
		return errRate
	}
	*r = Rate{n, per}
	return nil
}
