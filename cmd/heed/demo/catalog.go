package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"heed/registry"
)

// registryHost is where the registry of the world answers. It is no site: nobody
// crawls it.
const registryHost = "registry." + Domain

// publisherID is who wrote the cards.
const publisherID = "demo-publisher"

// consentCard is the card of a site in the registry.
type consentCard struct {
	method  registry.Method // how control of the domain was proven, if it was
	checked time.Duration   // how long ago that was found out; 0 for never
	members string          // of the card in JSON, besides canonical
}

// proven is a card whose proof was confirmed an hour ago.
func proven(members string) *consentCard {
	return &consentCard{registry.DNSTXT, time.Hour, members}
}

// catalog is the registry of the world: the real server, filled by an import, so
// that there are cards in states that take it days to reach. It checks no proof.
type catalog struct{ server *registry.Server }

// openCatalog opens the registry in a folder and fills it with the cards of sites.
func openCatalog(ctx context.Context, folder string, sites map[string]Site, now time.Time) (*catalog, error) {
	server, err := registry.Open(registry.Options{Path: filepath.Join(folder, "registry"), PublicURL: "https://" + registryHost, Name: "The registry of the demonstration"})
	if err != nil {
		return nil, fmt.Errorf("demo: registry: %w", err)
	}
	var lines bytes.Buffer
	for _, s := range sites {
		if s.card == nil {
			continue
		}
		if err := s.card.write(&lines, s.cardDomain(), now); err != nil {
			return nil, errors.Join(fmt.Errorf("demo: card of %s: %w", s.Name, err), server.Close())
		}
	}
	if _, err := server.Admin().Import(ctx, &lines); err != nil {
		return nil, errors.Join(fmt.Errorf("demo: fill the registry: %w", err), server.Close())
	}
	return &catalog{server}, nil
}

func (c *catalog) handler() http.Handler { return c.server.Handler() }

func (c *catalog) close() error { return c.server.Close() }

// write adds the card as a line of an import.
func (c *consentCard) write(lines *bytes.Buffer, domain string, now time.Time) error {
	proof := map[string]any{"method": c.method, "note": "part of the demonstration"}
	if c.checked > 0 {
		at := now.Add(-c.checked).Unix()
		proof["checked"] = at
		if c.method.Proven() {
			proof["proven"], proof["publisher"] = at, publisherID
		}
	}
	text := json.RawMessage(fmt.Sprintf(`{"canonical":"https://%s",%s}`, domain, c.members))
	site := map[string]any{"domain": domain, "card": text, "listed_by": publisherID, "updated": now.Add(-c.checked).Unix(),
		"listed": c.method != registry.Pending, "proof": proof}
	return json.NewEncoder(lines).Encode(map[string]any{"site": site})
}
