// Package registry is the consent-card registry of
// draft-mitchell-botcentral-card-00: it stores the cards that publishers write,
// finds out who controls a domain, and serves the cards to anyone. Clause ids
// in comments (BC-R-901) name rows of the requirements ledger.
//
// What happens to a write:
//
//  1. The bearer token names a publisher (oauth.go, bearer.go); an address that
//     shows none or a false one gets nothing but an error.
//  2. [validator] takes the body apart: members that belong to the registry are
//     dropped, everything else is checked, what it does not know is kept as it
//     was written (submission.go, schema.json).
//  3. The writer, the one goroutine that commits, decides about it against what
//     is stored: authority, hold, precondition (authority.go, put.go, delete.go).
//     What it accepted and what it refused is one line of writes.jsonl.
//  4. A group of decisions is committed with one sync of the log and one of the
//     state file (shelf.go, writer.go). Only then memory changes and callers
//     are answered.
//
// What happens to a read:
//
//  1. The address pays from its bucket (limiter.go). Nothing else of the reader
//     is kept.
//  2. Cards whose proof has run out are turned stale before anything is
//     answered (flip.go), whether or not the scheduler runs.
//  3. The answer comes from memory, the octets of a card from a bounded cache in
//     front of the state file (prepared.go). Its ETag is the digest of exactly
//     these octets.
//
// What happens to proof: the scheduler (scheduler.go) asks a [Prover] before
// the window of a card ends, and [proofState.after] says what its finding
// changes (proofstate.go). Nothing else changes a proof state: no write, no
// publisher's account, no revocation (BC-R-913).
//
// What is stored (state file registry.db, numbers big-endian):
//
//	meta       -> schema, epoch, signing key, heads, offset of the log
//	site       domain               -> record of the domain, see codec.go
//	card       domain               -> revision(8), the submitted card
//	token      domain NUL publisher -> verification tokens
//	revoked    domain NUL publisher -> when the owner revoked the publisher
//	publisher  id                   -> account, with hashed secrets
//
// What the package must never do: take a card from anyone but a publisher; call
// a card proven for any reason but a passed check; serve a verification token;
// keep the identity of an anonymous reader beyond the rate limiter; show scores
// as an order of sites; open a connection (a Prover does); claim to enforce
// what a card says (BC-R-039).
package registry
