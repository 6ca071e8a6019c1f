package archive

import (
	"errors"
	"testing"
	"time"
)

func TestReferReadsWhatARevisitHasToSay(t *testing.T) {
	dir := t.TempDir()
	a, err := Open(Options{Dir: dir, IndexDir: dir, Software: "heed/test", Operator: "https://contact.test/"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	p, err := a.Build(Record{Kind: Response, URL: "https://shop.test/a", RequestedAt: at,
		RequestHead: []byte("GET /a HTTP/1.1\r\nHost: shop.test\r\n\r\n"), ResponseHead: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")})
	if err != nil {
		t.Fatal(err)
	}
	location, err := a.Append(p)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Sync(); err != nil {
		t.Fatal(err)
	}
	ref, err := Refer(dir, location) // while the file is still open for writing
	if err != nil {
		t.Fatal(err)
	}
	if ref.URL != "https://shop.test/a" || !ref.Date.Equal(at) || ref.Location != location || len(ref.PayloadDigest) != len("sha1:")+32 {
		t.Errorf("reference %+v", ref)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if again, err := Refer(dir, location); err != nil || again != ref {
		t.Errorf("after the end of the file: %+v, %v", again, err)
	}
	for _, c := range []struct {
		name, location string
		want           error
	}{
		{"no location", "elsewhere", ErrLocation},
		{"not the start of a record", location[:len(location)-len("1:1")] + "1:1", nil},
	} {
		if _, err := Refer(dir, c.location); err == nil || c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
