// Package proof looks for the public proof that a domain stands behind its
// consent card: a token in a file of the origin or in a TXT record of the apex.
//
// In order:
//
//  1. The file https://DOMAIN/.well-known/botcentral.txt is asked for, on port
//     443, over at most three redirects that stay on https and inside the
//     registrable domain (BC-P-904, BC-P-909). It passes if its status is 200,
//     its media type is not text/html, its first 400 octets hold no HTML, and a
//     line of it is the one that is looked for (BC-P-003 to BC-P-007). All four
//     hold together: a host that answers every path with a page proves nothing.
//  2. If the file does not pass, the TXT records of the apex are read, all of
//     them (BC-P-012).
//  3. The first that passes names the method (BC-P-905). Otherwise the [Finding]
//     says of each whether it surely is not there or could not be learned, which
//     a registry treats differently (BC-P-906).
//
// A registry knows the tokens it has issued. A client does not, because cards do
// not show them (BC-P-912): without tokens any well-formed line counts, which
// tells that the origin carries some registry's mark, not whose.
//
// What it must never do: own an HTTP client or a resolver, choose an address
// (the Getter dials what it has vetted), take an HTML element for a proof
// (BC-P-021), or put a token into a note.
package proof
