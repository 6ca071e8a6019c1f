package feed_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	"heed/crawler/feed"
)

func TestEncodings(t *testing.T) {
	const body = "<urlset><url><loc>https://shop.test/caf\u00e9</loc></url></urlset>"
	const list = "https://shop.test/caf\u00e9\n"
	declared := func(label string) string { return `<?xml version="1.0" encoding="` + label + `"?>` }
	latin := func(s string) []byte {
		var b []byte
		for _, r := range s {
			b = append(b, byte(r))
		}
		return b
	}
	for _, c := range []struct {
		name, contentType string
		body              []byte
	}{
		{"UTF-8 without a word", "", []byte(body)},
		{"UTF-8 with a mark", "", []byte("\ufeff" + body)},
		{"UTF-8 with two marks and blanks", "", []byte("\ufeff\n\ufeff " + body)},
		{"the mark beats the header and the declaration", "text/xml; charset=iso-8859-1", []byte("\ufeff" + declared("iso-8859-1") + body)},
		{"the header beats the declaration", "text/xml; charset=UTF-8", []byte(declared("iso-8859-1") + body)},
		{"the header", "text/xml; charset=iso-8859-1", latin(body)},
		{"the declaration", "text/xml", latin(declared("ISO-8859-1") + body)},
		{"the declaration in single quotes", "", latin(`<?xml encoding = 'iso-8859-1' ?>` + body)},
		{"the declaration after a blank line", "", latin("\r\n" + declared("iso-8859-1") + body)},
		{"a broken header", "text/xml; charset", latin(declared("iso-8859-1") + body)},
		{"UTF-16, high octet first, with a mark", "", inUTF16("\ufeff"+declared("UTF-16")+body, true)},
		{"UTF-16, low octet first, with a mark", "", inUTF16("\ufeff"+body, false)},
		{"UTF-16, high octet first, without a mark", "", inUTF16(declared("UTF-16")+body, true)},
		{"UTF-16, low octet first, without a mark", "", inUTF16(body, false)},
		{"UTF-8 that calls itself UTF-16", "", []byte(declared("utf-16") + body)},
		{"UTF-8 that its server calls UTF-16", "text/xml; charset=utf-16", []byte(body)},
		{"a text in UTF-16", "text/plain", inUTF16("\ufeff"+list, false)},
		{"a text in UTF-16 by its header alone", "text/plain; charset=utf-16le", inUTF16(list, false)},
		{"a text by its header", "text/plain; charset=iso-8859-1", latin(list)},
		{"packed", "application/gzip", packed(latin(declared("iso-8859-1") + body))},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := read(c.body, c.contentType, feed.Options{Decoder: singleOctets})
			if got.err != nil || !slices.Equal(got.urls(), []string{"https://shop.test/caf\u00e9"}) {
				t.Error(got)
			}
		})
	}
}

func TestAnUnknownEncodingIsAnError(t *testing.T) {
	body := []byte(`<?xml version="1.0" encoding="klingon"?>` + onePage)
	if got := read(body, "", feed.Options{Decoder: singleOctets}); !errors.Is(got.err, feed.ErrCharset) {
		t.Errorf("unknown to the decoder: %v", got)
	}
	if got := read(body, "", feed.Options{}); !errors.Is(got.err, feed.ErrCharset) {
		t.Errorf("no decoder: %v", got)
	}
	failing := func(string, io.Reader) (io.Reader, error) { return brokenDecoder{}, nil }
	if got := read(body, "", feed.Options{Decoder: failing}); !errors.Is(got.err, feed.ErrCharset) || !errors.Is(got.err, errOctets) {
		t.Errorf("a decoder that fails on the way: %v", got)
	}
}

var errOctets = errors.New("octets of no character")

type brokenDecoder struct{}

func (brokenDecoder) Read([]byte) (int, error) { return 0, errOctets }

func TestOctetsThatAreNoTextAreNoURL(t *testing.T) {
	for name, url := range map[string]string{
		"no UTF-8":            "https://shop.test/caf\xe9",
		"a NUL":               "https://shop.test/\x00",
		"an escape":           "https://shop.test/\x1b[m",
		"a control by number": "https://shop.test/&#7;",
	} {
		got := read([]byte("<urlset><url><loc>"+url+"</loc></url></urlset>"), "", feed.Options{})
		if got.err != nil || got.Entries != 0 || got.found(feed.CodeURLBytes) != 1 {
			t.Errorf("%s: %v", name, got)
		}
		text := read([]byte("https://shop.test/\n"+url), "", feed.Options{})
		if text.err != nil || text.Entries+text.found(feed.CodeURLBytes) != 2 {
			t.Errorf("%s in a text: %v", name, text)
		}
	}
}

func TestReferences(t *testing.T) {
	for found, want := range map[string]string{
		"/?a&amp;b":                    "/?a&b",
		"/&lt;&gt;&quot;&apos;":        `/<>"'`,
		"/&#233;&#xE9;&#Xe9;":          "/\u00e9\u00e9\u00e9",
		"/&amp;amp;":                   "/&amp;",
		"/?a&b=1;2":                    "/?a&b=1;2",
		"/&;&#;&#x;&#xD800;&#0;":       "/&;&#;&#x;&#xD800;&#0;",
		"/&#x110000;&#99999999999;":    "/&#x110000;&#99999999999;",
		"/&nbsp;&AMP;":                 "/&nbsp;&AMP;",
		"/<![CDATA[&amp;]]>&amp;":      "/&amp;&",
		"/a<!-- b -->c<?d?>e":          "/ace",
		"/<![CDATA[]]]]><![CDATA[>]]>": "/]]>",
		"/<![CDATA[]]>a":               "/a",
		"/&amp":                        "/&amp",
	} {
		got := read([]byte("<urlset><url><loc>"+found+"</loc></url></urlset>"), "", feed.Options{})
		if got.err != nil || !slices.Equal(got.urls(), []string{want}) || len(got.Findings) > 0 {
			t.Errorf("%s: %v, want %s", found, got, want)
		}
	}
}
