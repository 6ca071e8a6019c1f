package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"heed/crawler/extract"
)

func TestMarkdownLinks(t *testing.T) {
	const base = "https://shop.example/docs/ctx/index.md"
	at := func(paths ...string) (list []string) {
		for _, path := range paths {
			list = append(list, "https://shop.example"+path)
		}
		return list
	}
	tests := []struct {
		name, text string
		want       []string
	}{
		{"LC-003 what is not Markdown has no links", "*** [[[ ](( plain words", nil},
		{"LC-009 Markdown, autolink and bare URL, in order", "- [Full](/full.md)\n<https://shop.example/b.txt>\nhttps://shop.example/c.md", at("/full.md", "/b.txt", "/c.md")},
		{"LC-010 relative to where the index was found", "[a](full.md) [b](../a.md) [c](/b.md) [d](?p=2)", at("/docs/ctx/full.md", "/docs/a.md", "/b.md", "/docs/ctx/index.md?p=2")},
		{"LC-143 the ledger's example", "`[x](/code.md)`\n\n![i](/i.png)\n[a](/a.md \"t\")\n[b][r]\n[r]: /b.md\nsee https://shop.example/c.md.", at("/a.md", "/b.md", "/c.md")},
		{"LC-143 not in fenced code", "```\n[x](/no.md)\n```\n~~~ md\nhttps://shop.example/no\n```\n~~~~\n[y](/yes.md)", at("/yes.md")},
		{"LC-143 not in fenced code of a list or quote", "- a\n  ```\n  [x](/no.md)\n  ```\n> ```\n> [x](/no.md)\n> ```\n[y](/yes.md)", at("/yes.md")},
		{"LC-143 not in an unclosed fence", "[y](/yes.md)\n```\n[x](/no.md)", at("/yes.md")},
		{"LC-143 not in indented code", "text\n\n    [x](/no.md)\n\n    [x](/no2.md)\n\n[y](/yes.md)", at("/yes.md")},
		{"an indented line of a list is text", "- a\n\n    [y](/yes.md)", at("/yes.md")},
		{"an indented line of a paragraph is text", "a\n    [y](/yes.md)", at("/yes.md")},
		{"LC-143 not in comments", "<!-- [x](/no.md)\n\n[x](/no.md) -->\n[y](/yes.md) <!-- [x](/no.md) --> [z](/z.md)", at("/yes.md", "/z.md")},
		{"a comment in code hides nothing", "`<!--` [y](/yes.md)\n\n```\n<!--\n```\n[z](/z.md)", at("/yes.md", "/z.md")},
		{"LC-143 not an image, but what an image links to", "[![alt](/i.png)](/target.md) ![a [b](/no.md)](/i.png) ![c][r]\n\n[r]: /no.md", at("/target.md")},
		{"LC-143 reference, collapsed and shortcut", "[Foo][ Bar  Baz] [bar baz][] [BAR BAZ] [nothing]\n\n[bar baz]: </b c.md> 'title'\n[bar baz]: /second.md", at("/b%20c.md")},
		{"escaped brackets are text", `\[x](/no.md) [y\]](/yes.md)`, at("/yes.md")},
		{"parentheses in a destination", `[a](/x_(y).md) [b](/p\).md) [c](<a b>) [d](/e "x" )`, at("/x_(y).md", "/p).md", "/docs/ctx/a%20b", "/e")},
		{"character references in a destination", "[a](/q?a=1&amp;b=2)", at("/q?a=1&b=2")},
		{"a code span across lines", "`code\n[x](/no.md)` [y](/yes.md)", at("/yes.md")},
		{"unmatched backticks are text", "a ` b [y](/yes.md) `` c", at("/yes.md")},
		{"links do not nest", "[a [b](/b.md) c](/no.md)", at("/b.md")},
		{"a bare URL as the text of a link is not another", "[https://shop.example/no](/yes.md)", at("/yes.md")},
		{"LC-143 trailing punctuation of bare URLs", `(see https://shop.example/a), "https://shop.example/b"; **https://shop.example/c** https://shop.example/d?!`, at("/a", "/b", "/c", "/d")},
		{"a bare URL starts a word", "xhttps://shop.example/no HTTPS://shop.example/yes", at("/yes")},
		{"LC-143 only web schemes, no fragments, no repetition", "[a](/a#x) [b](/a#y) [c](#z) [d](mailto:x@y.test) [e](file:///etc/passwd) [f](javascript:x) <mailto:a@b.test>", at("/a")},
		{"relative references only through Markdown syntax", "see /no.md and no.md", nil},
		{"attributes of HTML tags are no text", `<a href="https://shop.example/no">x</a> <https://shop.example/yes>`, at("/yes")},
		{"raw HTML blocks are no Markdown", "<script>\n[x](/no.md)\n</script>\n[y](/yes.md)", at("/yes.md")},
		{"tables, headings and quotes", "# [h](/h.md)\n| [t](/t.md) | x |\n> [q](/q.md)", at("/h.md", "/t.md", "/q.md")},
		{"a bracket does not reach into the next item", "- [a\n- b](/no.md)\n", nil},
		{"facts 2.2", "## Pages\n- [Returns](../returns.md): how to\n- Manual: https://shop.example/manual.txt.\n\nSee also <https://other.test/shop>.", append(at("/docs/returns.md", "/manual.txt"), "https://other.test/shop")},
		{"carriage returns", "[a](/a.md)\r\n\r\n```\r\n[x](/no.md)\r\n```\r\n[b](/b.md)\r\n", at("/a.md", "/b.md")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			links, rest := extract.MarkdownLinks([]byte(test.text), base, webResolver{})
			same(t, "links", links, test.want...)
			if rest != 0 {
				t.Errorf("rest %d", rest)
			}
		})
	}
	t.Run("LC-143 the first 1,000 are kept, the rest counted", func(t *testing.T) {
		var text strings.Builder
		for i := range 1010 {
			fmt.Fprintf(&text, "- [x](/%d) [again](/%d)\n", i, i)
		}
		links, rest := extract.MarkdownLinks([]byte(text.String()), base, webResolver{})
		if len(links) != 1000 || rest != 10 {
			t.Errorf("%d links, rest %d", len(links), rest)
		}
	})
}

