package crawler

import "heed/frontier"

// Indices of the counters that ride in every settlement. Their order is part of
// the stored state: new ones go to the end.
const (
	countPages = iota
	countNotModified
	countRefused
	countFailed
	countGone
	countBytesWire
	countBytesDecoded
	countBytesSaved
	countInformational
	countSuccess
	countRedirection
	countClientError
	countServerError
	countContextIndex
	countContextNone
	countContextUndetermined
	countPolicy
	countOutOfScope
	countNofollow
	countLinksOverLimit
	countContextKnown
	countListKnown
	countLists
)

// statusClass is the counter of a status, -1 for none.
func statusClass(status int) int {
	if status < 100 || status > 599 {
		return -1
	}
	return countInformational + status/100 - 1
}

// Counts are the counters of a run or of a job, by name.
type Counts struct {
	Pages        int64            `json:"pages"`
	NotModified  int64            `json:"not_modified"`
	Refused      int64            `json:"refused"`
	Failed       int64            `json:"failed"`
	Gone         int64            `json:"gone"`
	BytesWire    int64            `json:"bytes_wire"`
	BytesDecoded int64            `json:"bytes_decoded"`
	BytesSaved   int64            `json:"bytes_saved"`
	Statuses     map[string]int64 `json:"statuses"`
	Context      ContextCounts    `json:"context"`
	OutOfScope   int64            `json:"links_out_of_scope"`
	Nofollow     int64            `json:"links_nofollow"`
	OverLimit    int64            `json:"links_over_limit"`
	Policy       int64            `json:"policy_requests"`
	Lists        int64            `json:"sitemap_requests"`
}

// ContextCounts tells how the llm-context cycles ended.
type ContextCounts struct {
	Index        int64 `json:"index"`
	None         int64 `json:"none"`
	Undetermined int64 `json:"undetermined"`
}

// CountsOf names the counters of a tally.
func CountsOf(t frontier.Tally) Counts {
	c := Counts{
		Pages: t[countPages], NotModified: t[countNotModified], Refused: t[countRefused], Failed: t[countFailed],
		Gone: t[countGone], BytesWire: t[countBytesWire], BytesDecoded: t[countBytesDecoded], BytesSaved: t[countBytesSaved],
		Context:    ContextCounts{t[countContextIndex], t[countContextNone], t[countContextUndetermined]},
		OutOfScope: t[countOutOfScope], Nofollow: t[countNofollow], OverLimit: t[countLinksOverLimit], Policy: t[countPolicy], Lists: t[countLists],
		Statuses: map[string]int64{},
	}
	for class := 1; class <= 5; class++ {
		if n := t[countInformational+class-1]; n > 0 {
			c.Statuses[string(rune('0'+class))+"xx"] = n
		}
	}
	return c
}

// Minus subtracts an earlier state of the same counters.
func minus(now, before frontier.Tally) frontier.Tally {
	for i := range now {
		now[i] -= before[i]
	}
	return now
}
