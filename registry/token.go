package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// formerValid is how long a token proves after another one was issued
// (BC-P-912).
const formerValid = 7 * 24 * time.Hour

// maxFormer bounds the former tokens that are still good.
const maxFormer = 8

// verificationTokens are what a publisher has been given for a domain. They are
// kept in clear, because every check compares them with what the owner
// published, and they are shown to nobody but that publisher.
type verificationTokens struct {
	Active string        `json:"active"`
	Issued instant       `json:"issued"`
	Former []formerToken `json:"former,omitempty"`
}

type formerToken struct {
	Token string  `json:"token"`
	Until instant `json:"until"`
}

// rotate makes token the active one; the one before stays good for a while.
func (t verificationTokens) rotate(token string, now instant) verificationTokens {
	next := verificationTokens{Active: token, Issued: now}
	if t.Active != "" {
		next.Former = append(next.Former, formerToken{t.Active, now.add(formerValid)})
	}
	for _, f := range t.Former {
		if f.Until > now && len(next.Former) < maxFormer {
			next.Former = append(next.Former, f)
		}
	}
	return next
}

// accepted are the tokens that prove now, the active one first.
func (t verificationTokens) accepted(now instant) []string {
	if t.Active == "" {
		return nil
	}
	tokens := []string{t.Active}
	for _, f := range t.Former {
		if f.Until > now {
			tokens = append(tokens, f.Token)
		}
	}
	return tokens
}

// pairKey is the key of what belongs to a domain and a publisher.
func pairKey(domain, publisher string) []byte {
	return append(append(append(make([]byte, 0, len(domain)+1+len(publisher)), domain...), 0), publisher...)
}

func readTokens(tx *bbolt.Tx, domain, publisher string) (verificationTokens, error) {
	var t verificationTokens
	value := tx.Bucket(bucketToken).Get(pairKey(domain, publisher))
	if value == nil {
		return t, nil
	}
	if err := json.Unmarshal(value, &t); err != nil {
		return t, fmt.Errorf("%w: token of %q for %q", ErrDamaged, publisher, domain)
	}
	return t, nil
}

func (b *batch) putTokens(domain, publisher string, t verificationTokens) error {
	b.dirty = true
	return putJSON(b.tx.Bucket(bucketToken), pairKey(domain, publisher), t)
}

// revokedAt is when the owner of a domain revoked a publisher, zero for never.
func revokedAt(tx *bbolt.Tx, domain, publisher string) instant {
	var at instant
	if value := tx.Bucket(bucketRevoked).Get(pairKey(domain, publisher)); value != nil {
		if json.Unmarshal(value, &at) != nil || at == 0 {
			return 1 // unreadable: revoked
		}
	}
	return at
}

// pairs calls f for each value of a domain in a bucket of pairs.
func pairs(b *bbolt.Bucket, domain string, f func(publisher string, value []byte) error) error {
	prefix := pairKey(domain, "")
	c := b.Cursor()
	for key, value := c.Seek(prefix); key != nil && bytes.HasPrefix(key, prefix); key, value = c.Next() {
		if err := f(string(key[len(prefix):]), value); err != nil {
			return err
		}
	}
	return nil
}
