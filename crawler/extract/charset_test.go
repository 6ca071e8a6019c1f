package extract_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"heed/crawler/extract"
)

func in(t *testing.T, enc encoding.Encoding, s string) string {
	t.Helper()
	out, err := enc.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEncodingIsFoundAsBrowsersFindIt(t *testing.T) {
	const russian = "Политика конфиденциальности и условия использования сайта. Все права защищены, копирование материалов запрещено."
	tests := []struct{ name, body, contentType, charset, text string }{
		{"a byte order mark beats the header", "\xEF\xBB\xBF<p>Привет!", "text/html; charset=windows-1251", "utf-8", "<p>Привет!"},
		{"a UTF-16 mark beats the header", "\xFF\xFE" + in(t, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "<p>ж"), "text/html; charset=utf-8", "utf-16le", "<p>ж"},
		{"the header beats the meta element", in(t, charmap.Windows1251, "<meta charset=utf-8>ж"), "text/html; charset=windows-1251", "windows-1251", "<meta charset=utf-8>ж"},
		{"a quoted label in the header", in(t, charmap.Windows1251, "ж"), `text/html; charset="CP1251"`, "windows-1251", "ж"},
		{"a broken header value still names the charset", in(t, charmap.Windows1251, "ж"), `text/html; charset=cp1251; =`, "windows-1251", "ж"},
		{"an unknown label is as none", in(t, charmap.Windows1251, "<meta charset=windows-1251>ж"), "text/html; charset=nonsense", "windows-1251", "<meta charset=windows-1251>ж"},
		{"meta charset", in(t, japanese.ShiftJIS, "<meta charset=Shift_JIS>日"), "text/html", "shift_jis", "<meta charset=Shift_JIS>日"},
		{"meta pragma", in(t, simplifiedchinese.GBK, `<meta http-equiv="Content-Type" content="text/html; charset=gb2312">洪`), "text/html", "gbk", `<meta http-equiv="Content-Type" content="text/html; charset=gb2312">洪`},
		{"content without pragma declares nothing", "<meta content='text/html; charset=shift_jis'>x", "text/html", "utf-8", "<meta content='text/html; charset=shift_jis'>x"},
		{"a meta in a comment declares nothing", "<!-- <meta charset=shift_jis> -->x", "text/html", "utf-8", "<!-- <meta charset=shift_jis> -->x"},
		{"a meta past 1,024 octets declares nothing", strings.Repeat(" ", 1024) + "<meta charset=shift_jis>x", "text/html", "utf-8", strings.Repeat(" ", 1024) + "<meta charset=shift_jis>x"},
		{"utf-16 in a readable meta means utf-8", "<meta charset=utf-16>é", "text/html", "utf-8", "<meta charset=utf-16>é"},
		{"an XML declaration counts", in(t, charmap.ISO8859_2, `<?xml version="1.0" encoding='iso-8859-2'?>ł`), "application/xhtml+xml", "iso-8859-2", `<?xml version="1.0" encoding='iso-8859-2'?>ł`},
		{"unlabelled UTF-8 is UTF-8", "é", "text/html", "utf-8", "é"},
		{"unlabelled Cyrillic is detected", in(t, charmap.Windows1251, russian), "text/html", "windows-1251", russian},
		{"what nobody knows is windows-1252", "\xE9", "text/html", "windows-1252", "é"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text, charset, err := extract.DecodeText([]byte(test.body), test.contentType)
			if err != nil || charset != test.charset || string(text) != test.text {
				t.Errorf("charset %q, text %q, %v; want %q, %q", charset, text, err, test.charset, test.text)
			}
		})
	}
}

func TestUTF8IsNotCopied(t *testing.T) {
	body := []byte("\xEF\xBB\xBFé")
	text, _, _ := extract.DecodeText(body, "text/html")
	if &text[0] != &body[3] {
		t.Error("the text is a copy")
	}
}

func TestLegacyEncodingAppliesToTheQueryOnly(t *testing.T) {
	tests := []struct {
		name, ref, want string
		enc             encoding.Encoding
		label           string
	}{
		{"query in the page's encoding", "3.asp?k=洪&amp;n=1", "/3.asp?k=%BA%E9&n=1", simplifiedchinese.GBK, "gb2312"},
		{"path in UTF-8", "洪.html", "/%E6%B4%AA.html", simplifiedchinese.GBK, "gb2312"},
		{"a question mark in the fragment starts no query", "/a#?洪", "/a", simplifiedchinese.GBK, "gb2312"},
		{"a query before a fragment", "/a?洪#洪", "/a?%BA%E9", simplifiedchinese.GBK, "gb2312"},
		{"what the encoding lacks is a reference", "/a?x=&#x6d2a;&amp;y=é", "/a?x=%26%2327946%3B&y=%E9", charmap.Windows1252, "windows-1252"},
		{"a UTF-8 page", "/a?%C3%A9&amp;k=v", "/a?%C3%A9&k=v", encoding.Nop, "utf-8"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := parse(t, "<a href=\""+in(t, test.enc, test.ref)+"\">", "text/html; charset="+test.label, "http://shop.test/")
			same(t, "links", urls(page.Links), "http://shop.test"+test.want)
		})
	}
}
