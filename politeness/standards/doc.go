// Package standards holds the sources a gate asks, one family of files each, and
// the table that puts them in order.
//
// For every origin, in this order:
//
//  1. [All] lists the sources as a visitor meets the notices at a door: the
//     operator of this crawler, the scope of the job, the address guard, the
//     method, robots.txt (RFC 9309), automation-preferences.txt, consent cards and
//     their registries, TDMRep, AIPREF, Content-Signal, the page's own rules, RSL,
//     and last the pace.
//  2. Each source says where its document lies (Where), turns the octets,
//     whatever their status, into rules (Read), and judges questions (Judge).
//     What a 404, a 503 or a web page in the place of a file means is decided in
//     the source's own files.
//  3. robots.txt goes through a scanner (lines), a group merge, a normaliser of
//     percent-encoding and a matcher whose work is linear in the path, all ours.
//     The same matcher serves every other standard with paths. Patterns are
//     compiled once a document, and a sieve of octets rules most of them out.
//  4. Where every rule that addresses us is literal, temoto/robotstxt reads the
//     cleaned group a second time and must come to the same answer for each
//     path that is asked. If it does not, the URL is refused and counted
//     (Options.Disagreements). The second reader tests prefixes only, which
//     costs a few nanoseconds a rule, so it is consulted up to secondReaderRules
//     rules and left out above. A decision of all sources over documents of 100
//     rules each takes about 5 µs.
//  5. Some sources only restrict (automation-preferences.txt, TDMRep, the page's
//     rules, RSL); train is granted by AIPREF, Content-Signal and cards, act by
//     cards alone. What a source says about uses it says as votes, each with its
//     line and reason.
//  6. Rules of the operator may lift a standard for single hosts. The standard
//     is still read and judged: its opinion stays in the decision with the
//     operator's words beside it, but no longer refuses.
//
// What it must never do: I/O, read a clock, fail on what a stranger wrote, or
// let one malformed line spoil another. What cannot be understood grants nothing;
// a robots.txt that cannot be read closes the origin.
//
// Traps: rule texts and records come from strangers, so they are bounded and
// freed of control characters before they are kept. A record that is unknown to
// RFC 9309 neither ends a group nor starts its rules (2.2.4), except that usage
// lines are rules of their group for those who read them. A limit of ours must
// close, never open: whoever adds one says what is lost by it.
package standards
