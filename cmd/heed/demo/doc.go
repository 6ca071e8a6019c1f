// Package demo is the world that `heed demo` crawls: more than eighty small sites
// on loopback, each of which asks for one thing and shows whether it was given.
//
// What it does, in order:
//
//  1. [Start] makes a certificate authority of its own, opens one TLS and one
//     plain listener on 127.0.0.1 and one TLS listener on an address that the
//     crawler must never reach, and writes the authority's certificate to a
//     temporary file. Beside it lies the state of a registry, the real server
//     (package registry), filled with cards in every state.
//  2. SNI and the Host field choose the site. The names lie under demo.test, those
//     of sites with a card directly under test, because a card speaks for a whole
//     domain. [World.Resolve] says where they live, [World.AllowAddress] which
//     address may be opened for them, [World.Registry] who has the cards.
//  3. Every request is recorded with what the servers alone can know: when it
//     came, how many were open beside it, which validators it carried, what
//     went out ([World.Log]).
//  4. [World.Advance] turns the first half into the second: a page is edited,
//     one is gone, a robots.txt forbids more, a site is down, a slow site has
//     recovered, an index is new. Everything else stays, so that a second crawl
//     can show what its 304s saved.
//  5. [Site.Explain] compares what a site is there to show with what the
//     crawler reports ([Observation]) and what the servers saw ([Log]), and
//     gives one [Row] of the closing table.
//  6. [World.Close] ends every handler and listener and removes the files.
//
// What it must never do: crawl, decide, or know a room of the crawler; check a
// proof; leave loopback; hold a hostile body in memory (bombs, drips and floods
// are produced while they are sent); answer differently to the same sequence of
// requests; put a sentence into a row that was not observed.
//
// Invariants. A handler ends when the context of its request ends. Closing
// leaves no goroutine. A row is OK only if every expectation of its site holds.
//
// For the second half a reader should know that a copy of robots.txt is fresh
// for a day: robots-changes.demo.test sends max-age=1, and a crawler that
// ignores it has to be run with its clock a day later. Certificates are valid
// for 90 days and max-age-fresh.demo.test promises a week, so both outlast that.
package demo
