package settings

import (
	"errors"
	"strconv"
	"strings"
)

// maxRate bounds a rate, in requests a minute: above it a limit limits nothing.
const maxRate = 10_000_000

var errRate = errors.New("is not a rate; write 120/m, 2/s or 0 for no limit")

// Rate is a number of requests a minute, written 120/m or 2/s. Zero is no
// limit, written 0.
type Rate int

// String writes r in the form UnmarshalText reads.
func (r Rate) String() string {
	if r == 0 {
		return "0"
	}
	return strconv.Itoa(int(r)) + "/m"
}

// MarshalText writes r as String does.
func (r Rate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a rate.
func (r *Rate) UnmarshalText(text []byte) error {
	if string(text) == "0" {
		*r = 0
		return nil
	}
	number, unit, _ := strings.Cut(string(text), "/")
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > maxRate || number[0] == '+' {
		return errRate
	}
	switch unit {
	case "m":
	case "s":
		if n *= 60; n > maxRate {
			return errRate
		}
	default:
		return errRate
	}
	*r = Rate(n)
	return nil
}
