package admin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"heed/cmd/heed-registry/admin"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// door answers with fixed values and notes its calls.
type door struct {
	called []string
	err    error
	text   string // of a stream
	broken bool   // the stream ends early
}

func (d *door) note(format string, a ...any) { d.called = append(d.called, fmt.Sprintf(format, a...)) }

func (d *door) Status(context.Context) (admin.Status, error) {
	return admin.Status{PID: 7, Version: "test", StartedAt: moment, Cards: 3, Listed: 2}, nil
}

func (d *door) AddPublisher(_ context.Context, p admin.NewPublisher) (admin.Credentials, error) {
	d.note("add %s %q %v", p.ID, p.Name, p.Domains)
	return admin.Credentials{ClientID: p.ID, ClientSecret: "secret"}, d.err
}

func (d *door) Publishers(context.Context) ([]admin.Publisher, error) {
	return []admin.Publisher{{ID: "pub-7", Domains: []string{"*"}, Disabled: true, CreatedAt: moment}}, d.err
}

func (d *door) RotatePublisher(_ context.Context, id string) (admin.Credentials, error) {
	d.note("rotate %s", id)
	return admin.Credentials{ClientID: id, ClientSecret: "other"}, d.err
}

func (d *door) SetDomains(_ context.Context, id string, domains []string) error {
	d.note("domains %s %q", id, domains)
	return d.err
}

func (d *door) DisablePublisher(_ context.Context, id string) error {
	d.note("disable %s", id)
	return d.err
}

func (d *door) RevokePublisher(_ context.Context, domain, publisher string) error {
	d.note("revoke %s %s", domain, publisher)
	return d.err
}

func (d *door) RestorePublisher(_ context.Context, domain, publisher string) error {
	d.note("restore %s %s", domain, publisher)
	return d.err
}

func (d *door) RegistrationChanged(_ context.Context, domain string) error {
	d.note("changed %s", domain)
	return d.err
}

func (d *door) Check(_ context.Context, domain string) (admin.Proof, error) {
	d.note("check %s", domain)
	at := moment
	return admin.Proof{Domain: domain, State: "fresh", Method: "dns-txt", Checked: &at}, d.err
}

func (d *door) Verify(context.Context) (admin.Verification, error) {
	return admin.Verification{Cards: 3, Faults: []string{"one"}}, d.err
}

func (d *door) Export(_ context.Context, w io.Writer) error {
	if _, err := io.WriteString(w, d.text); err != nil {
		return err
	}
	if d.broken {
		return errors.New("the disk is gone")
	}
	return d.err
}

func (d *door) Backup(ctx context.Context, w io.Writer) error {
	if d.err != nil {
		return d.err
	}
	return d.Export(ctx, w)
}

func (d *door) Import(_ context.Context, r io.Reader) (admin.Imported, error) {
	text, err := io.ReadAll(r)
	d.note("import %d", len(text))
	return admin.Imported{Lines: strings.Count(string(text), "\n")}, errors.Join(err, d.err)
}

var moment = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// through connects a client with d over a socket.
func through(t *testing.T, d admin.Door) *admin.Client {
	t.Helper()
	return at(t, t.TempDir(), d)
}

