package app

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"heed/crawler"
	"heed/frontier"
)

// ErrSeed is a seed that cannot be used.
var ErrSeed = errors.New("app: not a seed")

const maxSeedLine = 64 << 10 // octets; longer lines are reported and skipped

// ParseSeed reads a URL or a bare domain, which stands for its https home page
// (with a path, for that page by https), optionally with a score behind a tab.
func ParseSeed(line string) (crawler.Seed, error) {
	raw, scored, hasScore := strings.Cut(line, "\t")
	raw = strings.TrimSpace(raw)
	seed := crawler.Seed{Score: -1}
	if hasScore {
		n, err := strconv.Atoi(strings.TrimSpace(scored))
		if err != nil || n < 0 || n > 100 {
			return seed, fmt.Errorf("%w: %q: the score is a number from 0 to 100", ErrSeed, clip(line))
		}
		seed.Score = n
	}
	if raw == "" {
		return seed, fmt.Errorf("%w: %q: a URL or a domain is needed", ErrSeed, clip(line))
	}
	if isDomain(raw) {
		raw = "https://" + raw
	}
	url, err := frontier.Canonical(raw)
	if err != nil {
		return seed, fmt.Errorf("%w: %w", ErrSeed, err) // names the URL, without a password
	}
	seed.URL = url
	return seed, nil
}

// isDomain tells a bare domain, possibly with a port and a path, from a URL: it
// has a dot or is localhost, and no scheme.
func isDomain(raw string) bool {
	if strings.Contains(raw, "://") || strings.ContainsAny(raw, " \t") {
		return false
	}
	host, _, _ := strings.Cut(raw, "/")
	name, port, hasPort := strings.Cut(host, ":")
	if hasPort {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
	}
	return name == "localhost" || strings.Contains(name, ".")
}

// ReadSeeds reads a seed file, one seed a line; empty lines and lines that start
// with # are skipped. bad is called for each line that is no seed; an error from
// it ends the reading.
func ReadSeeds(path string, seed func(crawler.Seed) error, bad func(line int, err error) error) error {
	in := io.Reader(os.Stdin)
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("%w: seeds: %w", ErrSetting, err)
		}
		defer f.Close()
		in = f
	}
	r := bufio.NewReaderSize(in, maxSeedLine)
	for line := 1; ; line++ {
		text, err := r.ReadSlice('\n')
		long := errors.Is(err, bufio.ErrBufferFull)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("app: seeds %s, line %d: %w", path, line, err)
		}
		if problem := oneSeed(string(text), long, line, seed, bad); problem != nil {
			return problem
		}
		if err != nil {
			return nil
		}
	}
}

func oneSeed(text string, long bool, line int, seed func(crawler.Seed) error, bad func(int, error) error) error {
	if line == 1 {
		text = strings.TrimPrefix(text, "\ufeff")
	}
	text = strings.TrimRight(text, "\r\n")
	if long {
		return bad(line, fmt.Errorf("%w: the line is longer than %d octets", ErrSeed, maxSeedLine))
	}
	if t := strings.TrimSpace(text); t == "" || t[0] == '#' {
		return nil
	}
	s, err := ParseSeed(text)
	if err != nil {
		return bad(line, err)
	}
	return seed(s)
}

// clip shortens what a stranger wrote for a message.
func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}
