package bolt

import (
	"bytes"
	"net/http"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"heed/frontier"
	"heed/politeness"
)

// Reference output of SipHash-1-3 for the key 00..0f.
func TestTheHashIsSipHash13(t *testing.T) {
	key := hashKey{0x0706050403020100, 0x0f0e0d0c0b0a0908}
	for text, want := range map[string]uint64{
		"":                                 0xabac0158050fc4dc,
		"\x00":                             0xc9f49bf37d57ca93,
		"\x00\x01\x02\x03\x04\x05\x06\x07": 0x369095118d299a8e,
	} {
		if got := key.sum(text); got != want {
			t.Errorf("sum(%q) = %#x, want %#x", text, got, want)
		}
	}
}

var (
	anyText   = rapid.StringN(0, 40, 60)
	anyMillis = rapid.Custom(func(t *rapid.T) time.Time { return fromMillis(rapid.Int64Range(0, maxU48).Draw(t, "ms")) })
	anyPage   = rapid.Custom(func(t *rapid.T) frontier.Page {
		p := frontier.Page{
			Status: rapid.IntRange(0, 599).Draw(t, "status"), FetchedAt: anyMillis.Draw(t, "fetched"), FreshUntil: anyMillis.Draw(t, "fresh"),
			ETag: anyText.Draw(t, "etag"), Location: anyText.Draw(t, "location"),
			LastModified: rapid.OneOf(anyText, rapid.Map(rapid.Int64Range(0, 1<<36), func(s int64) string {
				return time.Unix(s, 0).UTC().Format(http.TimeFormat)
			})).Draw(t, "modified"),
			Open: rapid.Byte().Draw(t, "open"), Changes: rapid.Uint32().Draw(t, "changes"), Checks: rapid.Uint32().Draw(t, "checks"),
		}
		if rapid.Bool().Draw(t, "digest") {
			copy(p.Digest[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "octets"))
		}
		return p
	})
)

func TestAPageSurvivesItsEncoding(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		want := anyPage.Draw(r, "page")
		if got, ok := decodePage(appendPage(nil, &want)); !ok || got != want {
			r.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

func TestARecordSurvivesItsEncoding(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		page := anyPage.Draw(r, "page")
		want := record{
			state: rapid.SampledFrom([]frontier.State{frontier.Ready, frontier.Future, frontier.Fetched, frontier.Failed}).Draw(r, "state"),
			form:  rapid.ByteRange(0, formWhole).Draw(r, "form"), score: rapid.ByteRange(0, 100).Draw(r, "score"),
			depth: rapid.Uint32().Draw(r, "depth"), since: rapid.Int64Range(0, maxU48).Draw(r, "since"),
			attempts: rapid.Uint32().Draw(r, "attempts"), pass: rapid.Uint64().Draw(r, "pass"),
			path: []byte(anyText.Draw(r, "path")), rest: []byte(anyText.Draw(r, "rest")), reason: []byte(anyText.Draw(r, "reason")),
			page: appendPage(nil, &page),
		}
		if want.state == frontier.Future {
			want.due = rapid.Int64Range(0, maxU48).Draw(r, "due")
		}
		switch want.parent.kind = rapid.ByteRange(0, parentSpelt).Draw(r, "kind"); want.parent.kind {
		case parentNear:
			want.parent.hash = rapid.Uint64().Draw(r, "hash")
		case parentFar:
			want.parent.host, want.parent.hash = rapid.Uint32().Draw(r, "host"), rapid.Uint64().Draw(r, "hash")
		case parentSpelt:
			want.parent.text = anyText.Draw(r, "parent")
		}
		var got record
		if !got.decode(want.append(nil)) || !reflect.DeepEqual(got, want) {
			r.Fatalf("got %+v, want %+v", got, want)
		}
	})
}

func TestADocumentSurvivesItsEncoding(t *testing.T) {
	const url = "https://a.test/robots.txt"
	at := time.UnixMilli(1_800_000_000_123).UTC()
	for name, want := range map[string]politeness.Document{
		"an answer": {URL: url, FinalURL: url, Status: 200, Body: []byte("User-agent: *\n"), SHA256: string(bytes.Repeat([]byte("ab"), 32)),
			Header: http.Header{"Content-Type": {"text/plain"}, "Vary": {"a", "b"}}, FetchedAt: at, Expires: at.Add(time.Hour), Truncated: true},
		"never an answer": {URL: url, FinalURL: "", Failure: &politeness.Failure{Kind: "dns", Since: at, At: at, Next: at.Add(time.Minute), Attempts: 3}},
		"on its way":      {URL: url, FinalURL: "https://b.test/", Status: 301, Chain: &politeness.Chain{Next: "https://b.test/", Hops: 2}, SHA256: "ABC"},
	} {
		t.Run(name, func(t *testing.T) {
			got := decodeDocument(url, appendDocument(nil, url, &want))
			if got == nil || !reflect.DeepEqual(*got, want) {
				t.Fatalf("got %+v, want %+v", got, want)
			}
		})
	}
}

func TestURLsAreSplitByFormAndJoinedAgain(t *testing.T) {
	for _, c := range []struct {
		url  string
		form byte
		rest string
	}{
		{"https://a.test/x?y", formHTTPS, "/x?y"},
		{"http://a.test/", formHTTP, "/"},
		{"https://a.test:8443/", formWhole, "https://a.test:8443/"},
		{"https://a.test.evil/", formWhole, "https://a.test.evil/"},
		{"https://a.test?x", formWhole, "https://a.test?x"},
	} {
		form, rest := splitURL(c.url, "a.test")
		if form != c.form || rest != c.rest || joinURL(form, "a.test", []byte(rest)) != c.url {
			t.Errorf("%s: form %d, %q", c.url, form, rest)
		}
	}
}

func FuzzRecord(f *testing.F) {
	page := frontier.Page{Status: 200, ETag: "x", LastModified: "Sun, 06 Nov 1994 08:49:37 GMT", Digest: [32]byte{1}}
	for kind := range byte(parentSpelt + 1) {
		r := record{state: frontier.Future, form: formHTTP, rest: []byte("/x"), parent: parentRef{kind: kind, text: "p"}, page: appendPage(nil, &page)}
		f.Add(r.append(nil))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, v []byte) {
		var r, again record
		if !r.decode(v) {
			return
		}
		decodePage(r.page)
		if !again.decode(r.append(nil)) {
			t.Fatal("what was read cannot be written and read again")
		}
	})
}

func FuzzDocument(f *testing.F) {
	f.Add(appendDocument(nil, "u", &politeness.Document{Status: 200, Header: http.Header{"A": {"b"}}, Body: []byte("x"),
		Failure: &politeness.Failure{Kind: "k"}, Chain: &politeness.Chain{Next: "n"}}))
	f.Add([]byte{documentVersion, 255, 255})
	f.Fuzz(func(t *testing.T, v []byte) {
		if d := decodeDocument("u", v); d != nil && decodeDocument("u", appendDocument(nil, "u", d)) == nil {
			t.Fatal("what was read cannot be written and read again")
		}
	})
}

func FuzzMeta(f *testing.F) {
	m := meta{nextHost: 3, passCursor: []byte("abc")}
	f.Add(m.append(nil), appendMarks(nil, frontier.Marks{"a": 1}))
	f.Fuzz(func(t *testing.T, state, marks []byte) {
		var m meta
		m.decode(state)
		decodeMarks(marks)
		var h hostRow
		h.decode(state)
	})
}
