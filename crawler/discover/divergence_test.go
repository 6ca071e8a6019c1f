package discover_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heed/crawler/discover"
)

func TestLC074WhichTitlesAgree(t *testing.T) {
	for _, tt := range []struct {
		name, index, page string
		want              bool
	}{
		{"LC-074 the same", "Returns", "Returns", true},
		{"LC-074 the ledger's example", "A", "B", false},
		{"a title of one letter", "C", "C | Languages", true},
		{"case, white space and punctuation", "**Getting   started!**", "getting-started", true},
		{"character references", "Terms &amp; conditions", "Terms & Conditions", true},
		{"the site's name behind", "Returns", "Returns | The Shop", true},
		{"the site's name before", "Returns", "The Shop — Returns", true},
		{"the site's name in the index", "The Shop: Returns", "Returns", true},
		{"the index is shorter", "Returns", "Returns and refunds", true},
		{"the index is longer", "Returns and refunds, how they work", "Returns and refunds", true},
		{"the same words in another order", "Refunds and returns", "Returns and refunds of The Shop", true},
		{"one of two words is not enough", "Returns policy", "Privacy policy", false},
		{"another subject", "Free tickets", "Terms of service", false},
		{"part of a word is another word", "Art", "Party", false},
		{"other scripts", "Возврат", "ВОЗВРАТ | Магазин", true},
		{"other scripts that differ", "Возврат", "Оплата", false},
		{"scripts without spaces", "返品", "返品について", true},
		{"scripts without spaces that differ", "返品", "会社概要", false},
		{"nothing to compare", "", "", false},
		{"nothing but punctuation", "→", "→", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := discover.Agree(tt.index, tt.page); got != tt.want {
				t.Errorf("Agree(%q, %q) = %t", tt.index, tt.page, got)
			}
		})
	}
}

func TestATitleAgreesWithItselfWhateverStandsBesideIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.StringMatching(`[\pL\pN]{3,8}( [\pL\pN]{1,8}){0,4}`).Draw(t, "title")
		site := rapid.StringMatching(`[\pL\pN]{1,8}( [\pL\pN]{1,8}){0,2}`).Draw(t, "site")
		between := rapid.SampledFrom([]string{" | ", " - ", " – ", ": "}).Draw(t, "between")
		for _, page := range []string{title, title + "!", title + between + site, site + between + title} {
			if !discover.Agree(title, page) {
				t.Fatalf("%q does not agree with %q", title, page)
			}
		}
	})
}

func TestLC073ASampleIsSpreadOverTheIndex(t *testing.T) {
	list := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	for n, want := range map[int][]int{0: {}, 1: {0}, 3: {0, 3, 6}, 10: list, 99: list} {
		if got := discover.Pick(list, n); !slices.Equal(got, want) {
			t.Errorf("%d of ten: %v", n, got)
		}
	}
}

func TestLC073WhatMayBeAnOrdinaryPage(t *testing.T) {
	for url, want := range map[string]bool{
		"https://shop.example": true, "https://shop.example/": true, "https://shop.example/a": true, "https://shop.example/a.html?x=y.md": true,
		"https://shop.example/v1.2": true, "https://shop.example/a.PHP": true, "https://shop.example/a.b/": true, "https://shop.example/a.b/c": true,
		"https://shop.example/a.md": false, "https://shop.example/a.txt?x": false, "https://shop.example/a.pdf": false, "https://shop.example/i.PNG": false, "https://shop.example/a.min.7z": false, "https://shop.example/a.mp4": false,
	} {
		if discover.MayBePage(url) != want {
			t.Errorf("%s: %t", url, !want)
		}
	}
}
