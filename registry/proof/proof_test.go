package proof

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

const (
	token = "q7W0c2nYH3m0Jx5fS1tKpQ8vBz4LrE6a"
	line  = prefix + token
)

// web answers by URL; what it has not is 404.
type web struct {
	answers map[string]Answer
	err     error
	asked   []string
}

func (w *web) Get(_ context.Context, url string, maxBytes int64) (Answer, error) {
	w.asked = append(w.asked, url)
	if w.err != nil {
		return Answer{}, w.err
	}
	a, ok := w.answers[url]
	if !ok {
		a.Status = http.StatusNotFound
	}
	if a.Header == nil {
		a.Header = http.Header{"Content-Type": {"text/plain"}}
	}
	if int64(len(a.Body)) > maxBytes {
		a.Body, a.Cut = a.Body[:maxBytes], true
	}
	return a, nil
}

// zone answers for names; what it has not has no records.
type zone struct {
	records map[string][]string
	err     error
	asked   []string
}

func (z *zone) LookupTXT(_ context.Context, name string) (Text, error) {
	z.asked = append(z.asked, name)
	return Text{Records: z.records[name], Validated: true}, z.err
}

const fileURL = "https://shop.test" + Path

func file(status int, media, body string) Answer {
	a := Answer{Status: status, Header: http.Header{}, Body: []byte(body)}
	if media != "" {
		a.Header.Set("Content-Type", media)
	}
	return a
}

func redirect(status int, to string) Answer {
	return Answer{Status: status, Header: http.Header{"Location": {to}}}
}

func registrable(host string) string {
	labels := strings.Split(host, ".")
	return strings.Join(labels[max(len(labels)-2, 0):], ".")
}

