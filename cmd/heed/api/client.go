package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"

	"heed/crawler"
	"heed/politeness"
)

// ErrNobody is returned by Dial when no process has the job open.
var ErrNobody = errors.New("api: nobody answers on the control socket")

// Client is the door of a job that another process has open.
type Client struct{ http *http.Client }

var _ Door = (*Client)(nil)

// Dial finds the process behind a control socket. Its first call is Status, so
// that a socket file left by a crash counts as nobody.
func Dial(ctx context.Context, socket string) (*Client, error) {
	dialer := net.Dialer{}
	c := &Client{&http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			name, release, err := reachable(socket)
			if err != nil {
				return nil, err
			}
			defer release()
			return dialer.DialContext(ctx, "unix", name)
		},
	}}}
	if _, err := c.Status(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("%w: %s: %w", ErrNobody, socket, err)
	}
	return c, nil
}

// Close drops the connection.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func (c *Client) Status(ctx context.Context) (Status, error) {
	return call[Status](ctx, c, http.MethodGet, "status", nil)
}

func (c *Client) Hosts(ctx context.Context, q crawler.HostQuery) (HostsAnswer, error) {
	return call[HostsAnswer](ctx, c, http.MethodPost, "hosts", q)
}

func (c *Client) Check(ctx context.Context, r CheckRequest) (politeness.Decision, error) {
	return call[politeness.Decision](ctx, c, http.MethodPost, "check", r)
}

func (c *Client) Fetch(ctx context.Context, r FetchRequest) (FetchAnswer, error) {
	return call[FetchAnswer](ctx, c, http.MethodPost, "fetch", r)
}

func (c *Client) Explain(ctx context.Context, url string) (crawler.Explanation, error) {
	return call[crawler.Explanation](ctx, c, http.MethodPost, "explain", url)
}

func (c *Client) Context(ctx context.Context, r ContextRequest) (crawler.ContextResult, error) {
	return call[crawler.ContextResult](ctx, c, http.MethodPost, "context", r)
}

func (c *Client) Card(ctx context.Context, r CardRequest) (CardAnswer, error) {
	return call[CardAnswer](ctx, c, http.MethodPost, "card", r)
}

func (c *Client) AddSeeds(ctx context.Context, r SeedsRequest) (SeedsAnswer, error) {
	return call[SeedsAnswer](ctx, c, http.MethodPost, "seeds", r)
}

func (c *Client) Pause(ctx context.Context) error  { return c.command(ctx, "pause") }
func (c *Client) Resume(ctx context.Context) error { return c.command(ctx, "resume") }
func (c *Client) Stop(ctx context.Context) error   { return c.command(ctx, "stop") }

func (c *Client) command(ctx context.Context, verb string) error {
	_, err := call[struct{}](ctx, c, http.MethodPost, verb, nil)
	return err
}

func call[A any](ctx context.Context, c *Client, method, verb string, request any) (A, error) {
	var a A
	body, err := json.Marshal(request)
	if err != nil {
		return a, fmt.Errorf("api: %s: %w", verb, err)
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://heed/v1/"+verb, bytes.NewReader(body))
	if err != nil {
		return a, fmt.Errorf("api: %s: %w", verb, err)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return a, fmt.Errorf("api: %s: %w", verb, err)
	}
	defer answer.Body.Close()
	switch answer.StatusCode {
	case http.StatusOK:
		if err := json.NewDecoder(answer.Body).Decode(&a); err != nil {
			return a, fmt.Errorf("api: %s: %w", verb, err)
		}
		return a, nil
	case http.StatusNoContent:
		return a, nil
	}
	var p Problem
	if err := json.NewDecoder(answer.Body).Decode(&p); err != nil {
		return a, fmt.Errorf("api: %s: answer %s", verb, answer.Status)
	}
	return a, fmt.Errorf("api: %s: %s", verb, p.Detail)
}
