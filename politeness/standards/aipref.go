package standards

import (
	"net/http"
	"strings"

	"github.com/dunglas/httpsfv"

	"heed/politeness"
)

// contentUsage is the rule of robots.txt and the response field of AIPREF, in
// lower case.
const contentUsage = "content-usage"

// maxPreference is how many octets of one statement are parsed. A longer one is
// taken for a refusal: the limit is ours, so it must not open anything.
const maxPreference = 8_192

// aipref reads usage preferences (draft-ietf-aipref-vocab-08 and -attach-05): the
// rules of robots.txt before a request, the Content-Usage field after it. Of
// several statements a disallowing one wins, so the field can only add.
type aipref struct{ token string }

func (aipref) Name() string { return "aipref" }

// Where names the robots.txt of the origin, which is fetched once for all its
// readers, and the response.
func (aipref) Where(origin string) []politeness.Place {
	return []politeness.Place{robotsPlace(origin), responsePlace}
}

// responsePlace is the response to the question itself.
var responsePlace = politeness.Place{Kind: "response", Response: true}

func (s aipref) Read(p politeness.Place, d politeness.Document) politeness.Rules {
	if p.Response {
		return usageField{s.Name()}
	}
	if readAnswer(&d) != answerServed {
		return usageRules{}
	}
	return readUsage(&d, s.token)
}

// usageRules are the Content-Usage rules of a robots.txt that address us.
type usageRules struct {
	rules      []usageRule
	sieve      sieve
	incomplete bool // rules are missing, so nothing is granted
}

type usageRule struct {
	pattern        // octets is 0 for a rule without a path
	anywhere  bool // it has no path
	statement votes
}

func readUsage(d *politeness.Document, token string) usageRules {
	list, complete := groupLines(d, token, contentUsage)
	r := usageRules{rules: make([]usageRule, 0, len(list)), incomplete: !complete}
	for _, l := range list {
		rule := usageRule{anywhere: true}
		statement := l.value
		if strings.HasPrefix(statement, "/") {
			path := statement
			statement = ""
			if i := strings.IndexAny(path, " \t"); i >= 0 {
				path, statement = path[:i], path[i+1:]
			}
			compiled, ok := compilePattern(path)
			if !ok {
				continue
			}
			rule.pattern, rule.anywhere = compiled, false
		}
		rule.statement = preferences([]string{statement}, l.rule)
		r.rules = append(r.rules, rule)
		r.sieve.add(&rule.pattern)
	}
	return r
}

// Judge lets the longest rule that fits decide as a whole; shorter ones are not
// merged into it, those of the same length are.
func (r usageRules) Judge(q politeness.Question) politeness.Opinion {
	if len(r.rules) == 0 {
		return politeness.Quiet("aipref")
	}
	t := newTarget(q.Path)
	longest := -1
	var joined votes
	sifted := r.sieve.over(t)
	for i, ok := sifted.next(len(r.rules)); ok; i, ok = sifted.next(len(r.rules)) {
		rule := &r.rules[i]
		if rule.octets < longest || !rule.anywhere && !rule.fits(t) {
			continue
		}
		if rule.octets > longest {
			longest, joined = rule.octets, votes{}
		}
		joined.join(&rule.statement)
	}
	o := joined.opinion("aipref", q.Purposes)
	if r.incomplete {
		o.Unread = everyPurpose
	}
	return o
}

// usageField reads the field of a response. It is about this representation.
type usageField struct{ source string }

func (f usageField) Judge(q politeness.Question) politeness.Opinion {
	values := q.Response.Header.Values(http.CanonicalHeaderKey(contentUsage))
	if len(values) == 0 {
		return politeness.Quiet(f.source)
	}
	text := plainText("Content-Usage: " + strings.Join(values, ", "))
	v := preferences(values, politeness.Rule{Text: text})
	return v.opinion(f.source, q.Purposes)
}

// categories maps the categories of the vocabulary to our purposes.
var categories = [...]struct {
	label   string
	purpose politeness.Purpose
}{
	{"search", politeness.Index},
	{"ai-use", politeness.Answer},
	{"train-ai", politeness.Train},
}

// preferences reads an RFC 9651 dictionary. Keys nobody knows and values other
// than the tokens y and n say nothing; neither does a statement that does not
// parse. Of a key given twice the last one counts.
func preferences(values []string, rule politeness.Rule) votes {
	var v votes
	octets := 0
	for _, value := range values {
		octets += len(value)
	}
	if octets > maxPreference {
		for _, c := range categories {
			v.refuse(c.purpose, politeness.AIPrefDisallow, rule)
		}
		return v
	}
	dictionary, err := httpsfv.UnmarshalDictionary(values)
	if err != nil {
		return v
	}
	for _, c := range categories {
		member, ok := dictionary.Get(c.label)
		if !ok {
			continue
		}
		item, _ := member.(httpsfv.Item)
		switch item.Value {
		case httpsfv.Token("y"):
			v.grant(c.purpose, rule)
		case httpsfv.Token("n"):
			v.refuse(c.purpose, politeness.AIPrefDisallow, rule)
		}
	}
	return v
}
