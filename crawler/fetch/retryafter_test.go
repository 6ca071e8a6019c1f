package fetch

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := testDate
	for _, tt := range []struct {
		name   string
		values []string
		want   time.Duration // -1: ignored
	}{
		{"seconds", []string{"120"}, 2 * time.Minute},
		{"zero", []string{"0"}, 0},
		{"blanks around", []string{" 120\t"}, 2 * time.Minute},
		{"IMF-fixdate", []string{"Mon, 30 Nov 2026 12:00:04 GMT"}, 4 * time.Second},
		{"RFC 850 date", []string{"Monday, 30-Nov-26 12:00:04 GMT"}, 4 * time.Second},
		{"asctime date", []string{"Mon Nov 30 12:00:04 2026"}, 4 * time.Second},
		{"a date in the past is now", []string{"Wed, 21 Oct 2015 07:28:00 GMT"}, 0},
		{"a date far ahead is cut", []string{"Mon, 30 Nov 2099 12:00:00 GMT"}, MaxRetryAfter},
		{"ten digits are cut", []string{"9999999999"}, MaxRetryAfter},
		{"a hundred digits are cut", []string{"1" + strings.Repeat("0", 99)}, MaxRetryAfter},
		{"more than a day is cut", []string{"86401"}, MaxRetryAfter},
		{"the later of two", []string{"10", "20", "soon"}, 20 * time.Second},
		{"negative", []string{"-5"}, -1},
		{"signed", []string{"+5"}, -1},
		{"fraction", []string{"1.5"}, -1},
		{"word", []string{"soon"}, -1},
		{"empty", []string{""}, -1},
		{"none", nil, -1},
		{"other digits", []string{"１２"}, -1},
	} {
		at, ok := RetryAfter(http.Header{"Retry-After": tt.values}, now)
		if ok != (tt.want >= 0) || ok && at.Sub(now) != tt.want {
			t.Errorf("%s: %v %v, want %v", tt.name, at.Sub(now), ok, tt.want)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"120", "-5", "9999999999", "Wed, 21 Oct 2015 07:28:00 GMT", "Monday, 30-Nov-26 12:00:04 GMT", "soon", "0x10"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, ok := RetryAfter(http.Header{"Retry-After": {s}}, testDate)
		if ok && (at.Before(testDate) || at.After(testDate.Add(MaxRetryAfter))) {
			t.Fatalf("%q gives %v", s, at)
		}
	})
}
