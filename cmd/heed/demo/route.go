package demo

import (
	"net/http"
	"strings"
)

// routes maps a path to its answer. A key that ends in "*" serves every path
// with that beginning; an exact key goes first, then the longest beginning.
type routes map[string]http.Handler

// match finds the handler for a decoded path, nil when there is none.
func (r routes) match(path string) http.Handler {
	if h, ok := r[path]; ok {
		return h
	}
	best, length := http.Handler(nil), -1
	for key, h := range r {
		beginning, open := strings.CutSuffix(key, "*")
		if open && strings.HasPrefix(path, beginning) && len(beginning) > length {
			best, length = h, len(beginning)
		}
	}
	return best
}

// fill adds those of more that r does not have itself.
func (r routes) fill(more routes) {
	for path, h := range more {
		if _, taken := r[path]; !taken {
			r[path] = h
		}
	}
}
