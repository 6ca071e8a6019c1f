package app

import (
	"errors"
	"fmt"
	"io/fs"

	"heed/config"
	"heed/store/bolt"
)

// Compaction is what Compact did.
type Compaction struct {
	Job         string `json:"job"`
	BeforeBytes int64  `json:"before_bytes"`
	AfterBytes  int64  `json:"after_bytes"`
}

// Compact packs the state file of a job, which it needs for itself.
func Compact(c config.Config) (Compaction, error) {
	f, err := jobFolder(c.Data, c.Job)
	if err != nil {
		return Compaction{}, err
	}
	p, err := bolt.Compact(f.state())
	switch {
	case errors.Is(err, fs.ErrNotExist) && !f.exists():
		return Compaction{}, fmt.Errorf("%w: %s in %s", ErrNoJob, c.Job, c.Data)
	case err != nil:
		return Compaction{}, fmt.Errorf("app: compact the state of job %s: %w", c.Job, err)
	}
	return Compaction{Job: c.Job, BeforeBytes: p.BeforeBytes, AfterBytes: p.AfterBytes}, nil
}
