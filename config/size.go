package config

import (
	"math"
	"strconv"
	"strings"
)

// Size is a number of octets, written 512000, 512KiB, 10MiB or 1GB.
type Size int64

// sizeUnits is ordered by preference of String: binary units first, large ones
// before small ones.
var sizeUnits = [...]struct {
	name   string
	octets Size
}{
	{"TiB", 1 << 40}, {"GiB", gib}, {"MiB", mib}, {"KiB", kib},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"kB", 1e3}, {"B", 1},
}

// Bytes returns the number of octets.
func (s Size) Bytes() int64 { return int64(s) }

// String writes s in the form UnmarshalText reads, in the first unit of the
// table that divides it.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if s != 0 && s%u.octets == 0 {
			return strconv.FormatInt(int64(s/u.octets), 10) + u.name
		}
	}
	return "0B"
}

// MarshalText writes s as String does.
func (s Size) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a whole number of octets or of one unit.
func (s *Size) UnmarshalText(text []byte) error {
	number, unit := string(text), Size(1)
	for _, u := range sizeUnits {
		if before, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = before, u.octets
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || number[0] == '+' || n > math.MaxInt64/int64(unit) || n < math.MinInt64/int64(unit) {
		return &valueError{"is not a size", "write octets like 512000, or 512KiB, 10MiB, 1GB"}
	}
	*s = Size(n) * unit
	return nil
}
