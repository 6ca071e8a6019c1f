package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"heed/cmd/heed-registry/admin"
)

type exportVerb struct {
	File string `arg:"" optional:"" default:"-" help:"File to write, - for standard output."`
	dataFlags
}

func (v *exportVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error {
		if v.File == "-" {
			out := bufio.NewWriter(s.stdout)
			return errors.Join(d.Export(ctx, out), out.Flush())
		}
		return whole(v.File, func(w io.Writer) error { return d.Export(ctx, w) })
	})
}

type importVerb struct {
	File string `arg:"" help:"File to read, - for standard input."`
	dataFlags
	JSON bool `name:"json" help:"One JSON object on standard output."`
}

func (v *importVerb) run(ctx context.Context, s *session) error {
	in := s.stdin
	if v.File != "-" {
		f, err := os.Open(v.File)
		if err != nil {
			return fmt.Errorf("import: %w", err)
		}
		defer f.Close()
		in = f
	}
	return s.through(ctx, true, func(d admin.Door) error {
		done, err := d.Import(ctx, in)
		if err != nil {
			return err
		}
		if v.JSON {
			return s.printJSON(done)
		}
		fmt.Fprintf(s.stdout, "%d lines imported\n", done.Lines)
		return nil
	})
}

type backupVerb struct {
	File string `arg:"" help:"File to write; it must not be there yet."`
	dataFlags
}

func (v *backupVerb) run(ctx context.Context, s *session) error {
	return s.through(ctx, false, func(d admin.Door) error {
		return whole(v.File, func(w io.Writer) error { return d.Backup(ctx, w) })
	})
}

// whole makes a file appear under its name when all of it is on disk, and never
// replaces one.
func whole(path string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: %w", path, errors.Join(fs.ErrExist, err))
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, os.Remove(part.Name())) }()
	out := bufio.NewWriterSize(part, 1<<20)
	if err := errors.Join(write(out), out.Flush(), part.Sync(), part.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Link(part.Name(), path); err != nil { // fails if the name was taken meanwhile
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
