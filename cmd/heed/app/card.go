package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"heed/cmd/heed/api"
	"heed/crawler/fetch"
	"heed/frontier"
	"heed/politeness"
	"heed/registry/card"
	"heed/registry/proof"
)

// ErrNoRegistry is returned where cards are asked for and no registry is
// configured.
var ErrNoRegistry = errors.New("app: no registry is configured; give --registry")

// Card implements api.Door.
func (a *App) Card(ctx context.Context, r api.CardRequest) (api.CardAnswer, error) {
	host, err := cardDomain(r.Domain)
	if err != nil {
		return api.CardAnswer{}, err
	}
	answer := api.CardAnswer{Domain: host, Cards: []api.HeldCard{}, Purposes: map[string]api.CardPurpose{}}
	if a.cards == nil {
		return answer, ErrNoRegistry
	}
	if err := a.cards.Prepare(ctx, host); err != nil {
		return answer, fmt.Errorf("app: card of %s: %w", host, err)
	}
	now := a.options.Clock()
	for _, d := range domains(host) {
		for _, h := range a.cards.mirror.Lookup(d) {
			answer.Cards = append(answer.Cards, heldCard(h, now))
		}
	}
	for p := range (politeness.Uses{}) {
		answer.Purposes[politeness.Purpose(p).String()] = a.cardPurpose(host, politeness.Purpose(p), now)
	}
	if r.Verify {
		answer.Proof = a.checkProof(ctx, host, answer.Cards)
	}
	return answer, nil
}

// cardDomain reads a domain as a person writes it.
func cardDomain(raw string) (string, error) {
	seed, err := ParseSeed(strings.TrimSuffix(strings.TrimSpace(raw), "."))
	if err != nil {
		return "", err
	}
	return frontier.HostKey(seed.URL), nil
}

func heldCard(h card.Held, now time.Time) api.HeldCard {
	c := api.HeldCard{Registry: h.Registry, Domain: h.Domain, Held: h.Status.String()}
	if !h.HasCard() {
		return c
	}
	fetched := h.FetchedAt.UTC()
	c.URL, c.SHA256, c.FetchedAt, c.Name = h.URL, h.SHA256, &fetched, h.Name
	c.State, c.Method, c.DeniedAs, c.AllowBots = h.State(now).String(), h.Proof.Method.String(), h.DeniedAs, h.AllowBots
	c.Freshness = h.State(now).Freshness()
	if !h.Proof.Checked.IsZero() {
		checked := h.Proof.Checked.UTC()
		c.Checked = &checked
	}
	c.Consent = &api.CardConsent{Retrieve: h.Consent.Retrieve, Train: h.Consent.Train, Act: h.Consent.Act, Cite: h.Consent.Cite, TDM: h.Consent.TDM.String()}
	return c
}

// cardPurpose is what the cards alone say about a purpose at a host.
func (a *App) cardPurpose(host string, p politeness.Purpose, now time.Time) api.CardPurpose {
	q := politeness.Question{URL: "https://" + host + "/", Origin: "https://" + host, Host: host, Path: "/", Method: "GET",
		Purposes: politeness.PurposesOf(p), Mode: politeness.OnDemand, Now: now}
	var opinions []politeness.Opinion
	for _, s := range a.cards.sources() {
		o := s.Read(politeness.Place{}, politeness.Document{}).Judge(q)
		o.Source = s.Name()
		opinions = append(opinions, o)
	}
	d := politeness.Combine(q, opinions)
	said := d.Reason.Sentence()
	return api.CardPurpose{Verdict: d.Verdict, Reason: d.Reason, Sentence: said, Rule: d.Rule.Text}
}

// checkProof looks for the public proof itself and compares it with what the
// registries say.
func (a *App) checkProof(ctx context.Context, host string, cards []api.HeldCard) *api.CardProof {
	f := proof.Check(ctx, proofGetter{a.client}, textResolver{net.DefaultResolver},
		proof.Question{Domain: host, Registrable: frontier.Domain})
	p := &api.CardProof{Method: f.Method.String(), Note: f.Note(), Definite: f.Definite()}
	for _, c := range cards {
		if c.State == "" || c.Domain != host {
			continue
		}
		agrees, known := f.Agrees(c.State == card.Fresh.String() || c.State == card.Stale.String())
		word := "unknown"
		switch {
		case known && agrees:
			word = "agrees"
		case known:
			word = "disagrees"
		}
		p.Registries = append(p.Registries, api.CardAgreement{Registry: c.Registry, Agreement: word})
	}
	return p
}

// proofGetter asks for the file of a proof through the guarded client.
type proofGetter struct{ client *fetch.Client }

// Get implements proof.Getter.
func (g proofGetter) Get(ctx context.Context, url string, maxBytes int64) (proof.Answer, error) {
	x, err := g.client.Do(ctx, fetch.Request{URL: url, Accept: "text/plain, */*;q=0.1", MaxBodyBytes: maxBytes, CutBody: true})
	if err != nil {
		if fetch.KindOf(err) == fetch.KindAddress {
			err = fmt.Errorf("%w: %w", proof.ErrAddress, err)
		}
		return proof.Answer{}, errors.Join(err, x.Close())
	}
	defer x.Close()
	body, err := x.Body.Bytes(maxBytes)
	if err != nil {
		return proof.Answer{}, err
	}
	return proof.Answer{Status: x.Status, Header: x.Header, Body: append([]byte(nil), body...), Cut: x.Cut}, nil
}

// textResolver asks the system's resolver, which does not say whether it
// validated an answer.
type textResolver struct{ resolver *net.Resolver }

// LookupTXT implements proof.Resolver.
func (r textResolver) LookupTXT(ctx context.Context, name string) (proof.Text, error) {
	records, err := r.resolver.LookupTXT(ctx, name+".")
	var dns *net.DNSError
	if errors.As(err, &dns) && dns.IsNotFound {
		return proof.Text{}, nil
	}
	return proof.Text{Records: records}, err
}
