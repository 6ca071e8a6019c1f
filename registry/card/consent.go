package card

// TDM is the word of the owner on text and data mining. The zero value is the
// default of the draft and the strictest one.
type TDM uint8

const (
	Reserved TDM = iota // not without the owner's licence
	Licensed            // a licence can be had
	Open                // not reserved
)

var tdmNames = [...]string{"reserved", "licensed", "open"}

// String gives the value as it stands in a card.
func (t TDM) String() string { return tdmNames[t] }

// Consent is what the owner agrees to. The zero value refuses everything.
type Consent struct {
	Retrieve bool // fetching now, for an answer or a search index
	Train    bool // copying into a training set
	Act      bool // changing state at the origin; gives no right to log in (BC-C-005)
	Cite     bool // attribution is expected
	TDM      TDM
}

// readConsent reads the member consent, nil if it is absent. What is absent
// takes its default (BC-C-006), what is present and malformed refuses
// (BC-C-933), and of a consent that is no object nothing can be taken.
func readConsent(v JSON) Consent {
	c := Consent{Retrieve: true, Cite: true}
	if v == nil {
		return c
	}
	if !v.IsObject() {
		return Consent{Cite: true}
	}
	for name, value := range v.members() {
		switch string(name) {
		case "retrieve":
			c.Retrieve = value.IsTrue()
		case "train":
			c.Train = value.IsTrue()
		case "act":
			c.Act = value.IsTrue()
		case "cite":
			c.Cite = !value.IsFalse()
		case "tdm":
			c.TDM = readTDM(value)
		}
	}
	return c
}

func readTDM(v JSON) TDM {
	switch word, _ := v.Text(); word {
	case "open":
		return Open
	case "licensed":
		return Licensed
	}
	return Reserved
}
