package pace

import (
	"errors"
	"testing"
	"time"
)

func TestAStoredRecordTellsWhatAHostWaitsFor(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	for name, row := range map[string]struct {
		record record
		want   Standing
	}{
		"never asked":     {record{}, Standing{Reason: ReasonNotYet}},
		"its delay":       {record{next: at, lastStart: at.Add(-time.Second)}, Standing{Until: at, Reason: ReasonNotYet}},
		"a Retry-After":   {record{next: at, until: at, hold: holdRetryAfter, throttles: 1}, Standing{Throttles: 1, Until: at, Reason: ReasonRetryAfter}},
		"its failures":    {record{next: at, until: at, hold: holdBackOff, failures: 7}, Standing{Failures: 7, Until: at, Reason: ReasonBackOff}},
		"a hold now over": {record{next: at, until: at.Add(-time.Hour), hold: holdBackOff}, Standing{Until: at, Reason: ReasonNotYet}},
	} {
		got, err := ReadState(row.record.encode())
		if err != nil || !got.Until.Equal(row.want.Until) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		got.Until, row.want.Until = time.Time{}, time.Time{}
		if got != row.want {
			t.Errorf("%s: %+v, want %+v", name, got, row.want)
		}
	}
	if _, err := ReadState([]byte("short")); !errors.Is(err, ErrRecord) {
		t.Errorf("a broken record: %v", err)
	}
}
