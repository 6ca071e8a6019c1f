package card

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestPages(t *testing.T) {
	tests := []struct {
		name string
		page any
		want []Page
	}{
		{"BC-D-010 url, rel and score", object{"url": "https://shop.test/a", "rel": "page", "score": 88}, []Page{{"https://shop.test/a", 88}}},
		{"BC-D-010 no score", object{"url": "https://shop.test/a", "rel": "page"}, []Page{{"https://shop.test/a", Unscored}}},
		{"BC-D-019 0 is a score", object{"url": "https://shop.test/a", "score": 0}, []Page{{"https://shop.test/a", 0}}},
		{"BC-D-019 101 is none", object{"url": "https://shop.test/a", "score": 101}, []Page{{"https://shop.test/a", Unscored}}},
		{"BC-D-019 a fraction is none", object{"url": "https://shop.test/a", "score": 88.5}, []Page{{"https://shop.test/a", Unscored}}},
		{"BC-D-019 a string is none", object{"url": "https://shop.test/a", "score": "88"}, []Page{{"https://shop.test/a", Unscored}}},
		{"BC-C-935 a relative reference", object{"href": "/help#top"}, []Page{{"https://shop.test/help", Unscored}}},
		{"BC-C-021 a host below the domain", object{"url": "http://blog.shop.test:8080/"}, []Page{{"http://blog.shop.test:8080/", Unscored}}},
		{"BC-C-021 an address", object{"url": "https://169.254.169.254/latest"}, nil},
		{"BC-C-021 another domain", object{"url": "https://evil.test/"}, nil},
		{"BC-C-021 another domain without scheme", object{"url": "//evil.test/"}, nil},
		{"BC-C-021 a domain that ends like ours", object{"url": "https://notshop.test/"}, nil},
		{"BC-C-021 another scheme", object{"url": "ftp://shop.test/"}, nil},
		{"BC-C-021 a user", object{"url": "https://shop.test@evil.test/"}, nil},
		{"BC-C-021 a user at our host", object{"url": "https://me@shop.test/"}, nil},
		{"no URL", object{"url": "https://shop.test/%zz"}, nil},
		{"no string", object{"url": 7}, nil},
		{"no object", "https://shop.test/a", nil},
		{"too long", object{"url": "https://shop.test/" + strings.Repeat("a", maxURL)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mustParse(t, with(object{"pages": []any{tt.page}})).Pages; !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestCandidates(t *testing.T) {
	pages := []any{object{"url": "/a", "score": 90}, object{"url": "/b"}, object{"url": "/c", "score": 10}}
	tests := []struct {
		name         string
		verification object
		want         []int
	}{
		{"BC-C-917 scores of a fresh card count", object{"method": "dns-txt", "checked": checkedAt(noon)}, []int{90, 50, 10}},
		{"BC-C-917 they move to the middle when it is stale", object{"method": "dns-txt", "checked": checkedAt(noon.Add(-168 * 3 * time.Hour / 2))}, []int{70, 50, 30}},
		{"BC-C-917 and are there after one window more", object{"method": "dns-txt", "checked": checkedAt(noon.Add(-400 * time.Hour))}, []int{50, 50, 50}},
		{"BC-C-917 a check in the future weighs nothing", object{"method": "dns-txt", "checked": checkedAt(noon.Add(time.Hour))}, []int{50, 50, 50}},
		{"BC-C-917 an unproven card has no scores", object{"method": "unverified", "checked": checkedAt(noon)}, []int{50, 50, 50}},
		{"BC-C-014 a pending card is unlisted", object{"method": "pending"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := mustParse(t, with(object{"pages": pages, "verification": tt.verification}))
			var got []int
			for _, p := range Candidates(c, noon, 50) {
				got = append(got, p.Score)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}

func TestBCC010ScoresDecideNothing(t *testing.T) {
	want := plainCard(mustParse(t, with(object{"pages": nil})))
	for _, score := range []any{0, 20, 95, "100"} {
		c := mustParse(t, with(object{"pages": []any{object{"url": "https://shop.test/", "score": score}}, "score": score}))
		if got := plainCard(c); got != want {
			t.Errorf("BC-C-010 score %v: %+v", score, got)
		}
	}
}

func TestASitemapLiesInsideTheDomainOfItsCard(t *testing.T) {
	for given, want := range map[any]string{
		"https://shop.test/sitemap.xml#x": "https://shop.test/sitemap.xml", "http://blog.shop.test/s": "http://blog.shop.test/s",
		"/sitemap.xml": "", "https://evil.test/s.xml": "", "https://shop.test@evil.test/": "", "ftp://shop.test/s": "", "": "", 7: "",
		"https://shop.test/" + strings.Repeat("a", maxURL): "",
	} {
		c := mustParse(t, with(object{"pointers": object{"sitemap": given}, "verification": object{"method": "dns-txt", "checked": checkedAt(noon)}}))
		if got := List(c, noon); got != want {
			t.Errorf("%v gives %q, want %q", given, got, want)
		}
	}
	if got := List(mustParse(t, with(object{"pointers": object{"sitemap": "https://shop.test/s"}, "verification": object{"method": "pending"}})), noon); got != "" {
		t.Errorf("BC-C-014 a pending card names %q", got)
	}
}
