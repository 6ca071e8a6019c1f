package pace

import "time"

// Standing is what a stored record tells of a host, for reports: nothing is loaded
// and no pacer is asked.
type Standing struct {
	Failures  int // network errors and 5xx in a row
	Throttles int // 429 and 503 in a row

	// Until and Reason are the wait that the record tells of, which may be over.
	Until  time.Time
	Reason string
}

// ReadState reads a record that State made. The error is [ErrRecord].
func ReadState(state []byte) (Standing, error) {
	r, err := decodeRecord(state)
	if err != nil {
		return Standing{}, err
	}
	s := Standing{Failures: int(r.failures), Throttles: int(r.throttles), Until: r.next, Reason: ReasonNotYet}
	if r.until.After(s.Until) || r.until.Equal(s.Until) && !r.until.IsZero() {
		s.Until, s.Reason = r.until, r.hold.reason()
	}
	return s, nil
}
