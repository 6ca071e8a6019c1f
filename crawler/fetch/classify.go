package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// classify gives err its kind. caller is the context Do was called with, ctx the
// one of the fetch, whose cause says which of our own limits ended it.
func classify(caller, ctx context.Context, err error, headSeen bool) *fault {
	var f *fault
	if errors.As(context.Cause(ctx), &f) && caller.Err() == nil {
		return f
	}
	if errors.As(err, &f) {
		return f
	}
	if cerr := caller.Err(); cerr != nil {
		if errors.Is(cerr, context.DeadlineExceeded) {
			return &fault{kind: KindTimeout, reason: "the caller's deadline passed", err: cerr}
		}
		return &fault{kind: KindCancelled, reason: "given up by the caller", err: cerr}
	}
	var ne net.Error
	switch {
	case errors.Is(err, errPanic):
		return &fault{kind: KindInternal, reason: "fault while fetching", err: cause(err)}
	case errors.As(err, &ne) && ne.Timeout():
		return &fault{kind: KindTimeout, reason: "no answer in time", err: cause(err)}
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return &fault{kind: KindReset, reason: "connection was reset", err: cause(err)}
	case errors.Is(err, io.ErrUnexpectedEOF) && headSeen:
		return &fault{kind: KindTruncated, reason: "body ends early", err: cause(err)}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &fault{kind: KindReset, reason: "connection closed before the head was complete", err: cause(err)}
	}
	return byText(err)
}

// byText sorts the errors that net/http makes from plain text.
func byText(err error) *fault {
	text := err.Error()
	for _, known := range []struct {
		part   string
		kind   Kind
		reason string
	}{
		{"response headers exceeded", KindHeaders, "response head is too large"},
		{"header list larger than", KindHeaders, "response head is too large"},
		{"server closed idle connection", KindReset, "connection closed before the answer"},
		{"GOAWAY", KindReset, "connection is shut down by the server"},
		{"client connection lost", KindReset, "connection was lost"},
		{"use of closed network connection", KindReset, "connection was closed"},
		{"REFUSED_STREAM", KindReset, "stream was refused"},
		{"INTERNAL_ERROR; received from peer", KindReset, "stream was reset"},
		{"CANCEL; received from peer", KindReset, "stream was reset"},
		{"NO_ERROR; received from peer", KindReset, "stream was reset"},
	} {
		if strings.Contains(text, known.part) {
			return &fault{kind: known.kind, reason: known.reason, err: cause(err)}
		}
	}
	return &fault{kind: KindProtocol, reason: "answer is not valid HTTP", err: cause(err)}
}

// cause drops the layers around err that repeat method and URL or name the
// resolved address.
func cause(err error) error {
	for {
		var op *net.OpError
		var ue *url.Error
		switch {
		case errors.As(err, &ue) && ue.Err != nil:
			err = ue.Err
		case errors.As(err, &op) && op.Err != nil:
			err = op.Err
		default:
			return err
		}
	}
}
