package politeness

import "strings"

// Reason is one code of a closed list, `area.detail`. It is stable: logs,
// metrics, the ledger, archives and scripts use it. A new one goes into the
// README first, then into the table below.
type Reason string

const (
	Allowed Reason = "allowed"

	OperatorDeny Reason = "operator.deny"

	ScopePage     Reason = "scope.page"
	ScopePrefix   Reason = "scope.prefix"
	ScopeHost     Reason = "scope.host"
	ScopeDomain   Reason = "scope.domain"
	ScopeDepth    Reason = "scope.depth"
	ScopeExclude  Reason = "scope.exclude"
	ScopeInclude  Reason = "scope.include"
	ScopeTrap     Reason = "scope.trap"
	ScopeBudget   Reason = "scope.budget"
	ScopeNofollow Reason = "scope.nofollow"
	ScopeType     Reason = "scope.type"
	// ScopeCrossSubmit is the cross submit rule of the sitemaps.org protocol.
	ScopeCrossSubmit Reason = "scope.cross-submit"

	GuardAddress Reason = "guard.address"
	GuardPort    Reason = "guard.port"
	GuardScheme  Reason = "guard.scheme"
	GuardTLS     Reason = "guard.tls"
	GuardDNS     Reason = "guard.dns"

	MethodUnsafe Reason = "method.unsafe"
	MethodActOff Reason = "method.act-off"

	RobotsDisallow    Reason = "robots.disallow"
	RobotsUnreachable Reason = "robots.unreachable"

	AutomationMethod          Reason = "automation.method"
	AutomationPurpose         Reason = "automation.purpose"
	AutomationPurposeRequired Reason = "automation.purpose-required"
	AutomationStrict          Reason = "automation.strict"
	AutomationUnreachable     Reason = "automation.unreachable"

	CardMissing         Reason = "card.missing"
	CardPending         Reason = "card.pending"
	CardUnverified      Reason = "card.unverified"
	CardStale           Reason = "card.stale"
	CardScope           Reason = "card.scope"
	CardAllowBotsOff    Reason = "card.allow-bots-off"
	CardDeniedByName    Reason = "card.denied-by-name"
	CardRetrieveFalse   Reason = "card.retrieve-false"
	CardTrainFalse      Reason = "card.train-false"
	CardActFalse        Reason = "card.act-false"
	CardInvalid         Reason = "card.invalid"
	CardVersion         Reason = "card.version"
	RegistryUnavailable Reason = "registry.unavailable"

	TDMReserved           Reason = "tdm.reserved"
	TDMUnclear            Reason = "tdm.unclear"
	AIPrefDisallow        Reason = "aipref.disallow"
	ContentSignalDisallow Reason = "content-signal.disallow"
	RSLProhibits          Reason = "rsl.prohibits"
	RSLPayment            Reason = "rsl.payment"

	XRobotsNoindex          Reason = "xrobots.noindex"
	XRobotsNoAI             Reason = "xrobots.noai"
	XRobotsNoarchive        Reason = "xrobots.noarchive"
	XRobotsUnavailableAfter Reason = "xrobots.unavailable-after"

	PurposeNoGrant    Reason = "purpose.no-grant"
	PurposeNotAtFetch Reason = "purpose.not-at-fetch"

	PaceNotYet     Reason = "pace.not-yet"
	PaceRetryAfter Reason = "pace.retry-after"
	PaceBackOff    Reason = "pace.back-off"
	PaceDead       Reason = "pace.dead"
	PaceInFlight   Reason = "pace.in-flight"

	SizeCeiling Reason = "size.ceiling"
	SizeHeaders Reason = "size.headers"
	SizeRatio   Reason = "size.ratio"
	SizeSlow    Reason = "size.slow"
)

