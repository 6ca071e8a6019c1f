package registry

import (
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	scopeWrite  = "cards:write"
	accessLasts = time.Hour
	accessType  = "at+jwt" // RFC 9068 2.1
)

// bearer makes and reads access tokens: JWTs in the profile of RFC 9068, signed
// with the registry's own Ed25519 key.
type bearer struct {
	base   string // issuer and audience
	signer jose.Signer
	key    ed25519.PublicKey
	clock  func() time.Time
}

// claims are what an access token says beside the registered claims.
type claims struct {
	jwt.Claims
	ClientID   string `json:"client_id"`
	Scope      string `json:"scope"`
	Generation int    `json:"gen"` // of the client secret
}

func newBearer(base string, seed []byte, clock func() time.Time) (*bearer, error) {
	private := ed25519.NewKeyFromSeed(seed)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: private}, (&jose.SignerOptions{}).WithType(accessType))
	if err != nil {
		return nil, fmt.Errorf("registry: signer of access tokens: %w", err)
	}
	return &bearer{base: base, signer: signer, key: private.Public().(ed25519.PublicKey), clock: clock}, nil
}

// issue gives an access token for a publisher.
func (b *bearer) issue(p *publisher, scope string) (string, error) {
	now := b.clock()
	c := claims{Claims: jwt.Claims{Issuer: b.base, Subject: p.ID, Audience: jwt.Audience{b.base}, ID: newSecret(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(accessLasts))},
		ClientID: p.ID, Scope: scope, Generation: p.Generation}
	token, err := jwt.Signed(b.signer).Claims(c).Serialize()
	if err != nil {
		return "", fmt.Errorf("registry: sign access token: %w", err)
	}
	return token, nil
}

// maxAccessToken bounds a token in octets before it is looked at.
const maxAccessToken = 4096

var errToken = errors.New("registry: access token is not valid")

// read checks a token: signature with the one algorithm in use, type, issuer,
// audience and time. What it says of a publisher is checked by the caller.
func (b *bearer) read(token string) (claims, error) {
	var c claims
	if len(token) > maxAccessToken {
		return c, errToken
	}
	parsed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil || len(parsed.Headers) != 1 || parsed.Headers[0].ExtraHeaders[jose.HeaderType] != accessType {
		return c, errToken
	}
	if err := parsed.Claims(b.key, &c); err != nil {
		return c, errToken
	}
	want := jwt.Expected{Issuer: b.base, AnyAudience: jwt.Audience{b.base}, Time: b.clock()}
	if c.Expiry == nil || c.ValidateWithLeeway(want, 0) != nil {
		return c, errToken
	}
	return c, nil
}

// authenticate tells which publisher sends a request, or why none (RFC 6750 3).
func (s *Server) authenticate(r *http.Request) (*publisher, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return nil, s.challenge(http.StatusUnauthorized, "unauthorized", "an access token of a publisher is required", "")
	}
	c, err := s.bearer.read(strings.TrimSpace(token))
	if err != nil {
		return nil, s.challenge(http.StatusUnauthorized, "invalid-token", "the access token is forged, expired or meant for another registry", "invalid_token")
	}
	p := s.shelf.publisher(c.Subject)
	if p == nil || p.Disabled || p.Generation != c.Generation {
		return nil, s.challenge(http.StatusUnauthorized, "invalid-token", "the access token has been revoked", "invalid_token")
	}
	if !hasScope(c.Scope, scopeWrite) {
		return nil, s.challenge(http.StatusForbidden, "insufficient-scope", "the access token lacks the scope "+scopeWrite, "insufficient_scope")
	}
	return p, nil
}

// challenge is a refusal that says how to get a token (RFC 9728 5.1).
func (s *Server) challenge(status int, code, detail, oauthError string) *problem {
	p := refuse(status, code, detail)
	value := `Bearer resource_metadata="` + s.base + `/.well-known/oauth-protected-resource"`
	if oauthError != "" {
		value += `, error="` + oauthError + `"`
	}
	if oauthError == "insufficient_scope" {
		value += `, scope="` + scopeWrite + `"`
	}
	p.header = http.Header{"Www-Authenticate": {value}}
	return p
}

func hasScope(scopes, scope string) bool {
	for one := range strings.FieldsSeq(scopes) {
		if one == scope {
			return true
		}
	}
	return false
}

// serverMetadata is the document of RFC 8414.
func (b *bearer) serverMetadata() []byte {
	return encode(map[string]any{
		"issuer":                                b.base,
		"token_endpoint":                        b.base + "/oauth/token",
		"grant_types_supported":                 []string{"client_credentials"},
		"response_types_supported":              []string{},
		"scopes_supported":                      []string{scopeWrite},
		"token_endpoint_auth_methods_supported": []string{"client_secret_basic", "client_secret_post"},
		"service_documentation":                 b.base + "/docs",
	})
}

// resourceMetadata is the document of RFC 9728.
func (b *bearer) resourceMetadata(name, docs string) []byte {
	return encode(map[string]any{
		"resource":                 b.base,
		"resource_name":            name,
		"authorization_servers":    []string{b.base},
		"scopes_supported":         []string{scopeWrite},
		"bearer_methods_supported": []string{"header"},
		"resource_documentation":   docs,
	})
}

// encode renders a value that is known to be plain.
func encode(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil { // impossible: strings, numbers and lists of them
		return []byte("{}")
	}
	return append(body, '\n')
}