func at(t *testing.T, folder string, d admin.Door) *admin.Client {
	t.Helper()
	s, err := admin.Listen(folder, admin.NewHandler(d))
	if err != nil {
		t.Fatal(err)
	}
	c, err := admin.Dial(t.Context(), folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func TestEveryCallCrossesTheSocketUnchanged(t *testing.T) {
	d := &door{text: "{}\n{}\n"}
	c, ctx := through(t, d), t.Context()
	type result struct {
		value any
		err   error
	}
	r := func(v any, err error) result { return result{v, err} }
	p := admin.NewPublisher{ID: "pub-7", Name: "Press <&> Ltd", Domains: []string{"a.example", "b.example"}}
	tests := []struct {
		name      string
		got, want result
	}{
		{"status", r(c.Status(ctx)), r(d.Status(ctx))},
		{"add", r(c.AddPublisher(ctx, p)), r(d.AddPublisher(ctx, p))},
		{"list", r(c.Publishers(ctx)), r(d.Publishers(ctx))},
		{"rotate", r(c.RotatePublisher(ctx, "pub-7")), r(d.RotatePublisher(ctx, "pub-7"))},
		{"domains", r(nil, c.SetDomains(ctx, "pub-7", p.Domains)), r(nil, d.SetDomains(ctx, "pub-7", p.Domains))},
		{"disable", r(nil, c.DisablePublisher(ctx, "a/b?c")), r(nil, d.DisablePublisher(ctx, "a/b?c"))},
		{"revoke", r(nil, c.RevokePublisher(ctx, "a.example", "pub-7")), r(nil, d.RevokePublisher(ctx, "a.example", "pub-7"))},
		{"restore", r(nil, c.RestorePublisher(ctx, "a.example", "pub-7")), r(nil, d.RestorePublisher(ctx, "a.example", "pub-7"))},
		{"changed", r(nil, c.RegistrationChanged(ctx, "a.example")), r(nil, d.RegistrationChanged(ctx, "a.example"))},
		{"check", r(c.Check(ctx, "a.example")), r(d.Check(ctx, "a.example"))},
		{"verify", r(c.Verify(ctx)), r(d.Verify(ctx))},
		{"import", r(c.Import(ctx, strings.NewReader("{}\n{}\n"))), r(d.Import(ctx, strings.NewReader("{}\n{}\n")))},
	}
	for _, test := range tests {
		if !reflect.DeepEqual(test.got, test.want) {
			t.Errorf("%s: got %+v, want %+v", test.name, test.got, test.want)
		}
	}
	for i := 0; i+1 < len(d.called); i += 2 {
		if d.called[i] != d.called[i+1] {
			t.Errorf("called %q, want %q", d.called[i], d.called[i+1])
		}
	}
	if len(d.called) != 18 {
		t.Errorf("called %q", d.called)
	}
}

func TestErrorsKeepTheirMeaning(t *testing.T) {
	for _, sentinel := range []error{admin.ErrNotFound, admin.ErrExists, admin.ErrInvalid, admin.ErrDamaged} {
		d := &door{err: fmt.Errorf("%w: publisher pub-7", sentinel)}
		c := through(t, d)
		_, err := c.RotatePublisher(t.Context(), "pub-7")
		if !errors.Is(err, sentinel) || err.Error() != d.err.Error() {
			t.Errorf("got %v, want %v", err, d.err)
		}
		if err := c.Backup(t.Context(), io.Discard); !errors.Is(err, sentinel) {
			t.Errorf("before a stream began: got %v, want %v", err, d.err)
		}
	}
	c := through(t, &door{err: errors.New("disk full")})
	if _, err := c.Check(t.Context(), "a.example"); err == nil || errors.Is(err, admin.ErrNotFound) || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v", err)
	}
}

func TestAStreamIsWholeOrAnError(t *testing.T) {
	long := strings.Repeat("0123456789abcde\n", 1<<17) // 2 MiB
	for _, text := range []string{"", "x", long} {
		var got strings.Builder
		if err := through(t, &door{text: text}).Export(t.Context(), &got); err != nil || got.String() != text {
			t.Errorf("%d octets: got %d, %v", len(text), got.Len(), err)
		}
		if err := through(t, &door{text: text, broken: true}).Export(t.Context(), io.Discard); err == nil {
			t.Errorf("%d octets and a fault were taken for a whole copy", len(text))
		}
	}
}

func TestAnImportIsNotBounded(t *testing.T) {
	text := strings.Repeat("{}\n", 1<<20)
	got, err := through(t, &door{}).Import(t.Context(), strings.NewReader(text))
	if err != nil || got.Lines != 1<<20 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestASocketWithALongNameIsReachable(t *testing.T) {
	folder := filepath.Join(t.TempDir(), strings.Repeat("long-", 30))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := at(t, folder, &door{}).Status(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestNobodyAnswersWhereAProcessDied(t *testing.T) {
	folder := t.TempDir()
	if _, err := admin.Dial(t.Context(), folder); !errors.Is(err, admin.ErrNobody) {
		t.Errorf("without a socket: %v", err)
	}
	left := filepath.Join(folder, "control.sock")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.Dial(t.Context(), folder); !errors.Is(err, admin.ErrNobody) {
		t.Errorf("with a file left over: %v", err)
	}
	at(t, folder, &door{})
	info, err := os.Stat(left)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket has mode %v, %v", info.Mode(), err)
	}
}

func TestRequestsThatAreNoCallsAreRefused(t *testing.T) {
	h := admin.NewHandler(&door{})
	tests := []struct {
		name, method, path, body string
		status                   int
	}{
		{"an unknown call", "GET", "/v1/secrets", "", 404},
		{"a call by another method", "GET", "/v1/rotate", "", 405},
		{"no JSON", "POST", "/v1/check", "shop.example", 422},
		{"the wrong type", "POST", "/v1/publishers", `{"id":7}`, 422},
		{"an unknown member", "POST", "/v1/publishers", `{"id":"a","admin":true}`, 422},
		{"too much", "POST", "/v1/check", `"` + strings.Repeat("a", 2<<20) + `"`, 413},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(test.method, test.path, strings.NewReader(test.body)))
			if w.Code != test.status {
				t.Errorf("status %d, want %d: %s", w.Code, test.status, w.Body)
			}
		})
	}
}

func TestTheGuardRefusesBrowsers(t *testing.T) {
	h := admin.Guard("registry-admin.internal:9470", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }))
	tests := []struct {
		name, host, field, value string
		status                   int
	}{
		{"a program by address", "127.0.0.1:9470", "", "", 204},
		{"a program by IPv6 address", "[::1]:9470", "", "", 204},
		{"a program by localhost", "localhost:9470", "", "", 204},
		{"a program by the configured name", "registry-admin.internal:9470", "", "", 204},
		{"an address that somebody typed in", "127.0.0.1:9470", "Sec-Fetch-Site", "none", 204},
		{"a page that posts", "127.0.0.1:9470", "Origin", "https://evil.example", 403},
		{"a page without an origin", "127.0.0.1:9470", "Origin", "null", 403},
		{"a page that embeds", "127.0.0.1:9470", "Sec-Fetch-Site", "cross-site", 403},
		{"a rebound name", "evil.example:9470", "", "", 403},
		{"no name", "", "", "", 403},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest("GET", "/v1/status", nil)
			r.Host = test.host
			if test.field != "" {
				r.Header.Set(test.field, test.value)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != test.status {
				t.Errorf("status %d, want %d", w.Code, test.status)
			}
		})
	}
}
