package standards

import (
	"strings"

	"github.com/temoto/robotstxt"
)

// secondReaderRules is the largest number of rules that are read twice. More
// would cost more than the doubt is worth: an average file has a dozen.
const secondReaderRules = 200

// secondReader judges literal rules by another implementation. Fed with one
// cleaned group, allowing rules first, it must agree with ours; its known
// deviations from RFC 9309 concern operators, ties, encoding and groups, and
// none of these is left in what it gets.
type secondReader struct {
	group *robotstxt.Group // nil if the cleaned group could not be read
}

// newSecondReader is nil where a second reading is not possible or too dear.
func newSecondReader(s ruleSet) *secondReader {
	if !s.literal || len(s.rules) == 0 || len(s.rules) > secondReaderRules {
		return nil
	}
	var text strings.Builder
	text.WriteString("User-agent: *\n")
	for _, allow := range [...]bool{true, false} {
		name := "Disallow: "
		if allow {
			name = "Allow: "
		}
		for i := range s.rules {
			if r := &s.rules[i]; r.allow == allow {
				text.WriteString(name)
				text.WriteString(r.prefix)
				text.WriteByte('\n')
			}
		}
	}
	data, err := robotstxt.FromString(text.String())
	if err != nil {
		return &secondReader{}
	}
	return &secondReader{group: data.FindGroup("*")}
}

// agrees tells whether the second reader, if there is one, comes to the same
// answer. It is not asked about a path with two spellings, which it does not
// know.
func (r *secondReader) agrees(t target, allowed bool) bool {
	if r == nil || !t.same {
		return true
	}
	return r.group != nil && r.group.Test(t.path) == allowed
}
