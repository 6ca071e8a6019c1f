package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxRequestBytes bounds a call other than an import: an identifier, a name and
// a list of domains.
const maxRequestBytes = 1 << 20

// completed is the trailer that tells a whole stream from one that broke off.
const completed = "Heed-Completed"

// problem is the body of an error answer (RFC 9457), with a code that names the
// sentinel of this package.
type problem struct {
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Status int    `json:"status"`
	Code   string `json:"code,omitempty"`
}

// sentinel relates an error that crosses the socket to a status and a code.
type sentinel struct {
	err    error
	status int
	code   string
}

func sentinels() []sentinel {
	return []sentinel{
		{ErrNotFound, http.StatusNotFound, "not-found"},
		{ErrExists, http.StatusConflict, "exists"},
		{ErrInvalid, http.StatusUnprocessableEntity, "invalid"},
		{ErrDamaged, http.StatusInternalServerError, "damaged"},
	}
}

// publisherDomains names who may write what.
type publisherDomains struct {
	ID      string   `json:"id"`
	Domains []string `json:"domains"`
}

// domainPublisher names whose authority for what ends.
type domainPublisher struct {
	Domain    string `json:"domain"`
	Publisher string `json:"publisher"`
}

// NewHandler serves d.
func NewHandler(d Door) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", answer(func(ctx context.Context, _ struct{}) (Status, error) { return d.Status(ctx) }))
	mux.HandleFunc("GET /v1/publishers", answer(func(ctx context.Context, _ struct{}) ([]Publisher, error) { return d.Publishers(ctx) }))
	mux.HandleFunc("POST /v1/publishers", answer(d.AddPublisher))
	mux.HandleFunc("POST /v1/rotate", answer(d.RotatePublisher))
	mux.HandleFunc("POST /v1/domains", answer(func(ctx context.Context, q publisherDomains) (struct{}, error) {
		return struct{}{}, d.SetDomains(ctx, q.ID, q.Domains)
	}))
	mux.HandleFunc("POST /v1/disable", answer(func(ctx context.Context, id string) (struct{}, error) {
		return struct{}{}, d.DisablePublisher(ctx, id)
	}))
	mux.HandleFunc("POST /v1/revoke", answer(func(ctx context.Context, q domainPublisher) (struct{}, error) {
		return struct{}{}, d.RevokePublisher(ctx, q.Domain, q.Publisher)
	}))
	mux.HandleFunc("POST /v1/restore", answer(func(ctx context.Context, q domainPublisher) (struct{}, error) {
		return struct{}{}, d.RestorePublisher(ctx, q.Domain, q.Publisher)
	}))
	mux.HandleFunc("POST /v1/changed", answer(func(ctx context.Context, domain string) (struct{}, error) {
		return struct{}{}, d.RegistrationChanged(ctx, domain)
	}))
	mux.HandleFunc("POST /v1/check", answer(d.Check))
	mux.HandleFunc("GET /v1/verify", answer(func(ctx context.Context, _ struct{}) (Verification, error) { return d.Verify(ctx) }))
	mux.HandleFunc("GET /v1/export", stream("application/jsonl", d.Export))
	mux.HandleFunc("GET /v1/backup", stream("application/octet-stream", d.Backup))
	mux.HandleFunc("POST /v1/import", func(w http.ResponseWriter, r *http.Request) {
		imported, err := d.Import(r.Context(), r.Body)
		write(w, imported, err)
	})
	return mux
}

// answer serves a call with a JSON request and a JSON result.
func answer[Q, A any](call func(context.Context, Q) (A, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q Q
		if r.Method == http.MethodPost {
			decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequestBytes))
			decoder.DisallowUnknownFields()
			if err := decoder.Decode(&q); err != nil {
				write(w, nil, fmt.Errorf("%w: %w", ErrInvalid, err))
				return
			}
		}
		a, err := call(r.Context(), q)
		write(w, a, err)
	}
}

// write answers with a result or with what went wrong.
func write(w http.ResponseWriter, result any, err error) {
	if err == nil {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(result) // the caller has gone away; there is nobody to tell
		return
	}
	p := problem{Title: "the call failed", Detail: err.Error(), Status: http.StatusInternalServerError}
	for _, s := range sentinels() {
		if errors.Is(err, s.err) {
			p.Status, p.Code = s.status, s.code
		}
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		p.Status = http.StatusRequestEntityTooLarge
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}

// stream serves a call that writes its result. The status is sent with the first
// octet, so whether all of it came is said in the trailer.
func stream(contentType string, call func(context.Context, io.Writer) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out := &begun{w: w, contentType: contentType}
		err := call(r.Context(), out)
		switch {
		case err == nil:
			_, _ = out.Write(nil)
			w.Header().Set(completed, "yes")
		case !out.yes:
			write(w, nil, err)
		}
	}
}

// begun declares type and trailer once the stream begins.
type begun struct {
	w           http.ResponseWriter
	contentType string
	yes         bool
}

func (b *begun) Write(p []byte) (int, error) {
	if !b.yes {
		b.yes = true
		b.w.Header().Set("Content-Type", b.contentType)
		b.w.Header().Set("Trailer", completed)
		b.w.WriteHeader(http.StatusOK)
	}
	return b.w.Write(p)
}
