package standards

import (
	"strings"
	"time"

	"heed/politeness"
)

const (
	// tdmPath is where an origin declares reservations (BC-C-025).
	tdmPath = "/.well-known/tdmrep.json"

	// tdmMaxBytes and tdmMaxRules bound the file. A larger one is unclear as a whole.
	tdmMaxBytes = 512_000
	tdmMaxRules = 10_000
)

// tdm is the TDM Reservation Protocol (W3C community group report): a file of
// the origin, fields of the response, meta elements of the page. They are one
// statement: the page replaces the fields, the fields the file (BC-C-029,
// BC-C-030). A value of 1 closes training; 0 lifts what a card reserves and
// grants nothing (BC-C-924). What is there but cannot be understood closes
// training too (BC-C-937). See tdm_file.go and tdm_response.go.
type tdm struct{}

func (tdm) Name() string { return "tdm" }

// Where names the file, which only training depends on, and the response.
func (tdm) Where(origin string) []politeness.Place {
	return []politeness.Place{{URL: origin + tdmPath, Kind: "tdm", MaxBytes: tdmMaxBytes, MaxAge: 24 * time.Hour,
		Accept: "application/json", BoundBy: "robots", For: politeness.PurposesOf(politeness.Train)}, responsePlace}
}

func (tdm) Read(p politeness.Place, d politeness.Document) politeness.Rules {
	if p.Response {
		return tdmResponse{}
	}
	return readTDMFile(&d)
}

// reservation is the protocol's value for one resource.
type reservation uint8

const (
	tdmUnset    reservation = iota
	tdmOpen                 // 0: not reserved
	tdmReserved             // 1
	tdmUnclear              // something was declared, nobody can tell what
)

// reservationOf reads the value of a field or a meta element. Anything but 0 and
// 1 is unset (BC-C-028).
func reservationOf(value string) reservation {
	switch strings.Trim(value, " \t\r\n\f") {
	case "0":
		return tdmOpen
	case "1":
		return tdmReserved
	}
	return tdmUnset
}

// opinion turns a value into what it means for training.
func (r reservation) opinion(rule politeness.Rule, asked politeness.Purposes) politeness.Opinion {
	var v votes
	switch r {
	case tdmReserved:
		v.refuse(politeness.Train, politeness.TDMReserved, rule)
	case tdmUnclear:
		v.refuse(politeness.Train, politeness.TDMUnclear, rule)
	}
	o := v.opinion("tdm", asked)
	if r == tdmOpen {
		o.Lifts, o.Rule = politeness.PurposesOf(politeness.Train), rule
	}
	return o
}
