package demo

// sentence explains a reason code of a decision or of a context result to
// somebody who reads the closing table. A code without a sentence explains
// itself by its name.
func sentence(code string) string {
	switch code {
	case "robots.disallow":
		return "a rule of robots.txt forbids it"
	case "robots.unreachable":
		return "robots.txt cannot be had, so nothing else is asked"
	case "automation.method":
		return "its preferences forbid the method there"
	case "automation.purpose":
		return "its preferences forbid the purpose"
	case "automation.strict":
		return "its preferences are strict and do not list it"
	case "automation.unreachable":
		return "its preferences cannot be read"
	case "card.missing":
		return "no card in the registry says yes"
	case "card.unverified":
		return "the card is not proven, so it grants nothing"
	case "card.stale":
		return "the proof of the card is too old, so it grants nothing"
	case "card.scope":
		return "the card grants nothing to this host"
	case "card.allow-bots-off":
		return "the card turns all bots away"
	case "card.denied-by-name":
		return "the card turns heed away by name"
	case "card.retrieve-false":
		return "the card forbids reading"
	case "card.train-false":
		return "the card forbids training"
	case "tdm.reserved":
		return "text and data mining is reserved"
	case "aipref.disallow":
		return "Content-Usage says no to it"
	case "content-signal.disallow":
		return "Content-Signal says no to it"
	case "rsl.prohibits":
		return "the licence does not permit it"
	case "xrobots.noai":
		return "the page says noai"
	case "xrobots.noindex":
		return "the page says noindex, so it is not kept"
	case "guard.address":
		return "the address is not public and was not opened"
	case "guard.tls":
		return "the certificate does not verify"
	case "scope.host":
		return "another host than the seeds'"
	case "scope.nofollow":
		return "the link says nofollow"
	case "scope.trap":
		return "the path repeats itself"
	case "size.ceiling":
		return "the body is larger than the limit"
	case "size.ratio":
		return "the body grows too much when decoded"
	case "size.headers":
		return "the header section is larger than the limit"
	case "size.slow":
		return "the body comes too slowly"
	case "pace.retry-after":
		return "the site named a time to come back"
	case "pace.back-off":
		return "the site failed and is given time"
	case "found":
		return "an index in force"
	case "not-modified", "fresh":
		return "the index held is still good"
	case "cross-origin":
		return "the index lies with somebody else"
	case "disallowed":
		return "robots.txt forbids the index"
	case "html", "html-shell":
		return "a web page is not an index"
	case "ceiling":
		return "the index is larger than the limit"
	case "not-found", "not-advertised":
		return "nothing usable is advertised"
	default:
		return ""
	}
}
