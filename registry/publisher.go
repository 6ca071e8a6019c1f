package registry

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// publisher is an account that may write cards. It never changes once it is
// known to readers: the writer replaces it.
type publisher struct {
	ID         string   `json:"id"`
	Name       string   `json:"name,omitempty"`
	Domains    []string `json:"domains"`    // registrable domains, or "*"
	Secret     []byte   `json:"secret"`     // SHA-256 of the client secret
	Generation int      `json:"generation"` // of the secret; access tokens of former ones are void
	Disabled   bool     `json:"disabled,omitempty"`
	Created    instant  `json:"created"`
}

// Publisher is an account as the operator sees it.
type Publisher struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Domains  []string  `json:"domains"` // registrable domains, or "*" for any
	Disabled bool      `json:"disabled"`
	Created  time.Time `json:"created"`
}

// Credentials are what a publisher obtains access tokens with. The secret is
// stored only as a digest, so this is the one time it is seen.
type Credentials struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

const anyDomain = "*"

var publisherID = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// may tells whether the account covers a domain.
func (p *publisher) may(domain string) bool {
	return slices.Contains(p.Domains, anyDomain) || slices.Contains(p.Domains, domain)
}

// knows tells whether a secret is the account's, in constant time.
func (p *publisher) knows(secret string) bool {
	sum := sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(sum[:], p.Secret) == 1
}

func (p *publisher) public() Publisher {
	return Publisher{ID: p.ID, Name: p.Name, Domains: slices.Clone(p.Domains), Disabled: p.Disabled, Created: p.Created.time()}
}

// secretBytes is the entropy of secrets and verification tokens: 192 bits, 32
// characters of base64url (BC-P-002).
const secretBytes = 24

func newSecret() string {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

func digestOf(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

func loadPublishers(tx *bbolt.Tx) (map[string]*publisher, error) {
	people := make(map[string]*publisher)
	err := tx.Bucket(bucketPublisher).ForEach(func(key, value []byte) error {
		p := new(publisher)
		if err := json.Unmarshal(value, p); err != nil || p.ID != string(key) {
			return fmt.Errorf("%w: publisher %q", ErrDamaged, key)
		}
		people[p.ID] = p
		return nil
	})
	return people, err
}

// putPublisher stores an account.
func (b *batch) putPublisher(p *publisher) error {
	b.people[p.ID] = p
	b.dirty = true
	return putJSON(b.tx.Bucket(bucketPublisher), []byte(p.ID), p)
}

func (s *shelf) publisher(id string) *publisher {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.people[id]
}

// readDomains checks the domains of a new account.
func readDomains(names []string) ([]string, error) {
	domains := make([]string, 0, len(names))
	for _, name := range names {
		name = strings.TrimSpace(name)
		if name != anyDomain {
			domain, err := registrable(name)
			if err != nil {
				return nil, fmt.Errorf("%w: domain %q: %w", ErrInvalid, name, err)
			}
			if domain != strings.ToLower(name) {
				return nil, fmt.Errorf("%w: domain %q: cards belong to %q", ErrInvalid, name, domain)
			}
			name = domain
		}
		domains = append(domains, name)
	}
	slices.Sort(domains)
	return slices.Compact(domains), nil
}

// AddPublisher creates an account. The id is its client_id and what cards name
// in listed_by: 1 to 64 of a-z, 0-9, dot, hyphen and underscore. Domains are
// registrable domains, "*" for any; without any, the account may write nothing.
func (a Admin) AddPublisher(ctx context.Context, id, name string, domains []string) (Credentials, error) {
	if !publisherID.MatchString(id) {
		return Credentials{}, fmt.Errorf("%w: publisher id %.80q", ErrInvalid, id)
	}
	if len(name) > 256 {
		return Credentials{}, fmt.Errorf("%w: name of publisher %q is longer than 256 octets", ErrInvalid, id)
	}
	clean, err := readDomains(domains)
	if err != nil {
		return Credentials{}, fmt.Errorf("registry: add publisher %q: %w", id, err)
	}
	secret := newSecret()
	exists := false
	err = a.server.shelf.update(ctx, func(b *batch) error {
		if exists = b.publisher(id) != nil; exists {
			return nil
		}
		return b.putPublisher(&publisher{ID: id, Name: name, Domains: clean, Secret: digestOf(secret), Generation: 1, Created: b.now})
	})
	if err == nil && exists {
		err = ErrExists
	}
	if err != nil {
		return Credentials{}, fmt.Errorf("registry: add publisher %q: %w", id, err)
	}
	return Credentials{ClientID: id, ClientSecret: secret}, nil
}

// Publishers lists the accounts by id.
func (a Admin) Publishers() []Publisher {
	s := a.server.shelf
	s.mu.RLock()
	defer s.mu.RUnlock()
	list := make([]Publisher, 0, len(s.people))
	for _, p := range s.people {
		list = append(list, p.public())
	}
	slices.SortFunc(list, func(a, b Publisher) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// RotatePublisher gives an account a new secret. The former one and the access
// tokens obtained with it are void at once.
func (a Admin) RotatePublisher(ctx context.Context, id string) (Credentials, error) {
	secret := newSecret()
	err := a.changePublisher(ctx, id, func(p *publisher) { p.Secret, p.Generation = digestOf(secret), p.Generation+1 })
	if err != nil {
		return Credentials{}, fmt.Errorf("registry: rotate publisher %q: %w", id, err)
	}
	return Credentials{ClientID: id, ClientSecret: secret}, nil
}

// SetDomains replaces the list of domains that an account may write. Cards of
// domains that it loses stay as they are.
func (a Admin) SetDomains(ctx context.Context, id string, domains []string) error {
	clean, err := readDomains(domains)
	if err == nil {
		err = a.changePublisher(ctx, id, func(p *publisher) { p.Domains = clean })
	}
	if err != nil {
		return fmt.Errorf("registry: set domains of publisher %q: %w", id, err)
	}
	return nil
}

// DisablePublisher ends an account's right to write. Its cards and their proofs
// stay as they are (BC-R-913).
func (a Admin) DisablePublisher(ctx context.Context, id string) error {
	if err := a.changePublisher(ctx, id, func(p *publisher) { p.Disabled = true }); err != nil {
		return fmt.Errorf("registry: disable publisher %q: %w", id, err)
	}
	return nil
}

func (a Admin) changePublisher(ctx context.Context, id string, change func(*publisher)) error {
	found := false
	err := a.server.shelf.update(ctx, func(b *batch) error {
		known := b.publisher(id)
		if found = known != nil; !found {
			return nil
		}
		next := *known
		change(&next)
		return b.putPublisher(&next)
	})
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}
