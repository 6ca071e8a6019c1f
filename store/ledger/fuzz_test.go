package ledger

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"
)

// FuzzMarshal holds that whatever a stranger puts into a URL gives one line of
// JSON from which the URL comes back, and by which it is found.
func FuzzMarshal(f *testing.F) {
	f.Add("https://shop.test/?a=\"b\"&c=<d>", "text")
	f.Add("\x00\n\r\u2028\\", "\",\"hash\":\"")
	f.Add("\xff\xed\xa0\x80", "{}\n")
	f.Fuzz(func(t *testing.T, url, text string) {
		c, err := Marshal(Entry{Type: Visit, At: start, URL: url, Outcome: text})
		if err != nil {
			return
		}
		tip := origin()
		line := tip.appendLine(nil, c)
		if !isContent(c) || bytes.IndexByte(line, '\n') != len(line)-1 || len(line) > len(c)+chainBytes {
			t.Fatalf("%q", line)
		}
		var got Line
		if err := json.Unmarshal(line, &got); err != nil || got.Seq != 1 || got.Hash != string(tip.hash[:]) {
			t.Fatalf("%q: %+v, %v", line, got, err)
		}
		if utf8.ValidString(url) {
			if got.URL != url {
				t.Fatalf("%q came back as %q", url, got.URL)
			}
			for _, needle := range (Query{URL: url}).needles() {
				if !bytes.Contains(line, needle) {
					t.Fatalf("%q is not found by %q", line, needle)
				}
			}
		}
		follow := origin()
		if err := follow.follow(line[:len(line)-1]); err != nil || follow != tip {
			t.Fatalf("%q: %v", line, err)
		}
	})
}

// FuzzVerify reads what somebody else may have written, and holds that Open
// takes what Verify takes.
func FuzzVerify(f *testing.F) {
	tip := origin()
	sound := append(tip.appendLine(nil, []byte(`{"a":1}`)), tip.appendLine(nil, []byte(`{"b":"2"}`))...)
	f.Add(sound)
	f.Add(sound[:len(sound)-1])
	f.Add([]byte(`{"seq":1,"prev":"`))
	f.Add([]byte("\n\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(filepath.Join(dir, "000001.jsonl"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		r := mustVerify(t, dir, nil)
		if r.Broken == nil && r.Bytes+r.TailBytes != int64(len(text)) {
			t.Fatalf("%q: %+v", text, r)
		}
		if r.Entries > 0 && !bytes.HasPrefix(text, []byte(`{"seq":1,"prev":"0000`)) {
			t.Fatalf("%q: %+v", text, r)
		}
		marks := map[string]int64{"ledger/000001.jsonl": int64(len(text))}
		if r := mustVerify(t, dir, marks); r.Broken == nil && len(text) > 0 {
			l := mustOpen(t, dir, 0, marks)
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
