package prover

import (
	"context"
	"errors"

	"heed/crawler/fetch"
	"heed/registry/proof"
)

// getter sends the requests of a proof through the guarded client.
type getter struct{ client *fetch.Client }

var _ proof.Getter = getter{}

func (g getter) Get(ctx context.Context, url string, maxBytes int64) (proof.Answer, error) {
	x, err := g.client.Do(ctx, fetch.Request{URL: url, Accept: "text/plain, */*;q=0.1", MaxBodyBytes: maxBytes, CutBody: true})
	defer func() { _ = x.Close() }() // its body is in memory
	if err != nil {
		return proof.Answer{}, publicly(err)
	}
	body, err := x.Body.Bytes(maxBytes)
	if err != nil {
		return proof.Answer{}, publicly(err)
	}
	// The exchange takes its memory back.
	return proof.Answer{Status: x.Status, Header: x.Header, Body: append([]byte(nil), body...), Cut: x.Cut}, nil
}

// publicly says what went wrong without an address: notes are public.
func publicly(err error) error {
	var e *fetch.Error
	if !errors.As(err, &e) {
		return errors.New("the answer could not be read")
	}
	switch e.Kind {
	case fetch.KindAddress, fetch.KindPort, fetch.KindScheme:
		return proof.ErrAddress
	}
	if e.Reason != "" {
		return errors.New(e.Kind.String() + ": " + e.Reason)
	}
	return errors.New(e.Kind.String())
}
