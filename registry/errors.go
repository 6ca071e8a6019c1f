package registry

import "errors"

// Errors of Open and of administration.
var (
	// ErrLocked means that another process has the state file open.
	ErrLocked = errors.New("registry: state file is in use by another process")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("registry: server is closed")
	// ErrDamaged means that the state file holds what this package never wrote.
	ErrDamaged = errors.New("registry: state file is damaged")
	// ErrNotFound means that there is no such publisher or card.
	ErrNotFound = errors.New("no such publisher or card")
	// ErrExists means that the publisher is there already.
	ErrExists = errors.New("it exists already, see publisher rotate and publisher domains")
	// ErrInvalid means that an argument or an option is out of its range.
	ErrInvalid = errors.New("registry: invalid value")
	// ErrNoProver means that the server was opened without a Prover.
	ErrNoProver = errors.New("registry: no prover is configured")
)
