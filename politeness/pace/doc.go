// Package pace decides how soon a host may be asked again. It answers with
// times and never waits itself.
//
// The walk of one request:
//
//  1. Admit takes a slot of the host, and of the address behind it, if the host
//     may be asked now; otherwise it says until when to wait, and why.
//  2. The caller sends one request. When the head of an answer is there, Hear
//     makes a wait that it asks for durable before the body is read.
//  3. Observe gives the slot back with what came of it. The next time of the
//     host follows from status, Retry-After and latency. A wait the site asked
//     for is durable before the slot is free.
//  4. Release gives a slot back when nothing was sent; the host is then as it
//     was before.
//
// The next start of a host is never before any of
//
//	last start + Delay(host)      counted from request start to request start
//	the end of a Retry-After      RFC 9110 10.2.3, counted from the head of the
//	                              answer, cut at Options.RetryAfterMax
//	the end of a back-off         429, 503, five failures in a row, or three 403
//	                              in a row that the site's preferences contradict
//	the revival of the dead       Options.DeadAfter requests without an answer
//	the end of a running request  when all Options.PerHost slots are taken
//
// Delay(host) is the largest of the operator's floor, the Crawl-delay (cut at
// Options.MaxCrawlDelay) and Options.AdaptiveFactor times the smoothed latency
// (cut at Options.MaxAdaptive). A floor of zero switches the adaptive part off.
//
// # Restarts
//
// A host is read from the Shelf when it is first touched. After a clean stop
// the saved next time holds. After any other end the process may have asked a
// host without having written it down, so every host, known or not, counts as
// asked at Options.StartedAt.
//
// # Clocks
//
// Times inside a process carry the monotonic reading of the clock. Where a
// clock has jumped back all the same (saved times, a clock without such a
// reading), a last start in the future counts as a start now: the host waits
// one full delay, and not for ever. A hold further ahead than RetryAfterMax and
// an hour is cut to RetryAfterMax.
//
// # Limits
//
// This package never sleeps, never starts a goroutine that outlives a call,
// opens no socket, reads no header, and knows no robots.txt: parsed values come
// in as durations and times. State of idle hosts is dropped above
// Options.MaxHosts, never while a slot is out, a next time
// lies ahead, or a Crawl-delay could still reach back to the last start.
package pace
