package frontier

import "time"

// The queue is ordered by score, then depth, then age. Strict order would let
// a stream of better pages starve the rest for ever, so each step of score and
// depth is worth a span of waiting instead: of two URLs that became known at
// the same time the one with the higher score goes first, and an old URL
// overtakes a new and better one after the spans below.
const (
	scoreSpan = time.Hour   // a point of score
	depthSpan = time.Minute // a link further from the seed
	maxScore  = 100
	maxDepth  = 255
)

// MaxWait bounds aging: a URL of the lowest score and the greatest depth is
// overtaken only by URLs that become known no more than this after it.
const MaxWait = maxScore*scoreSpan + maxDepth*depthSpan

// Rank places a URL in the queue: the lower, the earlier. It is a virtual time
// in milliseconds and fits in 48 bits until the year 10000.
func Rank(score, depth int, known time.Time) uint64 {
	score = min(max(score, 0), maxScore)
	depth = min(max(depth, 0), maxDepth)
	penalty := time.Duration(maxScore-score)*scoreSpan + time.Duration(depth)*depthSpan
	return uint64(max(known.Add(penalty).UnixMilli(), 0))
}
