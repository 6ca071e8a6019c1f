package mirror

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Bounds and rhythms (botcentral-facts §8, product §8.6).
const (
	budgetRequests = 20          // to one registry
	budgetWindow   = time.Minute // in any span of this length
	requestTimeout = 10 * time.Second

	listMaxBytes = 8 << 20 // discovery document, change feed, snapshot
	maxListed    = 200_000 // domains of one registry
	maxDomain    = 253
	maxMissed    = 5_000 // domains remembered as wanted, of each generation

	pollEvery     = 15 * time.Minute
	pollJitter    = 0.1
	startPollAge  = time.Minute    // a poll younger than this serves a new process too
	discoverEvery = 24 * time.Hour // the discovery document, and with it the list

	cardLife    = 24 * time.Hour // of a copy, unless max-age says less
	missingLife = 24 * time.Hour // of the word that there is no card

	backOffBase   = time.Minute
	backOffMax    = time.Hour
	retryAfterMax = 24 * time.Hour
)

// ErrRegistry is returned for a registry that cannot be used.
var ErrRegistry = errors.New("mirror: registry is not an https origin")

// Options configure a [Mirror].
type Options struct {
	// Registries are the origins of the registries that are believed, most
	// often one: https, a host, perhaps a port, and nothing else.
	Registries []string

	// Tokens are our product tokens, looked for in the deny list of cards.
	Tokens []string

	Getter Getter
	Store  Store

	// Forbids tells whether a robots.txt, as it was answered, forbids us a URL of
	// the registry. Nil means that robots.txt is not looked at.
	Forbids func(robots []byte, url string) bool

	Clock   func() time.Time // nil means time.Now
	Fortune func() float64   // in [0,1), spreads polls and back-offs; nil means random
	Log     *slog.Logger     // nil logs nothing

	// Changed, if not nil, is called after the card of a domain was replaced,
	// has appeared or is gone. It is called from inside a step: it must be
	// quick and must not call Sync.
	Changed func(registry, domain string)
}

func (o Options) withDefaults() (Options, error) {
	var origins []string
	for _, r := range o.Registries {
		origin, err := registryOrigin(r)
		if err != nil {
			return o, err
		}
		if !slices.Contains(origins, origin) {
			origins = append(origins, origin)
		}
	}
	o.Registries = origins
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Fortune == nil {
		o.Fortune = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Changed == nil {
		o.Changed = func(string, string) {}
	}
	return o, nil
}

// registryOrigin checks what the operator wrote. Trust in a registry rests on
// its TLS identity alone, because cards are not signed (BC-C-916).
func registryOrigin(text string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || len(u.Host) > maxDomain+6 {
		return "", fmt.Errorf("%w: %q", ErrRegistry, text)
	}
	return "https://" + strings.TrimSuffix(strings.ToLower(u.Host), ":443"), nil
}
