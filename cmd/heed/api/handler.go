package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
)

// Bounds of what a call may carry: a URL with its purposes, or MaxSeeds seeds of
// 2 KiB, whose JSON may be three times as long.
const (
	maxRequestBytes = 1 << 20
	maxSeedsBytes   = 16 << 20
)

// Problem is the body of an error answer (RFC 9457).
type Problem struct {
	Title  string `json:"title"`
	Detail string `json:"detail"`
	Status int    `json:"status"`
}

// NewHandler serves d.
func NewHandler(d Door) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/status", answer(func(ctx context.Context, _ struct{}) (Status, error) { return d.Status(ctx) }))
	mux.HandleFunc("POST /v1/hosts", answer(d.Hosts))
	mux.HandleFunc("POST /v1/check", answer(d.Check))
	mux.HandleFunc("POST /v1/fetch", answer(d.Fetch))
	mux.HandleFunc("POST /v1/context", answer(d.Context))
	mux.HandleFunc("POST /v1/explain", answer(d.Explain))
	mux.HandleFunc("POST /v1/card", answer(d.Card))
	mux.HandleFunc("POST /v1/seeds", answerUpTo(maxSeedsBytes, d.AddSeeds))
	mux.HandleFunc("POST /v1/pause", command(d.Pause))
	mux.HandleFunc("POST /v1/resume", command(d.Resume))
	mux.HandleFunc("POST /v1/stop", command(d.Stop))
	return mux
}

// answer serves a call with a JSON request and a JSON result.
func answer[Q, A any](call func(context.Context, Q) (A, error)) http.HandlerFunc {
	return answerUpTo(maxRequestBytes, call)
}

// answerUpTo is answer for requests of up to limit octets.
func answerUpTo[Q, A any](limit int64, call func(context.Context, Q) (A, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q Q
		if r.Method == http.MethodPost {
			if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, limit)).Decode(&q); err != nil {
				problem(w, http.StatusBadRequest, "the request is not what this call takes", err)
				return
			}
		}
		a, err := call(r.Context(), q)
		if err != nil {
			problem(w, http.StatusInternalServerError, "the call failed", err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(a) // the caller has gone away; there is nobody to tell
	}
}

// command serves a call without request and result.
func command(call func(context.Context) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := call(r.Context()); err != nil {
			problem(w, http.StatusInternalServerError, "the call failed", err)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

func problem(w http.ResponseWriter, status int, title string, err error) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		status = http.StatusRequestEntityTooLarge
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(Problem{Title: title, Detail: err.Error(), Status: status})
}
