// Package politeness answers three questions about a request: may we, why, and
// what may the bytes be used for.
//
// It is the one place where a decision is made. In order:
//
//  1. Somebody fills a [Question]: which URL, by which method, for which
//     purposes, and what is known about scope, address and pace.
//  2. [Gate.Before] asks every [Source] in table order. A source reads policy
//     documents ([Library]) and gives an [Opinion].
//  3. Where a document is missing or stale, Before answers with a [Need]
//     instead: one document, to be fetched as the next request to that host.
//     Nothing is asked of an origin once a source denies, waits, or all purposes
//     are refused. A document may be bound by another source (Place.BoundBy),
//     matter to some purposes only (Place.For), or name further ones ([Referrer]).
//  4. [Combine] joins the opinions: any Deny denies; else an explicit No to every
//     purpose denies; else any Wait waits; else purposes that are closed, be it by
//     silence, deny; else it allows.
//  5. [Gate.After] shows the response to the sources that read responses. The
//     access verdict can only get stricter there. About uses a source may
//     supersede its own earlier word, in either direction, and nobody else's.
//  6. For people, [Conflicts] lists voices that contradict each other and
//     [Gate.Notes] what was odd about documents. Neither changes a decision.
//
// What it must never do: open a socket, read the clock (the Question carries
// the time), know how a standard is written, or keep a verdict without its
// reason.
//
// Invariants, each of them a test: the zero [Verdict] denies; adding an opinion
// that grants no use never softens a decision (only a wait may take the place
// of purposes that are closed so far by silence); no grant outweighs a refusal,
// and only the origin's own word lifts a weak one; what depends on a document that
// was not read is not granted; the order of opinions changes only which of several
// denials is named as the decisive one; the same documents and the same question
// give the same decision.
package politeness
