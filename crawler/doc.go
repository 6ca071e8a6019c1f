// Package crawler is the conductor: it walks one URL at a time through the
// rooms, and runs as many walks side by side as there are workers.
//
// A visit, in order:
//
//  1. The frontier grants a URL of a host that may be asked now.
//  2. The gate decides. If it needs a policy document first, that document is
//     this visit's one request, and the URL goes back untouched.
//  3. The pacer gives the host's slot, or a time to come back at.
//  4. One request goes out.
//  5. The pacer learns from the answer.
//  6. Links and meta are extracted; what is in scope becomes candidates.
//  7. The gate looks at the response.
//  8. Record and ledger line are prepared.
//  9. One settlement closes it all.
//
// Sitemaps and feeds are queue items of their own (list.go), taken through the same
// steps. A job that keeps fresh walks over what is settled from time to time and
// queues again what is due (keepfresh.go).
//
// An on-demand request takes the same steps and waits between them, up to its
// patience. There is no second door.
//
// What it must never do: open a socket or a file itself; know a standard, an
// engine or a configuration by name; sleep while it holds a slot of a host;
// follow a redirect without judging the target afresh.
package crawler
