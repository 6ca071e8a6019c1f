// Package fetch sends one request and returns one exchange.
//
// What happens to a request, in order:
//
//  1. The URL is read as browsers read it and split into host, port and
//     request target; scheme, literal address and port are vetted (target.go,
//     guard.go).
//  2. Memory for the body is reserved from the budget of all bodies (budget.go).
//  3. The request goes through a colly collector whose transport is ours
//     (colly.go). Colly carries the call; nothing it computes reaches the wire
//     or the caller.
//  4. A name becomes addresses by a resolve rule or a cached lookup, and the
//     address that is really dialled is vetted once more (dial.go, guard.go).
//  5. Validators are attached word for word (validators.go).
//  6. The head is read under its own deadline and size limit (transport.go).
//  7. The body is read once, through the wire counter, the content codings and
//     the decoded counter, into memory or, beyond a limit, into a file
//     (receive.go, decode.go, body.go).
//  8. Freshness and validators are derived from the head (freshness.go).
//
// What this package never does: follow a redirect, repeat a request, decide
// whether a URL may be fetched or how soon, read robots.txt, keep cookies, send
// a Referer, take a proxy from the environment, transcode a body, or cut one
// short without an error. (One exception is net/http's: a request without content
// goes out a second time if the kept-alive connection it was first given turns
// out to be closed before any octet of an answer, RFC 9112 9.3.1.)
//
// Invariants:
//
//   - A status is never an error. An error is always an *Error with a Kind.
//   - Whatever the peer controls is bounded: head, wire octets, decoded octets,
//     their ratio, stacked codings, time to connect, to the head and in all,
//     and the rate of the body. Reaching a bound is an error.
//   - The address guard runs on the address handed to connect(2), for every
//     attempt, so a name that changes its answer gains nothing. It is opened
//     only by Options.AllowAddress. TLS verification cannot be switched off.
//   - No colly type and no decompressor type leaves this package.
//
// Traps:
//
//   - Every Exchange must be closed: its bodies hold budget and, when large, an
//     open file. Bodies that are kept open can make later calls of Do wait.
//   - Exchange.Body is nil after an error: part of a body is not a body.
//   - Header and RawResponseHead describe the message as sent, Body the decoded
//     content. Content-Encoding and Content-Length of Header do not apply to Body.
//   - Over HTTP/2 there are no wire octets of a head. A request with WantRaw
//     therefore always goes over HTTP/1.1.
package fetch
