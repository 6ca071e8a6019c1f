package fetch

import (
	"errors"
	"strconv"
)

// Kind says what went wrong with a fetch. The list is closed; a new member also
// needs its name in kindNames and a line in Error.ReasonCode if policy speaks of it.
type Kind uint8

const (
	// KindUnknown is the zero value and never returned.
	KindUnknown Kind = iota
	// KindAddress: the address is in a range that is not publicly reachable.
	KindAddress
	// KindPort: the port is neither 80 nor 443 and the address is not in an opened range.
	KindPort
	// KindScheme: not an http or https URL, or no valid URL at all.
	KindScheme
	// KindTLS: the handshake failed or the certificate does not prove the name.
	KindTLS
	// KindDNS: the name has no address or the lookup failed; Err holds a
	// *net.DNSError when the resolver gave one.
	KindDNS
	// KindConnect: no connection to any address of the host.
	KindConnect
	// KindReset: the connection was lost before the head was complete, or was reset.
	KindReset
	// KindTimeout: connecting, the head or the whole fetch took too long.
	KindTimeout
	// KindSlow: the body came slower than Limits.MinRateBytes.
	KindSlow
	// KindTruncated: the body or its coded stream ended early.
	KindTruncated
	// KindProtocol: the answer is not valid HTTP.
	KindProtocol
	// KindCoding: an unknown, too deeply stacked or damaged content coding.
	KindCoding
	// KindTooLarge: the body is above the limit, on the wire or decoded.
	KindTooLarge
	// KindRatio: the decoded body is out of proportion to its wire octets.
	KindRatio
	// KindHeaders: the response head is above Limits.HeaderBytes.
	KindHeaders
	// KindCancelled: the caller's context ended or the client was closed.
	KindCancelled
	// KindSpool: the body could not be kept on disk; a local fault, not the peer's.
	KindSpool
	// KindRequest: the request itself cannot be sent (method or field not valid).
	KindRequest
	// KindProxy: the operator's proxy cannot be reached, refuses, or talks nonsense.
	KindProxy
	// KindInternal: a fault of this package or of a library under it.
	KindInternal
)

var kindNames = [...]string{
	KindUnknown: "unknown", KindAddress: "address", KindPort: "port", KindScheme: "scheme",
	KindTLS: "tls", KindDNS: "dns", KindConnect: "connect", KindReset: "reset",
	KindTimeout: "timeout", KindSlow: "slow", KindTruncated: "truncated",
	KindProtocol: "protocol", KindCoding: "coding", KindTooLarge: "too-large",
	KindRatio: "ratio", KindHeaders: "headers", KindCancelled: "cancelled",
	KindSpool: "spool", KindRequest: "request", KindProxy: "proxy", KindInternal: "internal",
}

// String returns the stable name used in logs and records.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind(" + strconv.Itoa(int(k)) + ")"
}

// ErrClosed is the cause of an error from a client that has been closed.
var ErrClosed = errors.New("fetch: client is closed")

// ErrBodyTooLarge is returned by Body.Bytes when the body is longer than asked for.
var ErrBodyTooLarge = errors.New("fetch: body is larger than the caller accepts")

// Error is the only error type that Do, Address and Vet return.
type Error struct {
	Op     string // "do", "address" or "vet"
	URL    string // as given by the caller
	Kind   Kind
	Reason string // a sentence part without any resolved address; may be shown to anyone
	Err    error  // cause, nil for refusals; layers that name an address are taken off
}

// Error names operation, URL, kind, reason and cause. A refusal has no cause,
// so the resolved address never shows.
func (e *Error) Error() string {
	s := "fetch: " + e.Op + " " + strconv.Quote(e.URL) + ": " + e.Kind.String()
	if e.Reason != "" {
		s += ": " + e.Reason
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Timeout reports whether time ran out, as net.Error does.
func (e *Error) Timeout() bool { return e.Kind == KindTimeout || e.Kind == KindSlow }

// ReasonCode maps the kind onto the closed list of policy reasons
// (guard.address, size.ceiling, …). It is empty for kinds that are faults of
// transfer and no refusal.
func (e *Error) ReasonCode() string {
	switch e.Kind {
	case KindAddress:
		return "guard.address"
	case KindPort:
		return "guard.port"
	case KindScheme:
		return "guard.scheme"
	case KindTLS:
		return "guard.tls"
	case KindDNS:
		return "guard.dns"
	case KindTooLarge:
		return "size.ceiling"
	case KindHeaders:
		return "size.headers"
	case KindRatio:
		return "size.ratio"
	case KindSlow:
		return "size.slow"
	default:
		return ""
	}
}

// KindOf returns the kind of the first *Error in err's chain, KindUnknown if there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return KindUnknown
}

// Reason returns the policy reason of err, "" if it has none; see Error.ReasonCode.
func Reason(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.ReasonCode()
	}
	return ""
}

// fault is an error on its way out of the dialler, the reader or the decoder:
// kind and reason are known, operation and URL are added by the client.
type fault struct {
	kind   Kind
	reason string
	err    error
}

func (f *fault) Error() string {
	s := "fetch: " + f.kind.String()
	if f.reason != "" {
		s += ": " + f.reason
	}
	if f.err != nil {
		s += ": " + f.err.Error()
	}
	return s
}

func (f *fault) Unwrap() error { return f.err }
