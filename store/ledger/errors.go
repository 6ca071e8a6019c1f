package ledger

import "errors"

// Errors that callers branch on. Errors of the file system are wrapped, so
// that errors.Is(err, syscall.ENOSPC) holds on a full disk.
var (
	ErrEntry   = errors.New("ledger: entry cannot be written")
	ErrDamaged = errors.New("ledger: file is damaged")
	ErrClosed  = errors.New("ledger: closed")
)