var sentences = map[Reason]string{
	Allowed:           "Nothing stands against the request.",
	OperatorDeny:      "A rule of the operator of this crawler forbids it.",
	ScopePage:         "The job takes the seed pages only.",
	ScopePrefix:       "The URL is outside the folders of the seeds.",
	ScopeHost:         "The URL is on a host that no seed names.",
	ScopeDomain:       "The URL is outside the registrable domains of the seeds.",
	ScopeDepth:        "The URL is further from the seeds than the job goes.",
	ScopeExclude:      "The URL matches an exclude pattern of the job.",
	ScopeInclude:      "The URL matches no include pattern of the job.",
	ScopeTrap:         "The path repeats itself like a link trap.",
	ScopeBudget:       "A budget of the job or of the host is used up.",
	ScopeNofollow:     "The only links to it say nofollow.",
	ScopeType:         "The answer has a media type that the job does not keep.",
	ScopeCrossSubmit:  "A sitemap of another site names it, and robots.txt of its own site does not name that sitemap.",
	GuardAddress:      "The address belongs to a range that is not public and was not opened.",
	GuardPort:         "The port is not open to this crawler.",
	GuardScheme:       "The scheme is neither http nor https.",
	GuardTLS:          "The certificate or the TLS handshake is not valid.",
	GuardDNS:          "The name does not resolve.",
	MethodUnsafe:      "The method may change state and no purpose of the job is act.",
	MethodActOff:      "Acting is not enabled for this host.",
	RobotsDisallow:    "robots.txt of the origin disallows the URL.",
	RobotsUnreachable: "robots.txt of the origin cannot be read, so all is closed until it can.",

	AutomationMethod:          "The preferences for automation do not permit the method here.",
	AutomationPurpose:         "The preferences for automation do not permit the purpose here.",
	AutomationPurposeRequired: "The preferences for automation ask for a declared purpose, and none is declared.",
	AutomationStrict:          "The preferences for automation are strict here and do not list the method.",
	AutomationUnreachable:     "The preferences for automation cannot be read in full, so at most retrieval is left.",

	CardMissing:         "Training and acting need a consent card, and no registry lists one for the domain.",
	CardPending:         "The consent card is not proven yet.",
	CardUnverified:      "The proof of the consent card has failed, so it grants nothing.",
	CardStale:           "The proof of the consent card is too old, so it grants nothing.",
	CardScope:           "The consent card grants nothing for this host.",
	CardAllowBotsOff:    "The consent card turns all bots away.",
	CardDeniedByName:    "The consent card turns this crawler away by its name.",
	CardRetrieveFalse:   "The consent card forbids retrieval.",
	CardTrainFalse:      "The consent card forbids training.",
	CardActFalse:        "The consent card forbids acting.",
	CardInvalid:         "The consent card cannot be read, so it grants nothing.",
	CardVersion:         "The consent card has a version that this crawler does not know.",
	RegistryUnavailable: "The registry cannot be reached and no copy of the consent card is held.",

	TDMReserved:           "The rights to text and data mining are reserved (TDMRep).",
	TDMUnclear:            "A declaration about text and data mining is there but cannot be understood.",
	AIPrefDisallow:        "A usage preference (Content-Usage) disallows the purpose.",
	ContentSignalDisallow: "A Content-Signal line says no to the purpose.",
	RSLProhibits:          "The licence of the site (RSL) does not permit training, or cannot be read.",
	RSLPayment:            "The licence of the site (RSL) asks for payment for training.",

	XRobotsNoindex:          "The page says noindex.",
	XRobotsNoAI:             "The page says noai.",
	XRobotsNoarchive:        "The page forbids copies or excerpts.",
	XRobotsUnavailableAfter: "The page says that its time is over.",

	PurposeNoGrant:    "Training and acting need an explicit permission, and nobody gave one.",
	PurposeNotAtFetch: "The purpose was not open when the page was fetched; it counts from the next fetch on.",

	PaceNotYet:     "The host was asked less than its delay ago.",
	PaceRetryAfter: "The host asked for a pause by Retry-After.",
	PaceBackOff:    "The host failed, or refuses what it allows, and is left alone for a while.",
	PaceDead:       "The host has not answered for hours and is tried about once a day.",
	PaceInFlight:   "Another request to the host is under way.",
	SizeCeiling:    "The body is larger than its limit.",
	SizeHeaders:    "The response headers are larger than their limit.",
	SizeRatio:      "The body inflates beyond the allowed ratio.",
	SizeSlow:       "The body arrives slower than the minimum rate.",
}

// Reasons lists every code, in no particular order.
func Reasons() []Reason {
	all := make([]Reason, 0, len(sentences))
	for r := range sentences {
		all = append(all, r)
	}
	return all
}

// Sentence explains the code to a person. Empty for an unknown code.
func (r Reason) Sentence() string { return sentences[r] }

// Area is the part before the dot: the source that gives the reason.
func (r Reason) Area() string {
	area, _, _ := strings.Cut(string(r), ".")
	return area
}

// closing names a reason for a refused use whose source gave none of its own.
// The source's area is kept, so that a decision never names somebody else.
func closing(o *Opinion) Reason {
	switch {
	case o.Closes != "":
		return o.Closes
	case o.Reason != "" && o.Reason != Allowed:
		return o.Reason
	}
	if r, ok := closings[o.Source]; ok {
		return r
	}
	return PurposeNoGrant
}

var closings = map[string]Reason{
	RobotsDisallow.Area():        RobotsDisallow,
	AutomationPurpose.Area():     AutomationPurpose,
	CardInvalid.Area():           CardInvalid,
	RegistryUnavailable.Area():   RegistryUnavailable,
	TDMUnclear.Area():            TDMUnclear,
	AIPrefDisallow.Area():        AIPrefDisallow,
	ContentSignalDisallow.Area(): ContentSignalDisallow,
	RSLProhibits.Area():          RSLProhibits,
	XRobotsNoindex.Area():        XRobotsNoindex,
}
