package main_test

import (
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// archived reads the WARC files of a job with nothing but what WARC/1.1 says:
// the payload's SHA-256 of every page (2xx) and revisit, by URL. A URL with two
// such records fails the test: no page is settled twice.
func archived(t testing.TB, data, job string, such func(url string) bool) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, "jobs", job, "archive", "*.warc.gz*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no archive: %v, %v", files, err)
	}
	pages := map[string]string{}
	for _, name := range files {
		if err := eachRecord(name, func(header textproto.MIMEHeader, block []byte) error {
			url := header.Get("WARC-Target-URI")
			kind := header.Get("WARC-Type")
			if kind != "response" && kind != "revisit" || !such(url) {
				return nil
			}
			digest, status, err := payloadSHA256(block)
			if err != nil || status >= 300 && kind == "response" {
				return err
			}
			if old, twice := pages[url]; twice {
				t.Errorf("%s has a second record (%s), the first had digest %s", url, kind, old)
			}
			if kind == "revisit" { // its payload is that of another record
				digest = header.Get("WARC-Payload-Digest")
			}
			pages[url] = digest
			return nil
		}); err != nil {
			t.Fatalf("%s: %v", filepath.Base(name), err)
		}
	}
	return pages
}

// eachRecord goes through a file, one gzip member a record (WARC/1.1 annex D).
func eachRecord(name string, record func(header textproto.MIMEHeader, block []byte) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	for n := 1; ; n++ {
		if _, err := in.Peek(1); err == io.EOF {
			return nil
		}
		member, err := gzip.NewReader(in)
		if err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
		member.Multistream(false)
		r := textproto.NewReader(bufio.NewReader(member))
		if line, err := r.ReadLine(); err != nil || line != "WARC/1.1" {
			return fmt.Errorf("record %d begins with %q: %w", n, line, err)
		}
		header, err := r.ReadMIMEHeader()
		if err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
		block := make([]byte, length)
		if _, err := io.ReadFull(r.R, block); err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
		if rest, err := io.ReadAll(r.R); err != nil || string(rest) != "\r\n\r\n" {
			return fmt.Errorf("record %d ends with %q: %w", n, rest, err)
		}
		if err := record(header, block); err != nil {
			return fmt.Errorf("record %d: %w", n, err)
		}
	}
}

// payloadSHA256 is the digest of the payload of a stored response, and its
// status.
func payloadSHA256(block []byte) (digest string, status int, err error) {
	answer, err := http.ReadResponse(bufio.NewReader(strings.NewReader(string(block))), nil)
	if err != nil {
		return "", 0, err
	}
	defer answer.Body.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, answer.Body)
	return hex.EncodeToString(sum.Sum(nil)), answer.StatusCode, err
}
