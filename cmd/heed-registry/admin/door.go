package admin

import (
	"context"
	"errors"
	"io"
	"time"
)

// Errors that callers branch on. They cross the socket.
var (
	// ErrNotFound means that there is no such publisher or card.
	ErrNotFound = errors.New("admin: not found")
	// ErrExists means that the publisher is there already.
	ErrExists = errors.New("admin: exists already")
	// ErrInvalid means that an argument is out of its range.
	ErrInvalid = errors.New("admin: invalid argument")
	// ErrDamaged means that the state is damaged.
	ErrDamaged = errors.New("admin: state is damaged")
	// ErrNobody means that no process answers on the socket.
	ErrNobody = errors.New("admin: nobody answers on the socket")
)

// Door is the state of a registry, for its operator. All methods may be called
// at any time and at once.
type Door interface {
	Status(ctx context.Context) (Status, error)
	AddPublisher(ctx context.Context, p NewPublisher) (Credentials, error)
	Publishers(ctx context.Context) ([]Publisher, error)
	// RotatePublisher gives a publisher another secret.
	RotatePublisher(ctx context.Context, id string) (Credentials, error)
	// SetDomains replaces the domains that a publisher may write.
	SetDomains(ctx context.Context, id string, domains []string) error
	// DisablePublisher ends what a publisher may do. Its cards stay.
	DisablePublisher(ctx context.Context, id string) error
	// RevokePublisher ends a publisher's authority for one domain.
	RevokePublisher(ctx context.Context, domain, publisher string) error
	// RestorePublisher takes a revocation back.
	RestorePublisher(ctx context.Context, domain, publisher string) error
	// RegistrationChanged has a domain checked within a day, because its
	// registration data changed and it may be another owner's now.
	RegistrationChanged(ctx context.Context, domain string) error
	// Check looks for the proof of a domain now.
	Check(ctx context.Context, domain string) (Proof, error)
	// Verify reads everything that is stored and reports what does not fit.
	Verify(ctx context.Context) (Verification, error)
	// Export writes publishers, cards, proof states and tokens, one JSON object a
	// line. It is to be kept like the state file.
	Export(ctx context.Context, w io.Writer) error
	// Import reads what Export wrote.
	Import(ctx context.Context, r io.Reader) (Imported, error)
	// Backup writes a copy of the state file that belongs to one instant.
	Backup(ctx context.Context, w io.Writer) error
}

// Status is the process that has the state open, and what it holds.
type Status struct {
	PID       int       `json:"pid"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	PublicURL string    `json:"public_url"`
	Cards     int       `json:"cards"`
	Listed    int       `json:"listed"`
}

// NewPublisher is a publisher to be added.
type NewPublisher struct {
	ID      string   `json:"id"`
	Name    string   `json:"name,omitempty"`
	Domains []string `json:"domains"` // that it may write; "*" for any
}

// Credentials are shown once and stored only as a hash.
type Credentials struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
}

// Publisher is a publisher as it is known.
type Publisher struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Domains   []string  `json:"domains"`
	Disabled  bool      `json:"disabled"`
	CreatedAt time.Time `json:"created_at"`
}

// Proof is what a check found, and the state of the card after it.
type Proof struct {
	Domain    string     `json:"domain"`
	Publisher string     `json:"publisher"` // whose tokens were looked for
	Found     string     `json:"found"`     // a method, unverified, or pending if the check could not tell
	Note      string     `json:"note,omitempty"`
	Method    string     `json:"method"`
	State     string     `json:"state"` // fresh, stale, unproven
	Checked   *time.Time `json:"checked"`
	Listed    bool       `json:"listed"`
}

// Verification is what a look at everything stored found.
type Verification struct {
	Sound    bool     `json:"sound"`
	Cards    int      `json:"cards"`
	Listed   int      `json:"listed"`
	LogLines int      `json:"log_lines"`
	Faults   []string `json:"faults"`
}

// Imported counts what was taken in.
type Imported struct {
	Lines int `json:"lines"`
}