func TestFile(t *testing.T) {
	pad := func(n int) string { return strings.Repeat("#", n-1) + "\n" }
	tests := []struct {
		name   string
		answer Answer
		want   Cause
	}{
		{"BC-P-006 the line", file(200, "text/plain", line+"\n"), Found},
		{"BC-P-009 among lines of other registries", file(200, "text/plain", prefix+"aaaa\n"+line+"\n"+prefix+"bbbb"), Found},
		{"BC-P-010 after comments", file(200, "text/plain", "# hello\n\n"+line), Found},
		{"BC-P-902 space around it", file(200, "text/plain", " \t"+line+" \r\n"), Found},
		{"BC-P-901 a byte order mark before it", file(200, "text/plain", "\xef\xbb\xbf"+line), Found},
		{"BC-P-910 no media type", file(200, "", line), Found},
		{"BC-P-910 a media type that is none", file(200, ";;", line), Found},
		{"BC-P-902 in a comment", file(200, "text/plain", "# "+line), TokenAbsent},
		{"BC-P-902 a longer token", file(200, "text/plain", line+"x"), TokenAbsent},
		{"BC-P-902 text before it", file(200, "text/plain", "x "+line), TokenAbsent},
		{"BC-P-902 another case", file(200, "text/plain", strings.ToUpper(line)), TokenAbsent},
		{"BC-P-006 the bare token", file(200, "text/plain", token), TokenAbsent},
		{"BC-P-006 an empty file", file(200, "text/plain", ""), TokenAbsent},
		{"BC-P-901 UTF-16", file(200, "text/plain", "\xff\xfeb\x00o\x00t\x00"), TokenAbsent},
		{"BC-P-004 BC-D-024 text/html", file(200, "Text/HTML; charset=utf-8", line), HTMLShell},
		{"BC-P-004 text/html with broken parameters", file(200, "text/html;;=", line), HTMLShell},
		{"BC-P-004 text/html as the second of two", Answer{Status: 200, Header: http.Header{"Content-Type": {"text/plain", "text/html"}}, Body: []byte(line)}, HTMLShell},
		{"BC-P-005 markup at the beginning", file(200, "text/plain", "<HtMl>\n"+line), HTMLShell},
		{"BC-P-005 markup at octet 100", file(200, "text/plain", line+"\n"+pad(100-len(line)-1)+"<!DOCTYPE"), HTMLShell},
		{"BC-P-005 markup that ends at octet 400", file(200, "text/plain", line+"\n"+pad(395-len(line)-1)+"<html"), HTMLShell},
		{"BC-P-901 markup of which one octet is outside", file(200, "text/plain", line+"\n"+pad(396-len(line)-1)+"<head"), Found},
		{"BC-P-005 markup after octet 400", file(200, "text/plain", line+"\n"+pad(400-len(line)-1)+"<body>"), Found},
		{"BC-P-008 a page of status 200 for every path", file(200, "text/html", "<!doctype html><div id=root></div>"), HTMLShell},
		{"BC-P-021 a meta element", file(200, "application/xhtml+xml", `<head><meta name="botcentral-verify" content="`+token+`">`), HTMLShell},
		{"BC-P-003 status 201", file(201, "text/plain", line), BadStatus},
		{"BC-P-003 status 206", file(206, "text/plain", line), BadStatus},
		{"BC-P-003 status 403", file(403, "text/plain", line), BadStatus},
		{"BC-P-003 status 404", file(404, "text/plain", line), NoFile},
		{"BC-P-003 status 410", file(410, "text/plain", line), NoFile},
		{"BC-P-003 status 500", file(500, "text/plain", line), BadStatus},
		{"BC-P-913 the line beyond 64 KiB", file(200, "text/plain", strings.Repeat("# comment\n", 7000)+line), Oversize},
		{"BC-P-913 a line that the cap has cut", file(200, "text/plain", strings.Repeat("#", fileMaxBytes-len(line)-1)+"\n"+line+"more"), Oversize},
		{"BC-P-913 the line before the cap", file(200, "text/plain", line+"\n"+strings.Repeat("# comment\n", 7000)), Found},
		{"BC-P-904 a redirect without Location", redirect(301, ""), BadRedirect},
		{"BC-P-904 300 is none", redirect(300, "https://shop.test/x"), BadStatus},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, z := &web{answers: map[string]Answer{fileURL: tt.answer}}, &zone{}
			f := Check(t.Context(), w, z, Question{Domain: "shop.test", Tokens: []string{"other-token", token}})
			if f.File.Cause != tt.want {
				t.Fatalf("%s, want %s", f.File, tt.want)
			}
			if found := tt.want == Found; found != (f.Method == WellKnownFile) || found && (f.Token != 1 || len(z.asked) > 0) || !found && f.Token != -1 {
				t.Errorf("BC-P-014 %+v", f)
			}
			if strings.Contains(f.Note(), token) {
				t.Errorf("BC-P-912 %s", f.Note())
			}
			if w.asked[0] != fileURL {
				t.Errorf("BC-P-909 asked %q", w.asked)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	good := file(200, "text/plain", line)
	tests := []struct {
		name string
		hops []string
		want Cause
	}{
		{"BC-P-904 to www", []string{"https://www.shop.test/x"}, Found},
		{"BC-P-904 a relative one", []string{"/y"}, Found},
		{"BC-P-904 three hops", []string{"/1", "/2", "https://shop.test:443/3"}, Found},
		{"BC-P-904 four hops", []string{"/1", "/2", "/3", "/4"}, BadRedirect},
		{"BC-P-904 to another domain", []string{"https://other.test/x"}, BadRedirect},
		{"BC-P-904 to a domain that ends alike", []string{"https://notshop.test/x"}, BadRedirect},
		{"BC-P-904 to http", []string{"http://shop.test/x"}, BadRedirect},
		{"BC-P-909 to another port", []string{"https://shop.test:8443/x"}, BadRedirect},
		{"BC-P-904 with a user", []string{"https://me@shop.test/x"}, BadRedirect},
		{"BC-P-904 to no URL", []string{"https://%zz/"}, BadRedirect},
		{"BC-P-904 away and back", []string{"https://other.test/x", "https://shop.test/y"}, BadRedirect},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := &web{answers: map[string]Answer{}}
			at := fileURL
			for _, hop := range tt.hops {
				w.answers[at] = redirect(302, hop)
				if at = hop; strings.HasPrefix(hop, "/") {
					at = "https://shop.test" + hop
				}
			}
			w.answers[at] = good
			f := Check(t.Context(), w, &zone{}, Question{Domain: "shop.test", Tokens: []string{token}, Registrable: registrable})
			if f.File.Cause != tt.want || len(w.asked) > maxHops+1 {
				t.Errorf("%s after %q", f.File, w.asked)
			}
		})
	}
	w := &web{answers: map[string]Answer{"https://blog.shop.test" + Path: redirect(301, "https://shop.test/x"), "https://shop.test/x": good}}
	if f := Check(t.Context(), w, &zone{}, Question{Domain: "blog.shop.test", Tokens: []string{token}, Registrable: registrable}); f.Method != WellKnownFile {
		t.Errorf("BC-P-904 inside the registrable domain: %+v", f)
	}
	if f := Check(t.Context(), w, &zone{}, Question{Domain: "blog.shop.test", Tokens: []string{token}}); f.Method != None {
		t.Errorf("BC-P-904 without a suffix list: %+v", f)
	}
}

