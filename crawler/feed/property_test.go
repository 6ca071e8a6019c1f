package feed_test

import (
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"heed/crawler/feed"
)

// TestWhatIsWrittenIsRead writes sitemaps in the many ways that mean the same.
func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		urls := rapid.SliceOfN(rapid.StringMatching(`https?://[a-z]{1,8}\.test/[!-~\x{e9}\x{4e2d}]{0,30}`), 0, 20).Draw(t, "urls")
		prefix := rapid.SampledFrom([]string{"", "s:", "sit:"}).Draw(t, "prefix")
		declaration := rapid.SampledFrom([]string{"", `="http://www.sitemaps.org/schemas/sitemap/0.9"`, `='urn:mine'`}).Draw(t, "namespace")
		if declaration != "" {
			declaration = " xmlns" + strings.TrimSuffix(":"+prefix, ":") + declaration
		}
		blank := rapid.StringMatching(`[ \t\r\n]{0,4}`)
		noise := rapid.SampledFrom([]string{"", "<!-- <url> -->", "<?pi <loc>?>", "<image:image><image:loc>/no</image:loc></image:image>", "<x/>", "<priority>0.1</priority>", "text"})
		var b strings.Builder
		b.WriteString("<" + prefix + "urlset" + declaration + ">")
		for _, u := range urls {
			var text strings.Builder
			if rapid.Bool().Draw(t, "cdata") && !strings.Contains(u, "]]>") {
				text.WriteString("<![CDATA[" + u + "]]>")
			} else if err := xml.EscapeText(&text, []byte(u)); err != nil {
				t.Fatal(err)
			}
			b.WriteString(blank.Draw(t, "blank") + "<" + prefix + "url" + blank.Draw(t, "blank") + ">" + noise.Draw(t, "noise"))
			b.WriteString("<" + prefix + "loc>" + blank.Draw(t, "blank") + text.String() + blank.Draw(t, "blank") + "</" + prefix + "loc" + blank.Draw(t, "blank") + ">")
			b.WriteString(noise.Draw(t, "noise") + "</" + prefix + "url>")
		}
		b.WriteString("</" + prefix + "urlset>")
		got := read([]byte(b.String()), "", feed.Options{})
		if got.err != nil || !slices.Equal(got.urls(), urls) {
			t.Fatalf("%s\n%v", b.String(), got)
		}
	})
}

// TestACutDocumentNamesNothingNew: whatever a document is cut down to, no entry appears that the whole
// does not name.
func TestACutDocumentNamesNothingNew(t *testing.T) {
	for _, body := range []string{
		`<urlset><url><loc>https://shop.test/abc</loc><xhtml:link rel="alternate" href="https://shop.test/de"/></url><url><loc>https://shop.test/&#97;&amp;</loc></url></urlset>`,
		`<rss><channel><item><link>https://shop.test/abc</link></item><item><guid>https://shop.test/guid</guid></item></channel></rss>`,
		`<feed><entry><link href="https://shop.test/abc"/></entry><entry><link href="https://shop.test/def"></link></entry></feed>`,
	} {
		whole := read([]byte(body), "", feed.Options{}).urls()
		for n := range body {
			for _, u := range read([]byte(body[:n]), "", feed.Options{}).urls() {
				if !slices.Contains(whole, u) {
					t.Errorf("%q names %q", body[:n], u)
				}
			}
		}
	}
}
