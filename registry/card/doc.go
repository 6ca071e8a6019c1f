// Package card reads consent cards (Internet-Draft botcentral-card-00): the
// JSON record in which the owner of a domain says what automated clients may
// use its content for.
//
// In order:
//
//  1. [ReadJSON] accepts a text that is sound, small and flat enough, and names
//     no member twice. Everything after it reads what it has accepted.
//  2. [Parse] turns the octets of one card into a [Card]. Defaults fill what is
//     absent (BC-C-006); what is present and not understood counts against the
//     reader: it closes what it might have closed and grants nothing (BC-C-933).
//     A null is present.
//  3. [Card.Hold] keeps of a card what a decision needs, in a few hundred octets
//     ([Held]), whatever the size of the document.
//  4. [Held.State] says how far the proof of a card reaches now: fresh, stale,
//     pending or unverified (BC-C-906 to BC-C-908).
//  5. [Candidates] gives the pages a card declares, with the score that places
//     them in our own queue.
//
// What it must never do: I/O, read a clock, decide (that is for the sources in
// politeness/standards), believe a registry that a card is fresh, or show a
// score as a ranking of sites or as a word on quality (BC-C-010).
//
// Invariants, each of them a test: members the draft does not know change
// nothing; taking a member away or spoiling it never adds a grant of train or
// act; no state but fresh grants; the zero Held grants nothing.
package card
