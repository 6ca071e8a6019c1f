package admin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// errBroken means that a stream ended before it was whole.
var errBroken = errors.New("admin: the answer broke off")

// dialPatience bounds the wait for a process that has the socket but does not
// answer.
const dialPatience = 5 * time.Second

// Client is the door of a state that another process has open.
type Client struct{ http *http.Client }

var _ Door = (*Client)(nil)

// Dial finds the process behind the socket of a data folder. Its first call is
// Status, so that a socket file left by a crash counts as nobody.
func Dial(ctx context.Context, folder string) (*Client, error) {
	dialer := net.Dialer{}
	c := &Client{&http.Client{Transport: &http.Transport{
		DisableCompression: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			name, release, err := socketName(folder)
			if err != nil {
				return nil, err
			}
			defer release()
			return dialer.DialContext(ctx, "unix", name)
		},
	}}}
	ctx, cancel := context.WithTimeout(ctx, dialPatience)
	defer cancel()
	if _, err := c.Status(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("%w: %s: %w", ErrNobody, folder, err)
	}
	return c, nil
}

// Close drops the connection.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func (c *Client) Status(ctx context.Context) (Status, error) {
	return call[Status](ctx, c, http.MethodGet, "status", nil)
}

func (c *Client) AddPublisher(ctx context.Context, p NewPublisher) (Credentials, error) {
	return call[Credentials](ctx, c, http.MethodPost, "publishers", p)
}

func (c *Client) Publishers(ctx context.Context) ([]Publisher, error) {
	return call[[]Publisher](ctx, c, http.MethodGet, "publishers", nil)
}

func (c *Client) RotatePublisher(ctx context.Context, id string) (Credentials, error) {
	return call[Credentials](ctx, c, http.MethodPost, "rotate", id)
}

func (c *Client) SetDomains(ctx context.Context, id string, domains []string) error {
	_, err := call[struct{}](ctx, c, http.MethodPost, "domains", publisherDomains{id, domains})
	return err
}

func (c *Client) DisablePublisher(ctx context.Context, id string) error {
	_, err := call[struct{}](ctx, c, http.MethodPost, "disable", id)
	return err
}

func (c *Client) RevokePublisher(ctx context.Context, domain, publisher string) error {
	_, err := call[struct{}](ctx, c, http.MethodPost, "revoke", domainPublisher{domain, publisher})
	return err
}

func (c *Client) RestorePublisher(ctx context.Context, domain, publisher string) error {
	_, err := call[struct{}](ctx, c, http.MethodPost, "restore", domainPublisher{domain, publisher})
	return err
}

func (c *Client) RegistrationChanged(ctx context.Context, domain string) error {
	_, err := call[struct{}](ctx, c, http.MethodPost, "changed", domain)
	return err
}

func (c *Client) Check(ctx context.Context, domain string) (Proof, error) {
	return call[Proof](ctx, c, http.MethodPost, "check", domain)
}

func (c *Client) Verify(ctx context.Context) (Verification, error) {
	return call[Verification](ctx, c, http.MethodGet, "verify", nil)
}

func (c *Client) Export(ctx context.Context, w io.Writer) error { return c.receive(ctx, "export", w) }
func (c *Client) Backup(ctx context.Context, w io.Writer) error { return c.receive(ctx, "backup", w) }

func (c *Client) Import(ctx context.Context, r io.Reader) (Imported, error) {
	return send[Imported](ctx, c, http.MethodPost, "import", io.NopCloser(r))
}

// receive copies a stream and fails if it was not whole.
func (c *Client) receive(ctx context.Context, verb string, w io.Writer) error {
	answer, err := c.do(ctx, http.MethodGet, verb, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if _, err := io.Copy(w, answer.Body); err != nil {
		return fmt.Errorf("admin: %s: %w", verb, err)
	}
	if answer.Trailer.Get(completed) == "" {
		return fmt.Errorf("admin: %s: %w", verb, errBroken)
	}
	return nil
}

func call[A any](ctx context.Context, c *Client, method, verb string, request any) (A, error) {
	body, err := json.Marshal(request)
	if err != nil {
		var none A
		return none, fmt.Errorf("admin: %s: %w", verb, err)
	}
	return send[A](ctx, c, method, verb, bytes.NewReader(body))
}

func send[A any](ctx context.Context, c *Client, method, verb string, body io.Reader) (A, error) {
	var a A
	answer, err := c.do(ctx, method, verb, body)
	if err != nil {
		return a, err
	}
	defer answer.Body.Close()
	if err := json.NewDecoder(answer.Body).Decode(&a); err != nil {
		return a, fmt.Errorf("admin: %s: %w", verb, err)
	}
	return a, nil
}

// do sends a request and turns an error answer into an error.
func (c *Client) do(ctx context.Context, method, verb string, body io.Reader) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://localhost/v1/"+verb, body)
	if err != nil {
		return nil, fmt.Errorf("admin: %s: %w", verb, err)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, fmt.Errorf("admin: %s: %w", verb, err)
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer answer.Body.Close()
	var p problem
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxRequestBytes)).Decode(&p); err != nil {
		return nil, fmt.Errorf("admin: %s: answer %s", verb, answer.Status)
	}
	return nil, &remoteError{verb, p}
}

// remoteError is an error of the other process. It is the sentinel its code
// names.
type remoteError struct {
	verb string
	problem
}

func (e *remoteError) Error() string { return e.Detail }

func (e *remoteError) Is(target error) bool {
	for _, s := range sentinels() {
		if s.code == e.Code {
			return s.err == target
		}
	}
	return false
}
