// Package frontier says what to fetch next, and when. It holds the contract
// that storage engines implement, and the rules of order, scope and canonical
// form; it does no I/O.
//
// The trip of a URL:
//
//  1. [Canonical] gives it the one spelling under which it is known, keyed and
//     requested; [HostKey] the name under which its host is paced.
//  2. [Scope] and [Trap] say whether the job wants it.
//  3. [Engine.Discover], or the links of a settlement, make it known: one record
//     and one queue entry, ordered by [Rank].
//  4. [Engine.Claim] hands it out in a [Grant], when its host may be asked.
//  5. [Engine.Settle] closes it: outcome, outlinks and the host's next time in
//     one atomic unit.
//
// States, and who moves a URL between them:
//
//	(unknown) ─Discover─▶ ready ─Claim─▶ leased ─Settle─▶ settled ──(Renew)──▶ ready
//	                        ▲               ├──▶ future (not before a time) ──▶ ready
//	                        └── crash, lapse ┘
//
// What the package must never do: know robots.txt, HTTP, HTML or a database;
// read a clock; sleep.
package frontier
