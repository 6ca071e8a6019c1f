package mirror

import (
	"context"
	"errors"
	"net/http"
)

// ErrTooLarge is what a Getter returns, wrapped or not, for a body longer than
// MaxBytes. It counts against the one document, not against the registry.
var ErrTooLarge = errors.New("mirror: answer is larger than its limit")

// Request is one GET. There is no other method (BC-C-016).
type Request struct {
	URL      string // absolute, https
	ETag     string // sent as If-None-Match as it stands; empty for none
	Accept   string
	MaxBytes int64 // octets of the decoded body; more is ErrTooLarge or a longer Body
}

// Answer is the answer to a Request, whatever its status.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte // decoded
}

// Getter sends requests. It follows no redirect, adds no credential, refuses
// what the address guard refuses, and names the crawler as it does to any
// origin (BC-C-936). Every status is an answer; an error other than ErrTooLarge
// means that there was none.
type Getter interface {
	Get(ctx context.Context, r Request) (Answer, error)
}

// Note is a stored value.
type Note struct {
	Key   string
	Value []byte
}

// Store keeps notes across restarts.
type Store interface {
	// LoadNote returns a note, nil if there is none.
	LoadNote(ctx context.Context, kind, key string) ([]byte, error)

	// SaveNote stores a note; nil deletes it. It is durable on return.
	SaveNote(ctx context.Context, kind, key string, value []byte) error

	// ListNotes lists the notes of a kind by key after a cursor, "" first, at
	// most limit. The returned cursor is "" at the end.
	ListNotes(ctx context.Context, kind, cursor string, limit int) (notes []Note, next string, err error)
}
