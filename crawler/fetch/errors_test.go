package fetch

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestEveryKindHasANameAndTheRightReason(t *testing.T) {
	want := map[string]string{
		"unknown": "", "address": "guard.address", "port": "guard.port", "scheme": "guard.scheme", "tls": "guard.tls", "dns": "guard.dns",
		"connect": "", "reset": "", "timeout": "", "slow": "size.slow", "truncated": "", "protocol": "", "coding": "",
		"too-large": "size.ceiling", "ratio": "size.ratio", "headers": "size.headers", "cancelled": "", "spool": "", "request": "", "proxy": "", "internal": "",
	}
	for k := range Kind(len(kindNames)) {
		err := error(&Error{Op: "do", URL: "u", Kind: k})
		reason, known := want[k.String()]
		if !known || Reason(fmt.Errorf("visit: %w", err)) != reason || KindOf(fmt.Errorf("visit: %w", err)) != k {
			t.Errorf("%d is %q with reason %q", k, k, Reason(err))
		}
		delete(want, k.String())
	}
	if len(want) != 0 || Kind(200).String() != "kind(200)" || KindOf(io.EOF) != KindUnknown || Reason(nil) != "" {
		t.Errorf("missing %v", want)
	}
}

func TestErrorsNameOperationURLAndCause(t *testing.T) {
	err := error(&Error{Op: "do", URL: "http://a/\n", Kind: KindSlow, Reason: "body comes too slowly", Err: io.ErrClosedPipe})
	if got := err.Error(); got != `fetch: do "http://a/\n": slow: body comes too slowly: io: read/write on closed pipe` || !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %s", got)
	}
	var timeout interface{ Timeout() bool }
	if !errors.As(err, &timeout) || !timeout.Timeout() || strings.Contains(err.Error(), "\n") {
		t.Error("not a timeout, or not on one line")
	}
}
