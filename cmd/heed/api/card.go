package api

import (
	"time"

	"heed/politeness"
)

// CardRequest asks for the consent cards of a domain.
type CardRequest struct {
	Domain string `json:"domain"`
	Verify bool   `json:"verify,omitempty"` // look for the public proof, too
}

// CardAnswer is what is held about a domain, and what follows from it.
type CardAnswer struct {
	Domain   string                 `json:"domain"`
	Cards    []HeldCard             `json:"cards"`    // by registry, the domain's own first
	Purposes map[string]CardPurpose `json:"purposes"` // what the cards alone say
	Proof    *CardProof             `json:"proof,omitempty"`
}

// HeldCard is one registry's card as it is held.
type HeldCard struct {
	Registry  string       `json:"registry"`
	Domain    string       `json:"domain"`
	Held      string       `json:"held"`                // read, unread, unavailable, invalid
	State     string       `json:"state,omitempty"`     // fresh, stale, pending, unverified; empty without a card
	Freshness string       `json:"freshness,omitempty"` // the draft's word: fresh, stale, unproven
	URL       string       `json:"url,omitempty"`
	SHA256    string       `json:"sha256,omitempty"`
	FetchedAt *time.Time   `json:"fetched_at,omitempty"`
	Name      string       `json:"name,omitempty"`
	Method    string       `json:"method,omitempty"`
	Checked   *time.Time   `json:"checked,omitempty"`
	DeniedAs  string       `json:"denied_as,omitempty"`
	AllowBots bool         `json:"allow_bots"`
	Consent   *CardConsent `json:"consent,omitempty"`
}

// CardConsent is the consent of a card.
type CardConsent struct {
	Retrieve bool   `json:"retrieve"`
	Train    bool   `json:"train"`
	Act      bool   `json:"act"`
	Cite     bool   `json:"cite"`
	TDM      string `json:"tdm"`
}

// CardPurpose is what the cards say about one purpose.
type CardPurpose struct {
	Verdict  politeness.Verdict `json:"verdict"`
	Reason   politeness.Reason  `json:"reason"`
	Sentence string             `json:"sentence,omitempty"`
	Rule     string             `json:"rule,omitempty"`
}

// CardProof is what our own look at the public proof found.
type CardProof struct {
	Method     string          `json:"method"` // well-known-file, dns-txt, none
	Definite   bool            `json:"definite"`
	Note       string          `json:"note"`
	Registries []CardAgreement `json:"registries,omitempty"`
}

// CardAgreement compares a registry's word with our finding: agrees, disagrees
// or unknown.
type CardAgreement struct {
	Registry  string `json:"registry"`
	Agreement string `json:"agreement"`
}
