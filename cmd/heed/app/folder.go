package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"heed/cmd/heed/api"
	"heed/config"
)

// ErrJobName is a job name that cannot be a folder.
var ErrJobName = errors.New("app: a job is named by letters, digits, '-', '_' and '.', not starting with '.'")

// folder is the data folder of one job.
type folder string

func jobFolder(data, job string) (folder, error) {
	if job == "" || job[0] == '.' || strings.Trim(job, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") != "" {
		return "", fmt.Errorf("%w: %q", ErrJobName, job)
	}
	abs, err := filepath.Abs(data)
	if err != nil {
		return "", fmt.Errorf("app: data folder %s: %w", data, err)
	}
	return folder(filepath.Join(abs, "jobs", job)), nil
}

func (f folder) state() string   { return filepath.Join(string(f), "state.db") }
func (f folder) archive() string { return filepath.Join(string(f), "archive") }
func (f folder) indexes() string { return filepath.Join(string(f), "indexes") }
func (f folder) ledger() string  { return filepath.Join(string(f), "ledger") }
func (f folder) reports() string { return filepath.Join(string(f), "reports") }
func (f folder) socket() string  { return filepath.Join(string(f), "control.sock") }
func (f folder) config() string  { return filepath.Join(string(f), "config.yaml") }
func (f folder) pid() string     { return filepath.Join(string(f), "pid") }
func (f folder) spool() string   { return filepath.Join(string(f), "spool") }
func (f folder) inbox() string   { return filepath.Join(string(f), "inbox") }
func (f folder) done() string    { return filepath.Join(f.inbox(), "done") }

// exists tells whether the job was ever opened.
func (f folder) exists() bool {
	_, err := os.Stat(f.state())
	return err == nil
}

func (f folder) make() error {
	for _, dir := range []string{f.archive(), f.indexes(), f.ledger(), f.reports(), f.spool(), f.done()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("app: make the job's folder: %w", err)
		}
	}
	return nil
}

// Exists tells whether the job that c names was ever opened.
func Exists(c config.Config) bool {
	f, err := jobFolder(c.Data, c.Job)
	return err == nil && f.exists()
}

// Started is the configuration that the job of c was last started with, as a file.
func Started(c config.Config) (path string, ok bool) {
	f, err := jobFolder(c.Data, c.Job)
	if err != nil {
		return "", false
	}
	_, err = os.Stat(f.config())
	return f.config(), err == nil
}

// Dial finds the process that has the job open.
func Dial(ctx context.Context, c config.Config) (*api.Client, error) {
	f, err := jobFolder(c.Data, c.Job)
	if err != nil {
		return nil, err
	}
	return api.Dial(ctx, f.socket())
}
