package politeness

import (
	"net/http"
	"time"
)

// Question is everything a source may look at. It is a value: two equal
// questions over equal documents get equal answers.
type Question struct {
	URL    string // canonical, absolute
	Origin string // scheme://host[:port] of URL
	Host   string // pace key: host name without port
	Path   string // path and query of URL as they go on the wire, starting with "/"

	Method   string
	Purposes Purposes
	Mode     Mode
	Now      time.Time

	Scope Reason // why URL is outside the job, empty if inside or if no job asks
	Guard Reason // why the address guard refuses URL, empty if it does not
	Rate  Rate   // what the pacer says about Host

	SilentTrain   bool      // the operator takes silence about training for a yes
	SilentBecause string    // why
	Response      *Response // set for Gate.After only
}

// Rate is the pacer's word about a host at the time of the question.
type Rate struct {
	Until  time.Time     // not before; zero or past means now
	Reason Reason        // why, when Until is in the future
	Delay  time.Duration // between two request starts
}

// Response is what an answer itself can say about its use.
type Response struct {
	Status int
	Header http.Header
	Meta   []Meta // meta elements of an HTML head, in document order
}

// Meta is one meta element.
type Meta struct{ Name, Content string }
