package config

import (
	"fmt"
	"regexp"
	"strings"
)

// Bounds of what an operator writes, against accidents: a generated file, a
// pattern pasted twice.
const (
	maxEntries      = 10_000 // of one list
	maxPatternBytes = 4096
	maxJobBytes     = 64
	maxMethodBytes  = 32
)

func (c Config) checkNames() *Error {
	if c.Data == "" {
		return bad("data", "", "is empty", "give a folder")
	}
	if !isJobName(c.Job) {
		return bad("job", c.Job, "is not a name for a job",
			fmt.Sprintf("use letters, digits, dot, dash and underscore, begin with a letter or digit, at most %d", maxJobBytes))
	}
	if c.Method == "" || len(c.Method) > maxMethodBytes || strings.Trim(c.Method, tokenOctets) != "" {
		return bad("method", c.Method, "is not an HTTP method", "use one like GET or HEAD")
	}
	for _, l := range []struct {
		key     string
		entries []string
	}{{"seeds", c.Seeds}, {"include", c.Include}, {"exclude", c.Exclude}, {"resolve", c.Resolve},
		{"allow_address", c.AllowAddress}, {"ca_file", c.CAFile}} {
		if len(l.entries) > maxEntries {
			return bad(l.key, "", "has too many entries", fmt.Sprintf("use at most %d", maxEntries))
		}
		for _, entry := range l.entries {
			if entry == "" {
				return bad(l.key, "", "has an empty entry", "")
			}
		}
	}
	for _, p := range c.Include {
		if err := checkPattern("include", p); err != nil {
			return err
		}
	}
	for _, p := range c.Exclude {
		if err := checkPattern("exclude", p); err != nil {
			return err
		}
	}
	return nil
}

// tokenOctets are the octets of a token, RFC 9110 5.6.2.
const tokenOctets = "!#$%&'*+-.^_`|~" + digits + letters

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// isJobName accepts what is one safe path element on every file system.
func isJobName(s string) bool {
	return s != "" && len(s) <= maxJobBytes && strings.Trim(s, digits+letters+"._-") == "" &&
		strings.ContainsAny(s[:1], digits+letters)
}

func checkPattern(key, pattern string) *Error {
	if len(pattern) > maxPatternBytes {
		return bad(key, pattern, "is too long", fmt.Sprintf("use at most %d octets", maxPatternBytes))
	}
	if _, err := regexp.Compile(pattern); err != nil {
		return &Error{Key: key, Value: shown(pattern), Problem: "is not a regular expression", Err: err,
			Remedy: "use RE2 syntax"}
	}
	return nil
}
