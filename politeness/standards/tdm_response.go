package standards

import (
	"strings"

	"heed/politeness"
)

// tdmName is the field of a response and the name of the meta element.
const tdmName = "tdm-reservation"

// tdmResponse judges what the response itself declares. A valid value takes the
// place of the file's; so does a contradiction, which is unclear. A single value
// that is neither 0 nor 1 is unset: it is noted and changes nothing.
type tdmResponse struct{}

func (tdmResponse) Judge(q politeness.Question) politeness.Opinion {
	meta, text := tdmUnset, ""
	for _, m := range q.Response.Meta {
		if strings.EqualFold(strings.TrimSpace(m.Name), tdmName) {
			meta, text = meta.and(reservationOf(m.Content)), `<meta name="tdm-reservation" content="`+m.Content+`">`
		}
	}
	field, line := tdmUnset, ""
	for _, value := range q.Response.Header.Values(tdmName) {
		for one := range strings.SplitSeq(value, ",") {
			field = field.and(reservationOf(one))
		}
		line = tdmName + ": " + value
	}
	switch {
	case meta != tdmUnset:
		return superseding(meta, text, q.Purposes)
	case field != tdmUnset:
		return superseding(field, line, q.Purposes)
	case text != "" || line != "":
		o := politeness.Quiet("tdm")
		o.Reason, o.Rule = politeness.TDMUnclear, politeness.Rule{Text: plainText(text + line)}
		return o
	}
	return politeness.Quiet("tdm")
}

// and joins two values of the same kind: contradicting ones are unclear
// (BC-C-937).
func (r reservation) and(other reservation) reservation {
	switch {
	case r == tdmUnset || r == other:
		return other
	case other == tdmUnset:
		return r
	}
	return tdmUnclear
}

func superseding(r reservation, text string, asked politeness.Purposes) politeness.Opinion {
	o := r.opinion(politeness.Rule{Text: plainText(text)}, asked)
	o.Supersedes = true
	return o
}
