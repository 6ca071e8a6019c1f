package crawler

import (
	"errors"
	"testing"
	"time"

	"heed/crawler/fetch"
)

func TestThePauseBeforeARetryGoesByTheKindOfFailure(t *testing.T) {
	c := &Crawler{Options: Options{RetryMax: time.Hour}}
	for _, row := range []struct {
		name   string
		failed error
		pause  time.Duration
		want   time.Duration
	}{
		{"an answer that asks to come back", nil, 30 * time.Second, 30 * time.Second},
		{"a reset", &fetch.Error{Kind: fetch.KindReset}, 30 * time.Second, 30 * time.Second},
		{"a body that ended early", &fetch.Error{Kind: fetch.KindTruncated}, 30 * time.Second, 30 * time.Second},
		{"a timeout", &fetch.Error{Kind: fetch.KindTimeout}, 30 * time.Second, time.Minute},
		{"no connection", &fetch.Error{Kind: fetch.KindConnect}, 30 * time.Second, time.Minute},
		{"a name without address", &fetch.Error{Kind: fetch.KindDNS}, 30 * time.Second, time.Minute},
		{"up to the longest pause", &fetch.Error{Kind: fetch.KindDNS}, time.Hour, time.Hour},
		{"an error of another kind", errors.New("odd"), time.Minute, time.Minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := c.retryPause(row.pause, row.failed); got != row.want {
				t.Errorf("%v, want %v", got, row.want)
			}
		})
	}
}
