package extract

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSrcset(t *testing.T) {
	tests := []struct {
		name, value string
		want        []string
	}{
		{"width and density descriptors", "a.jpg 1x, b.jpg 2x", []string{"a.jpg", "b.jpg"}},
		{"commas inside addresses stay", "/w_300,h_200/a.jpg 300w, /full/538,/0/b.jpg 538w", []string{"/w_300,h_200/a.jpg", "/full/538,/0/b.jpg"}},
		{"a comma at the end of an address separates", "a.jpg, b.jpg,", []string{"a.jpg", "b.jpg"}},
		{"no blank behind a separator", "a.jpg 1x,b.jpg 2x", []string{"a.jpg", "b.jpg"}},
		{"parentheses in descriptors hide commas", "a.jpg future(1, 2) 3x, b.jpg", []string{"a.jpg", "b.jpg"}},
		{"an unclosed parenthesis runs to the end", "a.jpg (1x, b.jpg", []string{"a.jpg"}},
		{"separators and blanks only", " ,, \n,", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			eachSrcset([]byte(test.value), func(url []byte) { got = append(got, string(url)) })
			if !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestRefreshForms(t *testing.T) {
	const second = time.Second
	tests := []struct {
		value, target string
		delay         time.Duration
		ok            bool
	}{
		{"5; url=/a", "/a", 5 * second, true},
		{" 5;URL = '/a' x", "/a", 5 * second, true},
		{`0,url="/a`, "/a", 0, true},
		{"0 /a", "/a", 0, true},
		{"0;/a", "/a", 0, true},
		{"0.9; url=/a", "/a", 0, true},
		{".5; url=/a", "/a", 0, true},
		{"7", "", 7 * second, true},
		{"7;", "", 7 * second, true},
		{"0; urlx", "urlx", 0, true},
		{"0; url", "url", 0, true},
		{"99999999999999999999; /a", "/a", 24 * time.Hour, true},
		{"", "", 0, false},
		{"url=/a", "", 0, false},
		{"5x; /a", "", 0, false},
		{"-1; /a", "", 0, false},
	}
	for _, test := range tests {
		t.Run(test.value, func(t *testing.T) {
			target, delay, ok := parseRefresh(test.value)
			if target != test.target || delay != test.delay || ok != test.ok {
				t.Errorf("got %q %v %v, want %q %v %v", target, delay, ok, test.target, test.delay, test.ok)
			}
		})
	}
}

func FuzzSrcset(f *testing.F) {
	for _, seed := range []string{"a.jpg 1x, b.jpg 2x", "/w_3,h_2/a.jpg 300w,,", "a (,) , b", ",", "data:x;base64,A= 1x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		total := 0
		eachSrcset([]byte(value), func(url []byte) {
			total += len(url)
			if len(url) == 0 || strings.ContainsAny(string(url), asciiSpace) || url[0] == ',' || url[len(url)-1] == ',' {
				t.Errorf("candidate %q", url)
			}
		})
		if total > len(value) {
			t.Errorf("%d octets of candidates from %d", total, len(value))
		}
	})
}

func FuzzRefresh(f *testing.F) {
	for _, seed := range []string{"5; url=/a", "0,url='/a", ".5 url = \"x\"", "9999999999999;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		target, delay, ok := parseRefresh(value)
		if !ok && (target != "" || delay != 0) {
			t.Errorf("a failure with values %q %v", target, delay)
		}
		if delay < 0 || delay > maxRefreshDelay || !strings.Contains(value, target) {
			t.Errorf("target %q, delay %v", target, delay)
		}
	})
}
