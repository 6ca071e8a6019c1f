package archive

import (
	"bytes"
	"encoding/base32"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/nlnwa/gowarc/v3"
)

// kept is what a test looks at in a record.
type kept struct {
	kind    string
	header  *gowarc.WarcFields
	block   string
	payload string
}

func records(t *testing.T, o Options) []kept {
	t.Helper()
	var list []kept
	files, _ := filepath.Glob(filepath.Join(o.Dir, "*"+suffixWARC))
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		err = scan(path, 0, info.Size(), strict(), func(rec found) error {
			raw, err := rec.WarcRecord.Block().RawBytes()
			if err != nil {
				return err
			}
			block, err := io.ReadAll(raw)
			if err != nil {
				return err
			}
			payload := block[min(len(block), len(protocolHead(rec.WarcRecord))):]
			list = append(list, kept{rec.WarcRecord.Type().String(), rec.WarcRecord.WarcHeader(), string(block), string(payload)})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// archived runs visits through an archive and gives its records without the
// warcinfo.
func archived(t *testing.T, o Options, visits ...Record) []kept {
	t.Helper()
	a := mustOpen(t, o, nil)
	for _, r := range visits {
		mustAppend(t, a, r)
	}
	marks := mustCommit(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if r := mustVerify(t, o, marks); r.Faults != 0 {
		t.Fatalf("%+v", r)
	}
	return records(t, o)[1:]
}

// The three answers carry one payload, once with a length and twice chunked
// (webrecorder/warcio #74, internetarchive/heritrix3 #769).
func TestOnePayloadHasOneDigestHoweverItWasChunked(t *testing.T) {
	const body = "one payload"
	heads := []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Order: kept\r\n\r\n",
		"HTTP/1.1 200 OK\r\nx-a: 1\r\ntransfer-encoding: gzip,\r\n chunked\r\n\r\n",
	}
	want := []string{
		heads[0],
		"HTTP/1.1 200 OK\r\nX-Orig-Transfer-Encoding: chunked\r\nX-Order: kept\r\n\r\n",
		"HTTP/1.1 200 OK\r\nx-a: 1\r\nX-Orig-transfer-encoding: gzip,\r\n chunked\r\n\r\n",
	}
	var visits []Record
	for _, head := range heads {
		r := page("https://shop.test/", body)
		r.ResponseHead, r.RequestHead = []byte(head), nil
		visits = append(visits, r)
	}
	list := archived(t, options(t, t.TempDir(), 1), visits...)
	digests := map[string]bool{}
	for i, head := range want {
		got := list[2*i] // each with its metadata
		digests[got.header.Get(gowarc.WarcPayloadDigest)] = true
		if got.block != head+body || got.payload != body {
			t.Errorf("block %d: %q", i, got.block)
		}
	}
	if len(digests) != 1 {
		t.Errorf("digests %v", digests)
	}
}

// The payload of the reported case, with the digests given there.
func TestDigestsAreThoseThatOtherToolsGive(t *testing.T) {
	const body = "the same eleven words are the whole payload of all three"
	got := archived(t, options(t, t.TempDir(), 1), page("https://shop.test/length", body))[0]
	if d := got.header.Get(gowarc.WarcPayloadDigest); d != "sha1:TAZ6YTTAWT73GNIOEOD5YBJM66P7FM3E" {
		t.Errorf("SHA-1 %s", d)
	}
	if d := got.header.Get(fieldSHA256); d != "ef8d561c71530849159e46b5d170c4e2197ed4e4a8172ed8ee4160f709a67b39" {
		t.Errorf("SHA-256 %s", d)
	}
}

func TestCredentialsAreNeverWritten(t *testing.T) {
	r := page("https://shop.test/", "body")
	r.RequestHead = []byte("GET / HTTP/1.1\r\nHost: shop.test\r\nauthorization : Bearer hush\r\nPROXY-AUTHORIZATION: hush\r\nCookie: a=hush;\r\n b=hush\r\n\thush\r\nAccept: */*\r\n\r\n")
	for _, k := range archived(t, options(t, t.TempDir(), 1), r) {
		if strings.Contains(k.block, "hush") {
			t.Errorf("%s: %q", k.kind, k.block)
		}
		if k.kind == "request" && k.block != "GET / HTTP/1.1\r\nHost: shop.test\r\nAccept: */*\r\n\r\n" {
			t.Errorf("request is %q", k.block)
		}
	}
}

func TestTheSamePayloadOnTheSameHostBecomesARevisit(t *testing.T) {
	o := options(t, t.TempDir(), 1)
	o.SpoolBytes = 1500
	long := strings.Repeat("word ", 400)
	a := mustOpen(t, o, nil)
	first := page("https://shop.test/a", long)
	stored := mustAppend(t, a, first)
	again := page("https://www.shop.test/b", long)
	again.RequestedAt = start.Add(time.Hour)
	if place := mustAppend(t, a, again); place != stored {
		t.Errorf("the second body is said to be at %q, the first at %q", place, stored)
	}
	if place := mustAppend(t, a, page("https://other.test/a", long)); place == stored {
		t.Error("a host refers to the body of another host")
	}
	mustAppend(t, a, page("https://shop.test/c", "short"))
	if place, once := mustAppend(t, a, page("https://shop.test/d", "short")), stored; place == "" || place == once {
		t.Errorf("a short body is at %q", place)
	}
	marks := mustCommit(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if r := mustVerify(t, o, marks); r.Faults != 0 || r.Captures != 5 {
		t.Errorf("%+v", r)
	}
	var kinds []string
	for _, k := range records(t, o)[1:] {
		if k.kind == "response" || k.kind == "revisit" {
			kinds = append(kinds, k.kind)
		}
		if k.kind != "revisit" {
			continue
		}
		for name, want := range map[string]string{
			gowarc.WarcProfile: profileIdentical, gowarc.WarcRefersToTargetURI: first.URL, gowarc.WarcRefersToDate: "2026-11-30T12:00:01Z",
			gowarc.WarcTargetURI: again.URL, gowarc.WarcDate: "2026-11-30T13:00:00Z",
		} {
			if got := k.header.Get(name); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
		if k.block != string(first.ResponseHead) || k.header.Get(gowarc.WarcPayloadDigest) == "" {
			t.Errorf("revisit block %q", k.block)
		}
	}
	if got := strings.Join(kinds, " "); got != "response revisit response response response" {
		t.Error(got)
	}
}

func TestACallerMayNameTheIdenticalPayloadItself(t *testing.T) {
	r := page("https://shop.test/a", "body")
	r.Kind = Identical
	r.RefersTo = Reference{URL: "https://shop.test/z", Date: start, Location: "heed-20261130120000-00000-00000000.warc.gz:1:2"}
	o := options(t, t.TempDir(), 1)
	a := mustOpen(t, o, nil)
	if place := mustAppend(t, a, r); place != r.RefersTo.Location {
		t.Errorf("location %q", place)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if k := records(t, o)[1]; k.kind != "revisit" || k.header.Get(gowarc.WarcRefersToTargetURI) != "https://shop.test/z" || k.payload != "" {
		t.Errorf("%+v", k)
	}
}

func TestLargeBodiesGoThroughASpoolFileThatDoesNotStay(t *testing.T) {
	o := options(t, t.TempDir(), 1)
	o.SpoolBytes = 100
	body := noise(300 << 10)
	a := mustOpen(t, o, nil)
	unwanted, err := a.Build(page("https://shop.test/unwanted", body))
	if err != nil {
		t.Fatal(err)
	}
	if spooled, _ := filepath.Glob(filepath.Join(o.Dir, spoolPattern)); len(spooled) != 1 {
		t.Fatalf("spool files: %v", spooled)
	}
	unwanted.Discard()
	unwanted.Discard()
	if _, err := a.Append(unwanted); !errors.Is(err, ErrRecord) {
		t.Errorf("append of what was discarded: %v", err)
	}
	place := mustAppend(t, a, page("https://shop.test/large", body))
	mustCommit(t, a)
	s, err := Read(o.Dir, place)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := iotest.TestReader(s.body, []byte(body)); err != nil {
		t.Error(err)
	}
	if spooled, _ := filepath.Glob(filepath.Join(o.Dir, spoolPattern)); len(spooled) != 0 {
		t.Errorf("left behind: %v", spooled)
	}
}

func TestBuildRefusesWhatOthersWouldMisread(t *testing.T) {
	a := mustOpen(t, options(t, t.TempDir(), 1), nil)
	for name, spoil := range map[string]func(*Record){
		"no kind":                    func(r *Record) { r.Kind = 0 },
		"unknown kind":               func(r *Record) { r.Kind = 9 },
		"no URL":                     func(r *Record) { r.URL = "" },
		"no host":                    func(r *Record) { r.URL = "https:///a" },
		"another scheme":             func(r *Record) { r.URL = "ftp://shop.test/a" },
		"line break in the URL":      func(r *Record) { r.URL += "\r\nWARC-Type: warcinfo" },
		"blank in the URL":           func(r *Record) { r.URL += " x" },
		"URL not UTF-8":              func(r *Record) { r.URL += "\xff" },
		"line break in via":          func(r *Record) { r.Via = "https://a.test/\nx" },
		"no time":                    func(r *Record) { r.RequestedAt = time.Time{} },
		"no head":                    func(r *Record) { r.ResponseHead = nil },
		"request head not one":       func(r *Record) { r.RequestHead = []byte("x\r\n\r\n") },
		"head not HTTP":              func(r *Record) { r.ResponseHead = []byte("ICY 200 OK\r\n\r\n") },
		"status not a number":        func(r *Record) { r.ResponseHead = []byte("HTTP/1.1 2x0 OK\r\n\r\n") },
		"status of four digits":      func(r *Record) { r.ResponseHead = []byte("HTTP/1.1 2000 OK\r\n\r\n") },
		"status below 100":           func(r *Record) { r.ResponseHead = []byte("HTTP/1.1 099 OK\r\n\r\n") },
		"head too large":             func(r *Record) { r.ResponseHead = make([]byte, maxHeadBytes+1) },
		"body missing":               func(r *Record) { r.Body = nil },
		"negative size":              func(r *Record) { r.BodyBytes = -1 },
		"revisit of nothing":         func(r *Record) { r.Kind = NotModified },
		"revisit of an undated page": func(r *Record) { r.Kind, r.RefersTo.URL = Identical, r.URL },
	} {
		t.Run(name, func(t *testing.T) {
			r := page("https://shop.test/", "body")
			spoil(&r)
			if _, err := a.Build(r); !errors.Is(err, ErrRecord) {
				t.Errorf("got %v", err)
			}
		})
	}
	r := page("https://shop.test/", "body")
	r.BodyBytes++
	if _, err := a.Build(r); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a body shorter than it says: %v", err)
	}
}

func TestFailureTextCannotLeaveItsLine(t *testing.T) {
	r := page("https://shop.test/", "")
	r.Kind, r.FailureKind = Failure, "reset"
	r.FailureText = "a\r\nvia: https://evil.test/\u2028b\x00" + strings.Repeat("é", maxTextBytes)
	list := archived(t, options(t, t.TempDir(), 1), r)
	if len(list) != 1 || list[0].kind != "metadata" {
		t.Fatalf("%+v", list)
	}
	if n := strings.Count(list[0].block, "\nvia: "); n != 1 || len(list[0].block) > 2*maxTextBytes {
		t.Errorf("%q", list[0].block)
	}
}

func TestFilesAreFollowedByNewOnesAndKeepTheirNames(t *testing.T) {
	o := options(t, t.TempDir(), 1)
	o.MaxFileBytes = 3000
	a := mustOpen(t, o, nil)
	marks := map[string]int64{}
	for range 20 {
		mustAppend(t, a, page("https://shop.test/", noise(700)))
		if err := a.Sync(); err != nil {
			t.Fatal(err)
		}
		a.Marks(marks)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(o.Dir, "*"))
	if len(files) < 8 || len(marks) != len(files) {
		t.Fatalf("%d files, %d marks", len(files), len(marks))
	}
	for i, path := range files {
		stem, serial, open, ok := stemOf(filepath.Base(path), "heed")
		info, err := os.Stat(path)
		if !ok || open || serial != i || err != nil || info.Size() != marks[markPrefix+stem+suffixWARC] {
			t.Errorf("%s: %d, %v, %v", path, serial, open, err)
		}
	}
	if r := mustVerify(t, o, marks); r.Faults != 0 || r.Files != len(files) || r.Captures != 20 {
		t.Errorf("%+v", r)
	}
	if _, err := a.Append(nil); !errors.Is(err, ErrClosed) {
		t.Errorf("append after Close: %v", err)
	}
}

func TestWorkersMayBuildAtTheSameTime(t *testing.T) {
	o := options(t, t.TempDir(), 1)
	o.Random = nil
	a := mustOpen(t, o, nil)
	built := make(chan *Prepared)
	for i := range 8 {
		go func() {
			for j := range 10 {
				p, err := a.Build(page("https://shop.test/"+strings.Repeat("x", i*10+j), noise(i*200+j)))
				if err != nil {
					t.Error(err)
				}
				built <- p
			}
		}()
	}
	for range 80 {
		if _, err := a.Append(<-built); err != nil {
			t.Fatal(err)
		}
	}
	marks := mustCommit(t, a)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if r := mustVerify(t, o, marks); r.Faults != 0 || r.Captures != 80 {
		t.Errorf("%+v", r)
	}
}

func TestVerifyFindsWhatWasTamperedWith(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(warc, index []byte) ([]byte, []byte)
		what  string
	}{
		{"nothing", func(w, x []byte) ([]byte, []byte) { return w, x }, ""},
		{"a bit in a member", func(w, x []byte) ([]byte, []byte) { w[len(w)/2] ^= 4; return w, x }, "damaged"},
		{"the end cut off", func(w, x []byte) ([]byte, []byte) { return w[:len(w)-3], x }, "committed"},
		{"four octets too many", func(w, x []byte) ([]byte, []byte) { return append(w, "abcd"...), x }, ""}, // behind the mark: not committed
		{"an index line lost", func(w, x []byte) ([]byte, []byte) { return w, x[bytes.IndexByte(x, '\n')+1:] }, "no index line"},
		{"an index line changed", func(w, x []byte) ([]byte, []byte) {
			return w, bytes.Replace(x, []byte(`"status": "200"`), []byte(`"status": "201"`), 1)
		}, "the record gives"},
		{"an index line pointing elsewhere", func(w, x []byte) ([]byte, []byte) {
			return w, bytes.Replace(x, []byte(`"offset": "`), []byte(`"offset": "9`), 1)
		}, "no response or revisit begins here"},
		{"an index line of no use", func(w, x []byte) ([]byte, []byte) { return w, append([]byte("a\n"), x...) }, "of no use"},
		{"an index out of order", func(w, x []byte) ([]byte, []byte) {
			n := bytes.IndexByte(x, '\n') + 1
			return w, append(append([]byte(nil), x[n:]...), x[:n]...)
		}, "not sorted"},
		{"no index", func(w, x []byte) ([]byte, []byte) { return w, nil }, "has no index"},
		{"no WARC file", func(w, x []byte) ([]byte, []byte) { return nil, x }, "not there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options(t, t.TempDir(), 1)
			a := mustOpen(t, o, nil)
			for _, path := range []string{"b", "a", "c"} {
				mustAppend(t, a, page("https://shop.test/"+path, path))
			}
			marks := mustCommit(t, a)
			if err := a.Close(); err != nil {
				t.Fatal(err)
			}
			paths := [2]string{firstMatch(t, filepath.Join(o.Dir, "*")), firstMatch(t, filepath.Join(o.IndexDir, "*"))}
			var texts [2][]byte
			for i, path := range paths {
				var err error
				if texts[i], err = os.ReadFile(path); err != nil {
					t.Fatal(err)
				}
			}
			texts[0], texts[1] = c.spoil(texts[0], texts[1])
			for i, path := range paths {
				if texts[i] == nil {
					if err := os.Remove(path); err != nil {
						t.Fatal(err)
					}
					continue
				}
				put(t, path, texts[i])
			}
			r := mustVerify(t, o, marks)
			found := ""
			for _, p := range r.Problems {
				found += p.String() + "\n"
			}
			if c.what == "" && r.Faults != 0 || c.what != "" && !strings.Contains(found, c.what) {
				t.Errorf("found %d: %s", r.Faults, found)
			}
		})
	}
}

func TestASHA256ThatDoesNotFitIsFoundThoughTheSHA1Does(t *testing.T) {
	o := options(t, t.TempDir(), 1)
	a := mustOpen(t, o, nil)
	r := page("https://shop.test/", "body")
	r.PayloadSHA256 = [32]byte{1}
	mustAppend(t, a, r)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if r := mustVerify(t, o, nil); r.Faults != 1 || !strings.Contains(r.Problems[0].What, fieldSHA256) {
		t.Errorf("%+v", r)
	}
}

func TestReadRefusesWhatIsNoLocationOfASoundResponse(t *testing.T) {
	o := options(t, t.TempDir(), 1)
	a := mustOpen(t, o, nil)
	place := mustAppend(t, a, page("https://shop.test/", "body"))
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	file, offset, length, err := parseLocation(place)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		location string
		want     error
	}{
		"empty":             {"", ErrLocation},
		"a path":            {"../archive/" + place, ErrLocation},
		"another file":      {"state.db:0:10", ErrLocation},
		"an unfinished one": {location(file+suffixOpen, offset, length), ErrLocation},
		"negative":          {location(file, -1, length), ErrLocation},
		"no length":         {location(file, offset, 0), ErrLocation},
		"enormous":          {location(file, offset, maxMemberBytes+1), ErrLocation},
		"a fourth part":     {place + ":1", ErrLocation},
		"not there":         {strings.Replace(place, "-00000-", "-00001-", 1), os.ErrNotExist},
		"cut":               {location(file, offset, length-1), ErrDamaged},
		"inside":            {location(file, offset+1, length), ErrDamaged},
		"warcinfo":          {location(file, 0, offset), ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Read(o.Dir, c.location); !errors.Is(err, c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestRecordIDsAreRandomUUIDs(t *testing.T) {
	id, err := newRecordID(bytes.NewReader(bytes.Repeat([]byte{0xff}, 16)))
	if err != nil || string(id[:]) != "ffffffff-ffff-4fff-bfff-ffffffffffff" {
		t.Errorf("%s %v", id[:], err)
	}
	if _, err := newRecordID(strings.NewReader("short")); err == nil {
		t.Error("no error without randomness")
	}
}

func TestDigestForms(t *testing.T) {
	p := newPress()
	p.payload.Write([]byte("abc"))
	sum, _ := hex.DecodeString("a9993e364706816aba3e25717850c26c9cd0d89d") // FIPS 180
	if got, want := p.digestOf(p.payload), "sha1:"+base32.StdEncoding.EncodeToString(sum); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
