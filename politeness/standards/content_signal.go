package standards

import (
	"strings"

	"heed/politeness"
)

// contentSignal is the line of robots.txt, in lower case.
const contentSignal = "content-signal"

// contentSignals reads Content-Signal lines, a vendor's convention: yes and no to
// search, ai-input and ai-train, for the whole origin. A key that is missing
// says nothing.
type contentSignals struct{ token string }

func (contentSignals) Name() string { return "content-signal" }

func (contentSignals) Where(origin string) []politeness.Place {
	return []politeness.Place{robotsPlace(origin)}
}

func (s contentSignals) Read(_ politeness.Place, d politeness.Document) politeness.Rules {
	var r signalRules
	if readAnswer(&d) != answerServed {
		return r
	}
	list, complete := groupLines(&d, s.token, contentSignal)
	r.incomplete = !complete
	for _, l := range list {
		statement, noCopy := signals(l.value, l.rule)
		r.votes.join(&statement)
		r.noCopy = r.noCopy || noCopy
	}
	return r
}

// signalRules is what the lines that address us say together: a no wins.
type signalRules struct {
	votes      votes
	noCopy     bool
	incomplete bool // lines are missing, so nothing is granted
}

func (r signalRules) Judge(q politeness.Question) politeness.Opinion {
	o := r.votes.opinion("content-signal", q.Purposes)
	o.NoCopy = r.noCopy
	if r.incomplete {
		o.Unread = everyPurpose
	}
	return o
}

// signals reads the value of a line. `use=immediate` allows an answer but no
// storage, so neither an index nor a training set; `reference` allows excerpts with
// a link but no full text in the hands of others; `full` limits nothing.
func signals(value string, rule politeness.Rule) (v votes, noCopy bool) {
	for item := range strings.SplitSeq(value, ",") {
		key, word, _ := strings.Cut(item, "=")
		key, word = strings.ToLower(strings.Trim(key, blanks)), strings.ToLower(strings.Trim(word, blanks))
		if key == "use" {
			switch word {
			case "immediate":
				v.refuse(politeness.Index, politeness.ContentSignalDisallow, rule)
				v.refuse(politeness.Train, politeness.ContentSignalDisallow, rule)
			case "reference":
				noCopy = true
			}
			continue
		}
		for _, s := range signalKeys {
			switch {
			case key != s.key:
			case word == "yes":
				v.grant(s.purpose, rule)
			case word == "no":
				v.refuse(s.purpose, politeness.ContentSignalDisallow, rule)
			}
		}
	}
	return v, noCopy
}

var signalKeys = [...]struct {
	key     string
	purpose politeness.Purpose
}{
	{"search", politeness.Index},
	{"ai-input", politeness.Answer},
	{"ai-train", politeness.Train},
}
