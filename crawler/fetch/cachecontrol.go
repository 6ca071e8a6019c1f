package fetch

import "strings"

// directives are the response directives of Cache-Control that a private cache
// acts on. s-maxage and private speak to shared caches.
type directives struct {
	noStore, noCache, mustRevalidate, public bool
	hasMaxAge                                bool
	maxAge                                   int64 // seconds
}

// parseCacheControl reads all field lines together. It never fails: a number
// that does not parse makes the response stale, the smallest of several counts
// (RFC 9111 4.2.1), and unknown directives are ignored.
func parseCacheControl(lines []string) directives {
	var d directives
	for _, line := range lines {
		for line != "" {
			var name, value string
			name, value, line = nextDirective(line)
			d.add(strings.ToLower(name), value)
		}
	}
	return d
}

func (d *directives) add(name, value string) {
	switch name {
	case "no-store":
		d.noStore = true
	case "no-cache":
		// With field names it covers these only; revalidating all is the safe reading.
		d.noCache = true
	case "must-revalidate":
		d.mustRevalidate = true
	case "public":
		d.public = true
	case "max-age":
		seconds, ok := deltaSeconds(value)
		if !ok {
			seconds = 0
		}
		if !d.hasMaxAge || seconds < d.maxAge {
			d.maxAge = seconds
		}
		d.hasMaxAge = true
	}
}

// nextDirective cuts the first member off a list: a token with an optional
// value, which may be a quoted string holding commas.
func nextDirective(line string) (name, value, rest string) {
	end := strings.IndexAny(line, ",=")
	if end < 0 {
		return strings.Trim(line, " \t"), "", ""
	}
	name = strings.Trim(line[:end], " \t")
	if line[end] == ',' {
		return name, "", line[end+1:]
	}
	line = strings.TrimLeft(line[end+1:], " \t")
	if !strings.HasPrefix(line, `"`) {
		value, rest, _ = strings.Cut(line, ",")
		return name, strings.Trim(value, " \t"), rest
	}
	var b strings.Builder
	i := 1
	for ; i < len(line) && line[i] != '"'; i++ {
		if line[i] == '\\' && i+1 < len(line) {
			i++
		}
		b.WriteByte(line[i])
	}
	_, rest, _ = strings.Cut(line[min(i+1, len(line)):], ",")
	return name, b.String(), rest
}
