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
//     Nothing is asked of an origin that an earlier source already refused.
//  4. [Combine] joins the opinions: any Deny denies, else any Wait waits, else
//     the purposes that nobody closed are allowed, else it denies.
//  5. [Gate.After] shows the response to the sources that read responses. The
//     access verdict can only get stricter there.
//
// What it must never do: open a socket, read the clock (the Question carries
// the time), know a standard by name, or keep a verdict without its reason.
//
// Invariants, each of them a test: the zero [Verdict] denies; adding an opinion
// that grants no use never softens a decision (only a wait may take the place
// of purposes that are closed so far); no grant outweighs a refusal; the order
// of opinions changes only which of several denials is named as the decisive
// one; the same documents and the same question give the same decision.
package politeness
