// Package mirror keeps a local copy of the consent cards of configured
// registries, so that a decision about a host costs no request and shows
// nobody what is crawled (BC-C-927).
//
// For each registry, one step at a time:
//
//  1. The discovery document names the resources of the registry and the domains
//     it lists. It is read once and then once a day. Where there is none, the
//     paths are the fixed ones under /v1 and the change feed names the domains
//     (BC-C-935). Resources elsewhere than on the configured host are not used
//     (BC-C-020). After it robots.txt is looked at: the interface is documented
//     and read whatever it says, but the operator is told (BC-C-936).
//  2. The snapshot is polled every 15 minutes, and once when a process starts if
//     the last poll is older than a minute. While it is unchanged, no more is
//     asked (BC-C-009): an idle poll is one conditional request.
//  3. On a new snapshot the change feed is read from the stored cursor. The cards
//     it names are read again. An expired cursor (410) means reading the feed and
//     the list from their beginnings.
//  4. Cards are read one by one, conditionally where there is a copy: those of
//     domains that [Mirror.Want] named first, the others in random order. A card
//     older than its cache life is read again (BC-C-926). A domain that is not
//     listed is never asked for.
//  5. [Mirror.Lookup] answers from memory.
//
// All requests to a registry, whatever they ask, pass one budget (BC-C-019): 20
// in any minute. A 429 or 503, and a registry that cannot be reached, pause all
// of them; an answer that is no card pauses that card. An error never deletes a
// card and never counts as the absence of one (BC-C-914).
//
// What is learned is stored through [Store] before it counts, and requests are
// counted before they are sent, so that a process that is killed neither forgets
// a restriction nor asks twice as often.
//
// What it must never do: write to a registry (BC-C-016), send a credential
// (BC-C-927), follow a redirect or plain http, use a registry that is not
// configured (BC-C-916), or decide.
//
// Traps: nothing here sleeps while it holds the turn of a registry; only
// [Mirror.Run] waits. [Mirror.Lookup] must not wait for a step, so steps hold
// the lock of the table only to put in what they have found.
package mirror
