// Package bolt is the embedded engine of the frontier: one bbolt file a job,
// one process. It also keeps policy documents, the pacer's state and small
// notes of other rooms, because they must be as durable as the queue.
//
// What happens to an operation:
//
//  1. The caller's goroutine checks it, hashes its URLs with the key of the file
//     and drops links that are known to change nothing ([Options.Seen]).
//  2. Under one lock it changes the schedule (a slot gets free, a host waits)
//     and joins the queue of the writer. Whether a token is current is decided
//     here.
//  3. The writer, the only goroutine that commits, takes a group: attachments
//     are made durable first, then hosts, links, outcomes and values are applied
//     in the order of their keys, and one transaction commits them all.
//  4. What was committed is told to the schedule, and the callers are answered.
//
// What is stored (numbers in keys are big-endian):
//
//	u   hostID hash       -> the record of a URL
//	r   hostID rank hash  -> nothing: the URL is ready
//	f   due hostID hash   -> nothing: the URL is ready from then on
//	h   hostID            -> the row of a host: next time, pace, counts, the day's cost
//	hn  host name         -> hostID
//	m                     -> schema, key of the hash, totals, the day's cost, marks, progress
//	d   URL               -> a policy document
//	n   kind NUL key      -> a note
//
// Leases are not stored. The queue entry of a leased URL stays where it is
// until its settlement commits, so a crash gives every lease back. The rank of a
// URL counts from the time it became due: when it was discovered, its NotBefore,
// the Due of its last outcome, or the now of its pass.
//
// After an unclean stop every host waits one full delay from the next Open. A
// stored next time more than 25 hours ahead is cut to 25 hours; a clock that
// jumps back takes the waits with it, one that jumps forward ends them.
//
// Memory: per host with work about 350 octets, per host that was claimed a
// buffer of at most 64 queue entries, per URL in flight 100 octets; nothing per
// known URL.
//
// What the package must never do: hand out bytes that belong to a transaction;
// keep page bodies; sleep; scan URLs in Open or Claim; decide what to fetch.
package bolt
