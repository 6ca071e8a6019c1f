// Package prover looks at a domain for the registry: whether its owner has
// planted a token, and whether its robots.txt agrees with its card.
//
//  1. [New] builds the guarded client (crawler/fetch: address vetting at dial,
//     every hop by itself, bounds on time and size, BC-P-025 to BC-P-030) and
//     the DNS resolver.
//  2. [Prover.Prove] lets registry/proof look for the tokens and turns what it
//     found into the registry's terms: a proof; certainty that there is none;
//     certainty of DNS alone; or nothing learned (BC-P-906).
//  3. It then reads robots.txt over the same client and judges it as a crawler
//     would (RFC 9309): does it bar a token that the card allows by name
//     (BC-P-908)? That never changes the proof, only its note and the score.
//
// What it must never do: name an address in a note, because notes are public;
// connect to an address that the guard has not vetted; keep anything.
package prover