func TestText(t *testing.T) {
	others := []string{"v=spf1 -all", "x", "google-site-verification=abc"}
	tests := []struct {
		name    string
		records []string
		want    Cause
	}{
		{"BC-P-011 the record", []string{line}, Found},
		{"BC-P-012 as the last of many", slices.Concat(others, others, others, others, []string{line}), Found},
		{"BC-P-903 after a space", []string{"v=1 " + line}, Found},
		{"BC-P-903 between semicolons", []string{"v=1;" + line + ";x"}, Found},
		{"BC-P-903 after another one", []string{prefix + "zzz " + line}, Found},
		{"BC-P-903 a longer token", []string{line + "x"}, TokenAbsent},
		{"BC-P-903 a shorter token", []string{line[:len(line)-1]}, TokenAbsent},
		{"BC-P-903 inside a word", []string{"x" + line}, TokenAbsent},
		{"BC-P-903 never joined over records", []string{prefix, token}, TokenAbsent},
		{"BC-P-903 another case", []string{strings.ToLower(line)}, TokenAbsent},
		{"BC-P-011 no records", nil, TokenAbsent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			z := &zone{records: map[string][]string{"shop.test": tt.records, "www.shop.test": {line}, "_botcentral.shop.test": {line}}}
			f := Check(t.Context(), &web{}, z, Question{Domain: "shop.test", Tokens: []string{token}})
			if f.DNS.Cause != tt.want || (f.Method == DNSTXT) != (tt.want == Found) || f.Validated != (tt.want == Found) {
				t.Errorf("%+v, want %s", f, tt.want)
			}
			if !slices.Equal(z.asked, []string{"shop.test"}) {
				t.Errorf("BC-P-011 asked %q", z.asked)
			}
		})
	}
}

func TestWhatCouldNotBeLearned(t *testing.T) {
	absent := file(200, "text/plain", "nothing")
	tests := []struct {
		name     string
		web      *web
		zone     *zone
		method   Method
		definite bool
	}{
		{"BC-P-906 neither has it", &web{answers: map[string]Answer{fileURL: absent}}, &zone{}, None, true},
		{"BC-P-906 no file, no record", &web{}, &zone{}, None, true},
		{"BC-P-906 origin down, no record", &web{err: errors.New("timeout")}, &zone{}, None, false},
		{"BC-P-906 503, no record", &web{answers: map[string]Answer{fileURL: file(503, "", "")}}, &zone{}, None, false},
		{"BC-P-906 BC-P-013 no file, SERVFAIL", &web{}, &zone{err: errors.New("servfail")}, None, false},
		{"BC-P-906 origin down, record there", &web{err: errors.New("timeout")}, &zone{records: map[string][]string{"shop.test": {line}}}, DNSTXT, true},
		{"BC-P-013 a record from a failed answer", &web{}, &zone{records: map[string][]string{"shop.test": {line}}, err: errors.New("bogus")}, None, false},
		{"BC-P-025 the address is refused", &web{err: fmt.Errorf("dial: %w", ErrAddress)}, &zone{}, None, false},
	}
	notes := map[string]string{}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Check(t.Context(), tt.web, tt.zone, Question{Domain: "shop.test", Tokens: []string{token}})
			if f.Method != tt.method || f.Definite() != tt.definite {
				t.Errorf("%+v definite %v", f, f.Definite())
			}
			if agrees, known := f.Agrees(tt.method != None); !agrees || known != tt.definite {
				t.Errorf("agrees %v, known %v", agrees, known)
			}
			if other, ok := notes[f.Note()]; ok && !strings.HasPrefix(tt.name, "BC-P-013") && !strings.HasSuffix(tt.name, "record there") {
				t.Errorf("BC-P-016 the same note as %s: %s", other, f.Note())
			}
			notes[f.Note()] = tt.name
		})
	}
}

