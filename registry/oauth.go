package registry

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxGrantBytes bounds the body of a token request.
const maxGrantBytes = 8 << 10

// grantError is an error of RFC 6749 5.2.
type grantError struct {
	status int
	code   string
	detail string
}

func (e *grantError) Error() string { return "registry: token request: " + e.code }

var (
	errGrantRequest = &grantError{http.StatusBadRequest, "invalid_request", "the request must be a form with grant_type and one client authentication"}
	errGrantType    = &grantError{http.StatusBadRequest, "unsupported_grant_type", "only client_credentials is supported"}
	errGrantScope   = &grantError{http.StatusBadRequest, "invalid_scope", "the one scope is " + scopeWrite}
	errGrantTarget  = &grantError{http.StatusBadRequest, "invalid_target", "tokens are issued for this registry only"} // RFC 8707 2
	errGrantClient  = &grantError{http.StatusUnauthorized, "invalid_client", "the client is unknown or its secret is wrong"}
)

// grantToken answers POST /oauth/token: the client credentials grant of RFC 6749
// 4.4. Each request is paid like a read, so that secrets cannot be tried out.
func (s *Server) grantToken(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Pragma", "no-cache") // RFC 6749 5.1
	a := s.limiter.spend(client(r, s.o.TrustedProxies), priceRead, false)
	if !a.ok {
		s.counts.limited.Add(1)
		h.Set("Retry-After", strconv.Itoa(max(1, int(a.wait.Seconds()+1))))
		writeGrantError(w, r, &grantError{http.StatusTooManyRequests, "temporarily_unavailable", "too many requests from this address"})
		return
	}
	token, scope, err := s.grant(w, r)
	if err != nil {
		var refused *grantError
		if !errors.As(err, &refused) {
			s.o.Log.Error("token request failed", "error", err)
			refused = &grantError{http.StatusServiceUnavailable, "temporarily_unavailable", "try again later"}
		}
		writeGrantError(w, r, refused)
		return
	}
	s.counts.tokensGranted.Add(1)
	sendJSON(w, http.StatusOK, encode(map[string]any{
		"access_token": token, "token_type": "Bearer", "expires_in": int(accessLasts.Seconds()), "scope": scope}))
}

func (s *Server) grant(w http.ResponseWriter, r *http.Request) (token, scope string, err error) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/x-www-form-urlencoded" {
		return "", "", errGrantRequest
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxGrantBytes))
	if err != nil {
		return "", "", errGrantRequest
	}
	form, err := url.ParseQuery(string(body))
	if err != nil || repeated(form) || form.Get("grant_type") == "" {
		return "", "", errGrantRequest
	}
	p, err := s.clientOf(r, form)
	if err != nil {
		return "", "", err
	}
	switch {
	case form.Get("grant_type") != "client_credentials":
		return "", "", errGrantType
	case form.Get("scope") != "" && strings.TrimSpace(form.Get("scope")) != scopeWrite:
		return "", "", errGrantScope
	case form.Get("resource") != "" && strings.TrimRight(form.Get("resource"), "/") != s.base:
		return "", "", errGrantTarget
	}
	token, err = s.bearer.issue(p, scopeWrite)
	return token, scopeWrite, err
}

// repeated tells whether a parameter occurs twice (RFC 6749 3.2).
func repeated(form url.Values) bool {
	for _, values := range form {
		if len(values) > 1 {
			return true
		}
	}
	return false
}

// clientOf authenticates the client by exactly one of its two ways (RFC 6749
// 2.3): HTTP Basic with form-encoded id and secret, or members of the form.
func (s *Server) clientOf(r *http.Request, form url.Values) (*publisher, error) {
	id, secret, basic := r.BasicAuth()
	switch {
	case basic && form.Get("client_secret") != "", !basic && r.Header.Get("Authorization") != "":
		return nil, errGrantRequest
	case basic:
		var errID, errSecret error
		id, errID = url.QueryUnescape(id)
		secret, errSecret = url.QueryUnescape(secret)
		if errID != nil || errSecret != nil {
			return nil, errGrantClient
		}
		if other := form.Get("client_id"); other != "" && other != id {
			return nil, errGrantRequest
		}
	default:
		id, secret = form.Get("client_id"), form.Get("client_secret")
	}
	p := s.shelf.publisher(id)
	if p == nil {
		p = &publisher{Secret: make([]byte, 32), Disabled: true} // as slow as a wrong secret
	}
	if !p.knows(secret) || p.Disabled {
		return nil, errGrantClient
	}
	return p, nil
}

func writeGrantError(w http.ResponseWriter, r *http.Request, e *grantError) {
	if e.status == http.StatusUnauthorized && r.Header.Get("Authorization") != "" {
		w.Header().Set("WWW-Authenticate", `Basic realm="registry", charset="UTF-8"`)
	}
	sendJSON(w, e.status, encode(map[string]string{"error": e.code, "error_description": e.detail}))
}

func sendJSON(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", jsonType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-store")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the asker has gone
}
