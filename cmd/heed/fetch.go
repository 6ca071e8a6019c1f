package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"heed/cmd/heed/api"
	"heed/cmd/heed/app"
	"heed/politeness"
)

type fetchVerb struct {
	URL string `arg:"" help:"URL to fetch."`
	jobFlags
	netFlags
	Out         string `help:"Write the body to a file." placeholder:"FILE" group:"Output"`
	Envelope    bool   `help:"Print the provenance envelope instead of the body." group:"Output"`
	Method      string `help:"HTTP method (default GET). Anything but GET and HEAD is an act: see act in the README." placeholder:"NAME" group:"Act"`
	Body        string `help:"Content to send with an act: text, or @FILE." placeholder:"TEXT" group:"Act"`
	ContentType string `help:"Its media type." placeholder:"TYPE" group:"Act"`
}

func (v *fetchVerb) run(ctx context.Context, s *session) (err error) {
	if err := s.config.NeedContact(); err != nil {
		return err
	}
	if err := readable(v.URL); err != nil {
		return err
	}
	door, leave, err := s.door(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	body, err := s.actBody()
	if err != nil {
		return err
	}
	f, err := door.Fetch(ctx, api.FetchRequest{URL: v.URL, Purpose: s.config.Purpose, Patience: s.patience(), Method: s.config.Method,
		Body: body, ContentType: s.config.ContentType})
	if err != nil {
		return err
	}
	if f.Envelope == nil {
		return s.noBody(f)
	}
	if s.config.Envelope || s.config.JSON {
		return s.printJSON(f.Envelope)
	}
	if s.config.Out != "" {
		if err := os.WriteFile(s.config.Out, f.Body, 0o644); err != nil {
			return fmt.Errorf("fetch: write the body: %w", err)
		}
		return nil
	}
	if _, err := s.stdout.Write(f.Body); err != nil {
		return fmt.Errorf("fetch: write the body: %w", err)
	}
	return nil
}

// maxActBytes bounds the content of an act.
const maxActBytes = 512 << 10

// actBody is the content of an act: the text itself, or that of a file.
func (s *session) actBody() ([]byte, error) {
	file, isFile := strings.CutPrefix(s.config.Body, "@")
	if !isFile {
		return []byte(s.config.Body), nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("fetch: --body: %w", err)
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxActBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("fetch: --body: %w", err)
	case len(body) > maxActBytes:
		return nil, &exitError{app.ExitUsage, fmt.Errorf("fetch: --body: %s is longer than %s", file, octets(maxActBytes))}
	}
	return body, nil
}

// noBody says why there is nothing to print.
func (s *session) noBody(f api.FetchAnswer) error {
	switch {
	case f.Decision.Verdict != politeness.Allow:
		s.explainRefusal(f.Decision)
		return ended(verdictCode(f.Decision.Verdict))
	case f.Failure != "":
		return errors.New(f.Failure)
	case f.Later:
		return &exitError{app.ExitUndecided, fmt.Errorf("%s answered %d; try later", f.FinalURL, f.Status)}
	}
	return fmt.Errorf("%s answered %d", f.FinalURL, f.Status)
}
