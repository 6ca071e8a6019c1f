package politeness

import (
	"slices"
	"strings"
)

// PurposeHeader is the request field that declares purposes (AP-135). No
// document names one, so this is a convention of ours: the vocabulary of AIPREF
// first, then our own words.
const PurposeHeader = "Automation-Purpose"

// declarations holds the words of each purpose: that of AIPREF, ours.
var declarations = [purposeCount][2]string{
	Index:  {"search", "retrieve"},
	Answer: {"ai-use", "retrieve"},
	Train:  {"train-ai", "train"},
	Act:    {"act", "act"},
}

// Declaration is the value of PurposeHeader for a set of purposes, empty for an
// empty set: "search, retrieve" for index.
func Declaration(s Purposes) string {
	words := make([]string, 0, 2*purposeCount)
	for column := range 2 {
		for p := range purposeCount {
			if word := declarations[p][column]; s.Has(p) && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
	}
	return strings.Join(words, ", ")
}

// Declared lists the purposes that a request under d serves: those it was asked
// for and that nobody refused.
func (d *Decision) Declared() Purposes {
	s := d.Purposes
	for p := range purposeCount {
		if d.Uses[p] == No {
			s &^= 1 << p
		}
	}
	return s
}
