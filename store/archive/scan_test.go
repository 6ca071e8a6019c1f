package archive

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/gzip"
)

// FuzzScan reads records that somebody else may have written: it may refuse
// them, never crash, and never take octets for records that are none.
func FuzzScan(f *testing.F) {
	f.Add([]byte("WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:e125750a-a608-45e2-8ffc-2d1212f4a465>\r\nWARC-Date: 2026-11-30T12:00:00Z\r\nWARC-Target-URI: https://shop.test/\r\nContent-Type: application/http;msgtype=response\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n"))
	f.Add([]byte("WARC/1.0\r\nWARC-Type: revisit\r\nWARC-Record-ID: <a:b>\r\nWARC-Date: 2026-11-30T12:00:00Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n"))
	f.Add([]byte("WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Filename: x\r\nContent-Type: application/warc-fields\r\nContent-Length: 5\r\n\r\na: b\n\r\n\r\n"))
	path := filepath.Join(f.TempDir(), "x.warc.gz")
	f.Fuzz(func(t *testing.T, text []byte) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(text)
		w.Close()
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		x := indexer{file: "x.warc.gz", emit: func(offset int64, line []byte) error {
			if p, ok := placeOf(line); !ok || p.offset != offset || p.length != int64(b.Len()) {
				t.Errorf("line %q for a member of %d octets", line, b.Len())
			}
			return nil
		}}
		err := scan(path, 0, int64(b.Len()), framing(), func(rec found) error {
			if _, err := payloadOf(rec.WarcRecord); err != nil {
				return err
			}
			return x.see(rec)
		})
		if err == nil {
			err = x.flush()
		}
		if err == nil && !bytes.HasPrefix(text, []byte("WARC/1.")) {
			t.Errorf("%q was taken for a record", text)
		}
	})
}

// FuzzBuild archives what a stranger may have sent: whatever Build accepts must
// verify, and be found again without its index and read back word for word.
func FuzzBuild(f *testing.F) {
	f.Add("https://shop.test/", []byte("HTTP/1.1 200 OK\r\nA: b\r\n \r\nx\r\n\r\n"), []byte("GET / HTTP/1.1\r\n\r\n"), []byte("body"), "why")
	f.Add("http://a.12345678901234567890x/", []byte("HTTP/1.1 200\nA\n\n:\n"), []byte("x"), []byte("\r\n\r\n"), "\r\n")
	f.Add("https://a.test/=?utf-8?q?=41?=", []byte("HTTP/1.1 200\r\nContent-Type: =?utf-8?q?a/b?=\r\n\r\n"), []byte("GET =?utf-8?q?=41?="), []byte{}, "=?utf-8?q?=41?=")
	f.Add("https://a.test/?=?x-none?q?a?=", []byte("HTTP/1.1 200\r\nContent-Type: =?x-none?q?a/b?=\r\n\r\n"), []byte("GET =?x-none?q?=41?="), []byte{}, "=?x-none?q?=41?=")
	f.Add("https://x?", []byte("HTTP/0.9 200"), []byte("HTTP"), []byte("WARC/1.1\r\n"), "\xff\u2028: a")
	f.Add("http://<>\"^", []byte("HTTP/1.1 200 \x00\r\n\x00:\r\n"), []byte{}, []byte{}, "=?utf-8?q?x?=")
	f.Fuzz(func(t *testing.T, url string, head, request, body []byte, text string) {
		o := options(t, t.TempDir(), 1)
		a := mustOpen(t, o, nil)
		answer := page(url, string(body))
		answer.ResponseHead, answer.RequestHead, answer.DiscoveryPath = head, request, text
		failure := page(url, "")
		failure.Kind, failure.FailureKind, failure.FailureText = Failure, text, text
		places := make([]string, 0, 2)
		for _, r := range []Record{answer, failure} {
			p, err := a.Build(r)
			if err != nil {
				return
			}
			place, err := a.Append(p)
			if err != nil {
				t.Fatal(err)
			}
			places = append(places, place)
		}
		marks := mustCommit(t, a)
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		indexes, _ := filepath.Glob(filepath.Join(o.IndexDir, "*"))
		if err := os.Remove(indexes[0]); err != nil {
			t.Fatal(err)
		}
		if err := mustOpen(t, o, marks).Close(); err != nil {
			t.Fatal(err)
		}
		if r := mustVerify(t, o, marks); r.Faults != 0 || r.Captures != 1 {
			t.Fatalf("%+v", r)
		}
		s, err := Read(o.Dir, places[0])
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if got, err := io.ReadAll(s); err != nil || !bytes.Equal(got, body) || s.URL != url {
			t.Fatalf("%q of %q, %v", got, s.URL, err)
		}
	})
}