func TestAClientKnowsNoToken(t *testing.T) {
	for body, want := range map[string]Method{line: WellKnownFile, prefix + "x": WellKnownFile, prefix: None, prefix + "a b": None, prefix + "<x>": None, token: None,
		prefix + strings.Repeat("a", maxToken+1): None} {
		w := &web{answers: map[string]Answer{fileURL: file(200, "text/plain", body)}}
		if f := Check(t.Context(), w, &zone{}, Question{Domain: "shop.test"}); f.Method != want || f.Token != -1 {
			t.Errorf("%.60q: %+v", body, f)
		}
	}
	if f := Check(t.Context(), &web{answers: map[string]Answer{fileURL: file(200, "", prefix)}}, &zone{records: map[string][]string{"shop.test": {prefix}}},
		Question{Domain: "shop.test", Tokens: []string{""}}); f.Method != None {
		t.Errorf("BC-P-002 an empty token proves nothing: %+v", f)
	}
}

// slow answers when its context ends.
type slow struct{}

func (slow) Get(ctx context.Context, _ string, _ int64) (Answer, error) {
	<-ctx.Done()
	return Answer{}, ctx.Err()
}

func (slow) LookupTXT(ctx context.Context, _ string) (Text, error) {
	<-ctx.Done()
	return Text{}, ctx.Err()
}

func TestACheckEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f := Check(t.Context(), slow{}, slow{}, Question{Domain: "shop.test", Tokens: []string{token}})
		if took := time.Since(start); took != fileTimeout+textTimeout || f.Definite() || f.File.Cause != Unreachable || f.DNS.Cause != DNSFailed {
			t.Errorf("%s: %+v", took, f)
		}
	})
}

func TestBCP007AllConditionsHoldTogether(t *testing.T) {
	for i := range 16 {
		status, media, body := 200, "text/plain", line
		if i&1 != 0 {
			status = 203
		}
		if i&2 != 0 {
			media = "text/html"
		}
		if i&8 != 0 {
			body = prefix + "another"
		}
		if i&4 != 0 {
			body = "<html>\n" + body
		}
		if _, o := judge(file(status, media, body), tokens{token}); (o.Cause == Found) != (i == 0) {
			t.Errorf("BC-P-007 combination %d: %s", i, o)
		}
	}
}

func TestOrderOfRecordsDoesNotMatter(t *testing.T) {
	records := []string{"a", "b=1", line, prefix + "other", "v=spf1 -all"}
	rapid.Check(t, func(t *rapid.T) {
		z := &zone{records: map[string][]string{"shop.test": rapid.Permutation(records).Draw(t, "records")}}
		if f := Check(context.Background(), &web{}, z, Question{Domain: "shop.test", Tokens: []string{token}}); f.Method != DNSTXT {
			t.Fatalf("BC-P-012 %+v", f)
		}
	})
}

func FuzzFile(f *testing.F) {
	f.Add([]byte(line), "text/plain", false)
	f.Add([]byte("# x\r\n "+line+"\r\n<html"), "text/html;", true)
	f.Add([]byte("\xef\xbb\xbf"+line), "", true)
	f.Fuzz(func(t *testing.T, body []byte, media string, cut bool) {
		a := file(200, media, string(body))
		a.Cut = cut
		index, o := judge(a, tokens{token})
		if (o.Cause == Found) != (index == 0) || o.Cause == Found && !strings.Contains(string(body), line) {
			t.Fatalf("%d %s", index, o)
		}
		if strings.Contains(o.String(), token) {
			t.Fatal("BC-P-912 a token in a note")
		}
	})
}

func FuzzText(f *testing.F) {
	f.Add("v=1 " + line + ";")
	f.Add(prefix + prefix + token)
	f.Fuzz(func(t *testing.T, data string) {
		if index, ok := (tokens{token}).inText(data); ok && (index != 0 || !strings.Contains(data, line)) {
			t.Fatalf("%q", data)
		}
		if _, ok := tokens(nil).inText(data); ok && !strings.Contains(data, prefix) {
			t.Fatalf("%q", data)
		}
	})
}
