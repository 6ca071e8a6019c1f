package crawler_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// row is one answer of a case: see testdata/cases/README.md.
type row struct {
	Status  int             `json:"status"`
	Headers json.RawMessage `json:"headers"`
	Text    string          `json:"text"`
	File    string          `json:"file"`
	Raw     string          `json:"raw"` // a whole answer
	When    []struct {
		Field, Value string
		Then         row
	} `json:"when"`
}

// caseWorld serves the folder of one case.
func caseWorld(t *testing.T, slug string) *world {
	t.Helper()
	w := newWorld(t)
	folder := filepath.Join("testdata", "cases", slug)
	data, err := os.ReadFile(filepath.Join(folder, "serve.json"))
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Hosts map[string]map[string]json.RawMessage `json:"hosts"`
	}
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	for host, paths := range table.Hosts {
		for path, raw := range paths {
			key := "http://" + host + path
			if path == "*" {
				key = "http://" + host + " *"
			}
			rows := []row{{}}
			if err := json.Unmarshal(raw, &rows); err != nil {
				if err := json.Unmarshal(raw, &rows[0]); err != nil {
					t.Fatal(err)
				}
			}
			var replies []reply
			for _, r := range rows {
				replies = append(replies, r.reply(t, w, folder))
			}
			w.on(key, turns(replies...))
		}
		// A host without a robots.txt row has none, even where "*" answers all else.
		if _, given := paths["/robots.txt"]; !given {
			w.on("http://"+host+"/robots.txt", status(404))
		}
	}
	return w
}

func (r row) reply(t *testing.T, w *world, folder string) reply {
	t.Helper()
	if r.Raw != "" {
		return octets(string(unhex(t, filepath.Join(folder, r.Raw))))
	}
	body := []byte(r.Text)
	if r.File != "" {
		body = file(t, filepath.Join(folder, r.File))
	}
	fields := map[string]string{}
	if len(r.Headers) > 0 {
		if err := json.Unmarshal(r.Headers, &fields); err != nil {
			t.Fatal(err)
		}
	}
	code := max(r.Status, 200)
	return func(c net.Conn, s *seen) bool {
		for _, when := range r.When {
			if s.header.Get(when.Field) == when.Value {
				return when.Then.reply(t, w, folder)(c, s)
			}
		}
		var lines []string
		typed := false
		for name, value := range fields {
			typed = typed || strings.EqualFold(name, "Content-Type")
			lines = append(lines, name+": "+w.ahead(t, value))
		}
		if !typed && len(body) > 0 {
			lines = append(lines, "Content-Type: "+contentType(s.target))
		}
		return answer(code, string(body), lines...)(c, s)
	}
}

func contentType(target string) string {
	if strings.HasSuffix(target, ".txt") {
		return "text/plain"
	}
	return "text/html; charset=utf-8"
}

// ahead turns {{now+4}} into a date 4 s ahead.
func (w *world) ahead(t *testing.T, value string) string {
	before, rest, found := strings.Cut(value, "{{now+")
	if !found {
		return value
	}
	seconds, after, _ := strings.Cut(rest, "}}")
	n, err := strconv.Atoi(seconds)
	if err != nil {
		t.Error(err)
	}
	return before + w.time.now().Add(time.Duration(n)*time.Second).UTC().Format(http.TimeFormat) + after
}

// file reads a body; those that are no text are kept in hex.
func file(t *testing.T, path string) []byte {
	t.Helper()
	if strings.HasSuffix(path, ".hex") {
		return unhex(t, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func unhex(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out, err := hex.DecodeString(string(bytes.Join(bytes.Fields(data), nil)))
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", path, err))
	}
	return out
}
