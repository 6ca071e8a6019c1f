// Package standards holds the sources a gate asks, one file each, and the table
// that puts them in order.
//
// For every origin, in this order:
//
//  1. [All] lists the sources as a visitor meets the notices at a door: the
//     operator of this crawler, the scope of the job, the address guard, the
//     method, robots.txt (RFC 9309), and last the pace.
//  2. Each source says where its document lies (Where), turns the octets,
//     whatever their status, into rules (Read), and judges questions (Judge).
//  3. robots.txt goes through a scanner (lines), a group merge, a normaliser of
//     percent-encoding and a matcher whose work is linear in the path, all ours.
//     Patterns are compiled once a document; a decision walks them from the
//     longest to the shortest and stops at the first that fits.
//  4. Where every rule that addresses us is literal, temoto/robotstxt reads the
//     cleaned group a second time and must come to the same answer for each
//     path that is asked. If it does not, the URL is refused and counted
//     (Options.Disagreements). The second reader tests prefixes only, which
//     costs a few nanoseconds a rule, so it is consulted up to secondReaderRules
//     rules and left out above: a decision over 100 rules takes about 2 µs.
//  5. Rules of the operator may lift a standard for single hosts. The standard
//     is still read and judged: its opinion stays in the decision with the
//     operator's words beside it, but no longer refuses.
//
// What it must never do: I/O, read a clock, fail on what a stranger wrote, or
// let one malformed line spoil another. What cannot be understood is skipped;
// what cannot be read closes the origin.
//
// Traps: rule texts and records come from strangers, so they are bounded and
// freed of control characters before they are kept. A record that is unknown to
// RFC 9309 neither ends a group nor starts its rules (2.2.4).
package standards
