package standards

import (
	"strings"
	"time"
)

// parseDelay reads the value of a Crawl-delay line: seconds as a decimal
// number, with a fraction or not. It is a convention, not part of RFC 9309, so
// anything else (signs, units, exponents, thousands separators, words) is
// malformed and says nothing. The result is at most limit.
func parseDelay(value string, limit time.Duration) (time.Duration, bool) {
	whole, fraction, _ := strings.Cut(value, ".")
	if whole == "" && fraction == "" || !digits(whole) || !digits(fraction) {
		return 0, false
	}
	seconds := int64(0)
	for i := range len(whole) {
		seconds = seconds*10 + int64(whole[i]-'0')
		if seconds > int64(limit/time.Second) {
			return limit, true
		}
	}
	delay, unit := time.Duration(seconds)*time.Second, time.Second/10
	for i := 0; i < len(fraction) && unit > 0; i++ {
		delay += time.Duration(fraction[i]-'0') * unit
		unit /= 10
	}
	return min(delay, limit), true
}

func digits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