func TestLC074ALinkKeepsTheTextThatTheIndexGivesIt(t *testing.T) {
	text := "- [Returns  and\n  *refunds*](/a \"Title\")\n- [later text](/a)\n<https://shop.example/b> https://shop.example/c [Manual][m] [![alt](/i.png)](/d)\n\n[m]: /e\n[" + strings.Repeat("x", 3000) + "](/f)"
	links, _ := extract.LabelledLinks([]byte(text), "https://shop.example/", webResolver{})
	var got []string
	for _, l := range links {
		if len(l.Text) > 1024 {
			t.Errorf("%s has a text of %d octets", l.URL, len(l.Text))
		}
		got = append(got, strings.TrimPrefix(l.URL, "https://shop.example")+" "+l.Text[:min(len(l.Text), 30)])
	}
	same(t, "links", got, "/a Returns and *refunds*", "/b ", "/c ", "/e Manual", "/d ", "/f "+strings.Repeat("x", 30))
}

func TestMarkdownTitle(t *testing.T) {
	for text, want := range map[string]string{
		"# The Shop\n> words": "The Shop", "words\n#   The   Shop ##\n# Another": "The Shop", "```\n# code\n```\n# The Shop": "The Shop",
		"## Second level": "", "words": "", "#hashtag": "",
	} {
		if got := extract.MarkdownTitle([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Inputs that made naive scanners quadratic. Each must be linear: doubling the size may not cost much more
// than double, and a megabyte stays far below the test's patience even with the race detector.
func TestMarkdownIsLinear(t *testing.T) {
	const size = 1 << 20
	for _, unit := range []string{"[", "![", "]", "`", "`` ` ", "<", "<a", "<!--", "[](a", "[](<", "[](a \"", "[](a (", "[a][", "\\", "http://", "> ", "- ", "[a]: b\n", "<!---->"} {
		t.Run(unit, func(t *testing.T) {
			text := strings.Repeat(unit, size/len(unit))
			if links, _ := extract.MarkdownLinks([]byte(text), "https://shop.example/", webResolver{}); len(links) > 1000 {
				t.Errorf("%d links", len(links))
			}
		})
	}
}
