package standards

import (
	"net/http"
	"time"

	"heed/politeness"
	"heed/registry/card"
)

// cardReading is what the cards of one host say together.
type cardReading struct {
	options *CardOptions
	host    string
	now     time.Time

	votes
	by       [purposes]*card.Held // whose word a vote is
	bars     bool                 // a card refuses us whatever the purpose
	reserved *card.Held           // a card that reserves mining

	withheld   politeness.Reason // why train and act are not granted
	withholder *card.Held
	unheard    bool // a registry cannot say what it holds
}

// take adds a card.
func (r *cardReading) take(h *card.Held) {
	switch {
	case h.Status == card.Unread || h.Status == card.Unavailable:
		r.unheard = true
		return
	case !h.HasCard():
		r.withhold(politeness.CardInvalid, h)
		return
	}
	state := h.State(r.now)
	switch {
	case state == card.Pending && !h.SeenProof:
		// A stranger may have written it, to cut off a rival (BC-C-904).
		r.withhold(politeness.CardPending, h)
		return
	case state == card.Unverified && r.options.IgnoreUnverified:
		r.withhold(politeness.CardUnverified, h)
		return
	}
	r.restrict(h)
	if reason := grantless(h, state, r.host); reason != "" {
		r.withhold(reason, h)
		return
	}
	r.permit(h)
}

// grantless says why a card grants nothing to a host, "" if it may.
func grantless(h *card.Held, state card.State, host string) politeness.Reason {
	switch {
	case h.Status != card.Read || !h.Sound:
		return politeness.CardInvalid
	case !h.Known:
		return politeness.CardVersion
	case state == card.Pending:
		return politeness.CardPending
	case state == card.Unverified:
		return politeness.CardUnverified
	case state == card.Stale:
		return politeness.CardStale
	case !h.Grants(host):
		return politeness.CardScope
	}
	return ""
}

// withhold notes why the grants of a card are not taken. The first card says it.
func (r *cardReading) withhold(reason politeness.Reason, h *card.Held) {
	if r.withheld == "" {
		r.withheld, r.withholder = reason, h
	}
}

// restrict takes what a card forbids.
func (r *cardReading) restrict(h *card.Held) {
	switch {
	case !h.AllowBots:
		r.bar(h, politeness.CardAllowBotsOff, "allow_bots: false")
	case h.DeniedAs != "":
		r.bar(h, politeness.CardDeniedByName, "deny: "+h.DeniedAs)
	}
	if !h.Consent.Retrieve {
		r.deny(h, politeness.Index, politeness.CardRetrieveFalse, "consent.retrieve: false")
		r.deny(h, politeness.Answer, politeness.CardRetrieveFalse, "consent.retrieve: false")
	}
	if !h.Consent.Train {
		r.deny(h, politeness.Train, politeness.CardTrainFalse, "consent.train: false")
	}
	if !h.Consent.Act {
		r.deny(h, politeness.Act, politeness.CardActFalse, "consent.act: false")
	}
	if r.reserved == nil && !r.mayMine(h) {
		r.reserved = h
	}
}

// mayMine tells whether the word of a card on mining leaves train=true as it is
// (BC-C-923).
func (r *cardReading) mayMine(h *card.Held) bool {
	return r.options.TrainDespiteTDM || h.Consent.TDM == card.Open ||
		h.Consent.TDM == card.Licensed && r.options.Licensed != nil && r.options.Licensed(h.Domain)
}

// permit takes what a card grants.
func (r *cardReading) permit(h *card.Held) {
	c := h.Consent
	for p, yes := range [purposes]bool{politeness.Index: c.Retrieve, politeness.Answer: c.Retrieve, politeness.Train: c.Train, politeness.Act: c.Act} {
		if yes && r.uses[p] == politeness.Unsaid {
			r.uses[p], r.by[p] = politeness.Yes, h
		}
	}
}

// bar refuses every purpose.
func (r *cardReading) bar(h *card.Held, reason politeness.Reason, rule string) {
	r.bars = true
	for p := range purposes {
		r.deny(h, politeness.Purpose(p), reason, rule)
	}
}

func (r *cardReading) deny(h *card.Held, p politeness.Purpose, reason politeness.Reason, rule string) {
	if r.uses[p] != politeness.No {
		r.by[p] = h
		r.refuse(p, reason, politeness.Rule{Text: rule})
	}
}

// opinion puts the reading into words for a question about some purposes.
func (r *cardReading) opinion(asked politeness.Purposes) politeness.Opinion {
	if r.unheard {
		r.retract()
	}
	o := r.votes.opinion("card", asked)
	by := r.author(asked)
	mining := r.reserved != nil && r.uses[politeness.Train] != politeness.No
	switch _, refused := r.first(asked, politeness.No); {
	case refused: // the votes have said why
	case r.silent(asked) && r.withheld != "":
		by = r.withholder
		o.Reason, o.Closes, o.Rule = r.withheld, r.withheld, politeness.Rule{}
	case r.silent(asked) && by == nil && !r.unheard:
		o.Reason, o.Closes = politeness.CardMissing, politeness.CardMissing
	case mining:
		by = r.reserved
		o.Reason, o.Closes = politeness.TDMReserved, politeness.TDMReserved
		o.Rule = politeness.Rule{Text: "consent.tdm: " + by.Consent.TDM.String()}
	}
	if mining {
		o.Weak[politeness.Train] = politeness.No
	}
	if r.bars {
		o.Verdict = politeness.Deny
	}
	if by != nil && by.HasCard() {
		o.Doc = &politeness.DocumentRef{URL: by.URL, Status: http.StatusOK, SHA256: by.SHA256, FetchedAt: by.FetchedAt.UTC()}
	}
	return o
}

// retract takes grants back: a registry that was not heard yet may hold a
// refusal.
func (r *cardReading) retract() {
	for p := range purposes {
		if r.uses[p] == politeness.Yes {
			r.uses[p], r.by[p] = politeness.Unsaid, nil
		}
	}
}

// author is the card behind the word that the votes put first.
func (r *cardReading) author(asked politeness.Purposes) *card.Held {
	for _, u := range []politeness.Use{politeness.No, politeness.Yes} {
		for _, set := range []politeness.Purposes{asked, ^asked} {
			if p, said := r.first(set, u); said {
				return r.by[p]
			}
		}
	}
	return nil
}

// first finds the first purpose of a set about which a use is said.
func (r *cardReading) first(set politeness.Purposes, u politeness.Use) (politeness.Purpose, bool) {
	for p := range politeness.Purpose(purposes) {
		if set.Has(p) && r.uses[p] == u {
			return p, true
		}
	}
	return 0, false
}

// silent tells whether a purpose was asked for that needs a grant and has none.
func (r *cardReading) silent(asked politeness.Purposes) bool {
	_, silent := r.first(asked&politeness.PurposesOf(politeness.Train, politeness.Act), politeness.Unsaid)
	return silent
}
