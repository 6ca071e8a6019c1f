package registry

import (
	"context"
	"errors"
	"net/http"
	"net/url"
)

// Search answers GET /v1/search with these parameters for callers beside HTTP:
// the status and the body, which is a problem document for all but 200. An error
// means that the registry could not answer.
func (s *Server) Search(ctx context.Context, parameters url.Values) (status int, body []byte, err error) {
	body, err = s.search(ctx, parameters)
	return s.plain(body, err)
}

// Site answers GET /v1/site/{domain} for callers beside HTTP; other forms of the
// name of a card give that card.
func (s *Server) Site(ctx context.Context, domain string) (status int, body []byte, err error) {
	name, err := registrable(domain)
	if err != nil {
		return s.plain(nil, domainProblem(err))
	}
	if err := s.current(ctx); err != nil {
		return s.plain(nil, err)
	}
	_, d, err := s.served(name)
	if err == nil && d == nil {
		err = errNotListed
	}
	if err != nil {
		return s.plain(nil, err)
	}
	return http.StatusOK, d.octets, nil
}

func (s *Server) plain(body []byte, err error) (int, []byte, error) {
	var p *problem
	switch {
	case err == nil:
		return http.StatusOK, body, nil
	case errors.As(err, &p):
		return p.status, p.body(s.docs), nil
	}
	return 0, nil, err
}
