package archive

import "errors"

// Errors that callers branch on. Errors of the file system are wrapped, so
// that errors.Is(err, syscall.ENOSPC) holds on a full disk.
var (
	ErrRecord   = errors.New("archive: record cannot be written")
	ErrDamaged  = errors.New("archive: file is damaged")
	ErrLocation = errors.New("archive: not a location")
	ErrClosed   = errors.New("archive: closed")
)
