package registry

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"go.etcd.io/bbolt"
)

// schemaVersion is the layout of the state file. Another one is not opened.
const schemaVersion = 1

// Buckets of the state file and keys of its meta bucket.
var (
	bucketMeta      = []byte("meta")
	bucketSite      = []byte("site")
	bucketCard      = []byte("card")
	bucketToken     = []byte("token")
	bucketRevoked   = []byte("revoked")
	bucketPublisher = []byte("publisher")

	keyMeta   = []byte("meta")
	keySecret = []byte("secret")
)

// meta is what the state file says about itself.
type meta struct {
	Schema   int    `json:"schema"`
	Renderer int    `json:"renderer"` // that computed the stored ETags
	Epoch    string `json:"epoch"`    // of the sequence: cursors of another one are expired
	Head     uint64 `json:"head"`     // last sequence number of the feed
	Floor    uint64 `json:"floor"`    // removals up to here are forgotten
	LogBytes int64  `json:"log_bytes"`
}

// secrets are the keys of this registry. They are kept for its life, so that
// access tokens survive a restart.
type secrets struct {
	Signing []byte `json:"signing"` // seed of the Ed25519 key of access tokens
	Owner   []byte `json:"owner"`   // key of the owners' revocation tokens
}

func newEpoch() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func newSecrets() secrets {
	s := secrets{Signing: make([]byte, 32), Owner: make([]byte, 32)}
	_, _ = rand.Read(s.Signing)
	_, _ = rand.Read(s.Owner)
	return s
}

// prepare creates what a new file lacks and reads the rest.
func prepare(tx *bbolt.Tx) (meta, secrets, error) {
	for _, name := range [...][]byte{bucketMeta, bucketSite, bucketCard, bucketToken, bucketRevoked, bucketPublisher} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return meta{}, secrets{}, fmt.Errorf("registry: create bucket %s: %w", name, err)
		}
	}
	b := tx.Bucket(bucketMeta)
	if b.Get(keyMeta) == nil {
		m, k := meta{Schema: schemaVersion, Renderer: renderer, Epoch: newEpoch()}, newSecrets()
		if err := putJSON(b, keySecret, k); err != nil {
			return meta{}, secrets{}, err
		}
		return m, k, putJSON(b, keyMeta, m)
	}
	var m meta
	var k secrets
	if err := json.Unmarshal(b.Get(keyMeta), &m); err != nil {
		return meta{}, secrets{}, fmt.Errorf("%w: meta: %w", ErrDamaged, err)
	}
	if m.Schema != schemaVersion {
		return meta{}, secrets{}, fmt.Errorf("%w: schema %d, this program knows %d", ErrDamaged, m.Schema, schemaVersion)
	}
	if err := json.Unmarshal(b.Get(keySecret), &k); err != nil || len(k.Signing) != 32 || len(k.Owner) != 32 {
		return meta{}, secrets{}, fmt.Errorf("%w: keys", ErrDamaged)
	}
	return m, k, nil
}

func putJSON(b *bbolt.Bucket, key []byte, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("registry: encode %q: %w", key, err)
	}
	if err := b.Put(key, value); err != nil {
		return fmt.Errorf("registry: put %q: %w", key, err)
	}
	return nil
}
