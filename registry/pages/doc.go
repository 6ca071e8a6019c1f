// Package pages shows the registry to people: a start page with a search, one
// page for each site, and how it all works.
//
//  1. [New] parses the embedded templates and the style sheet once.
//  2. A request is answered from what a [Catalog] answers: the pages are one
//     more reader of the same JSON, with no access of their own.
//  3. Every answer forbids scripts, frames and foreign content (Content
//     Security Policy); the style sheet is part of the page and named by hash.
//
// What it must never do: need a script, a cookie or a second request; show a
// score, or order sites by one ("never a ranking"); link to anything of a card
// but http and https URLs; say that a card blocks access (BC-R-039).
//
// Text of cards is a stranger's: html/template escapes it, <bdi> keeps its
// direction to itself, and every piece is cut to a readable length.
package pages
