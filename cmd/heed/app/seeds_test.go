package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heed/crawler"
	"heed/frontier"
)

func TestParseSeed(t *testing.T) {
	for _, row := range []struct {
		name, line, url string // url "" is an error
		score           int
	}{
		{"a URL", "https://shop.test/a?b=c", "https://shop.test/a?b=c", -1},
		{"a URL in clear", "http://shop.test", "http://shop.test/", -1},
		{"a bare domain stands for its https home page", "shop.test", "https://shop.test/", -1},
		{"a domain with a port and a path", "shop.test:8443/a", "https://shop.test:8443/a", -1},
		{"a domain with a path stays that page", "shop.test/a/b?c", "https://shop.test/a/b?c", -1},
		{"localhost", "localhost", "https://localhost/", -1},
		{"a domain in other letters", "BÜCHER.test", "https://xn--bcher-kva.test/", -1},
		{"a URL is made canonical", "HTTPS://Shop.Test:443/./a/../b#c", "https://shop.test/b", -1},
		{"a score behind a tab", "shop.test\t70", "https://shop.test/", 70},
		{"the lowest score", "shop.test\t0", "https://shop.test/", 0},
		{"the highest score with blanks", " shop.test \t 100 ", "https://shop.test/", 100},
		{"a score above", "shop.test\t101", "", 0},
		{"a score below", "shop.test\t-1", "", 0},
		{"a score that is none", "shop.test\tgood", "", 0},
		{"a score with a second tab", "shop.test\t7\t7", "", 0},
		{"a word", "shop", "", 0},
		{"nothing", "", "", 0},
		{"only a score", "\t50", "", 0},
		{"two words", "shop.test or.test", "", 0},
		{"a port that is none", "shop.test:port", "", 0},
		{"another scheme", "ftp://shop.test/", "", 0},
		{"a URL without a host", "https://", "", 0},
		{"a password", "https://me:secret@shop.test/", "", 0},
		{"a URL above the limit", "https://shop.test/" + strings.Repeat("a", 70_000), "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := ParseSeed(row.line)
			if row.url == "" {
				if !errors.Is(err, ErrSeed) {
					t.Errorf("%+v, %v, want ErrSeed", s, err)
				}
				if err != nil && len(err.Error()) > 1000 && row.name != "a URL above the limit" {
					t.Errorf("the message has %d octets", len(err.Error()))
				}
				return
			}
			if err != nil || s.URL != row.url || s.Score != row.score {
				t.Errorf("%+v, %v, want %s with %d", s, err, row.url, row.score)
			}
		})
	}
}

// read reads a seed file and returns what was in it.
func read(t *testing.T, text string) (urls []string, bad []int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "seeds")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	err := ReadSeeds(file,
		func(s crawler.Seed) error { urls = append(urls, s.URL); return nil },
		func(line int, err error) error {
			if !errors.Is(err, ErrSeed) {
				t.Errorf("line %d: %v is no ErrSeed", line, err)
			}
			bad = append(bad, line)
			return nil
		})
	if err != nil {
		t.Errorf("read: %v", err)
	}
	return urls, bad
}

func TestReadSeeds(t *testing.T) {
	const a, b = "https://a.test/", "https://b.test/"
	long := strings.Repeat("x", maxSeedLine)
	for _, row := range []struct {
		name, text string
		urls       []string
		bad        []int
	}{
		{"nothing", "", nil, nil},
		{"one without an end of line", "a.test", []string{a}, nil},
		{"two with CR LF", "a.test\r\nb.test\r\n", []string{a, b}, nil},
		{"blank lines and comments", "\n  \n# a.test\n  # b.test\na.test\n", []string{a}, nil},
		{"a byte order mark", "\ufeffa.test\n", []string{a}, nil},
		{"a byte order mark further down, which no host name keeps", "a.test\n\ufeffb.test\n", []string{a, b}, nil},
		{"bad lines are counted from 1 and the rest goes on", "\na.test\nnone\n#\nhttp://[\nb.test", []string{a, b}, []int{3, 5}},
		{"a line over the limit", "a.test\n" + long + "\nb.test\n", []string{a, b}, []int{2}},
		{"many times the limit", strings.Repeat(long, 3) + "\nb.test", []string{b}, []int{1}},
		{"the limit at the end of the file", "a.test\n" + long, []string{a}, []int{2}},
		{"octets that are no text", "a.test\n\x00\xff\xfe\nb.test\n", []string{a, b}, []int{2}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if urls, bad := read(t, row.text); !slices.Equal(urls, row.urls) || !slices.Equal(bad, row.bad) {
				t.Errorf("%q, bad lines %v, want %q and %v", urls, bad, row.urls, row.bad)
			}
		})
	}
}

func TestReadSeedsEnds(t *testing.T) {
	if err := ReadSeeds(filepath.Join(t.TempDir(), "none"), nil, nil); !errors.Is(err, ErrSetting) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	file := filepath.Join(t.TempDir(), "seeds")
	if err := os.WriteFile(file, []byte("a.test\nnone\nb.test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stop := errors.New("stop")
	seen := 0
	count := func(crawler.Seed) error { seen++; return nil }
	if err := ReadSeeds(file, count, func(int, error) error { return stop }); !errors.Is(err, stop) || seen != 1 {
		t.Errorf("a bad line that ends the reading: %v after %d seeds", err, seen)
	}
	if err := ReadSeeds(file, func(crawler.Seed) error { return stop }, nil); !errors.Is(err, stop) {
		t.Errorf("a seed that ends the reading: %v", err)
	}
}

// FuzzParseSeed: what is accepted is canonical, and is accepted again as it is.
func FuzzParseSeed(f *testing.F) {
	for _, seed := range []string{"shop.test", "https://shop.test/a\t7", "localhost:80/x", "\t", "http://[::1]/", "a.b:99999", "ü.test/ü?ü#ü", "https://a.test/%", "\ufeffa.test", "1.2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		s, err := ParseSeed(line)
		if err != nil {
			if !errors.Is(err, ErrSeed) {
				t.Fatalf("%q: %v is no ErrSeed", line, err)
			}
			return
		}
		if s.Score < -1 || s.Score > 100 {
			t.Fatalf("%q: score %d", line, s.Score)
		}
		if canonical, err := frontier.Canonical(s.URL); err != nil || canonical != s.URL {
			t.Fatalf("%q gives %q, whose canonical form is %q, %v", line, s.URL, canonical, err)
		}
		again, err := ParseSeed(s.URL)
		if err != nil || again.URL != s.URL {
			t.Fatalf("%q gives %q, which gives %q, %v", line, s.URL, again.URL, err)
		}
	})
}
