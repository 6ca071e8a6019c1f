package bolt

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"go.etcd.io/bbolt"
)

// Note is a value that another room keeps here.
type Note struct {
	Key   string
	Value []byte
}

// noteKey joins kind and key.
func noteKey(kind, key string) ([]byte, error) {
	if kind == "" || strings.IndexByte(kind, 0) >= 0 || len(kind)+len(key) > maxURL {
		return nil, fmt.Errorf("%w: kind %q, key of %d octets", errRequest, kind, len(key))
	}
	return append(append([]byte(kind), 0), key...), nil
}

// LoadNote returns a note, nil if there is none.
func (e *Engine) LoadNote(ctx context.Context, kind, key string) (value []byte, err error) {
	k, err := noteKey(kind, key)
	if err == nil {
		err = e.open(ctx)
	}
	if err == nil {
		err = e.view(func(tx *bbolt.Tx) error {
			value = bytes.Clone(tx.Bucket(bucketNotes).Get(k))
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("bolt: load note %s %s: %w", kind, key, err)
	}
	return value, nil
}

// SaveNote stores a note; nil deletes it. It is durable on return. A kind is
// not empty and has no NUL; kind and key together have at most 16 KiB.
func (e *Engine) SaveNote(ctx context.Context, kind, key string, value []byte) error {
	k, err := noteKey(kind, key)
	if err == nil {
		err = e.do(ctx, &op{kind: opPut, bucket: bucketNotes, key: k, value: bytes.Clone(value)})
	}
	if err != nil {
		return fmt.Errorf("bolt: save note %s %s: %w", kind, key, err)
	}
	return nil
}

// ListNotes lists the notes of a kind by key after a cursor ("" first), at most
// limit and at most 1,000. The returned cursor is "" at the end.
func (e *Engine) ListNotes(ctx context.Context, kind, cursor string, limit int) (notes []Note, next string, err error) {
	prefix, err := noteKey(kind, "")
	if err == nil {
		err = e.open(ctx)
	}
	if err == nil {
		err = e.view(func(tx *bbolt.Tx) error {
			c := tx.Bucket(bucketNotes).Cursor()
			start := append(prefix[:len(prefix):len(prefix)], cursor...)
			k, v := c.Seek(start)
			if cursor != "" && bytes.Equal(k, start) {
				k, v = c.Next()
			}
			for ; bytes.HasPrefix(k, prefix); k, v = c.Next() {
				if len(notes) >= pageLimit(limit) {
					next = notes[len(notes)-1].Key
					return nil
				}
				notes = append(notes, Note{Key: string(k[len(prefix):]), Value: bytes.Clone(v)})
			}
			return nil
		})
	}
	if err != nil {
		return nil, "", fmt.Errorf("bolt: list notes %s: %w", kind, err)
	}
	return notes, next, nil
}
