package config

import (
	"strconv"
	"strings"
)

// Error says what is wrong with one value, where it came from and what would
// be right.
type Error struct {
	Where   string // flag --delay, environment HEED_DELAY, heed.yaml:3:5; "" for a value without a layer
	Key     string // like limits.page or rules[0].host; "" where no key can be named
	Value   string // as given, cut to a readable length
	Problem string
	Remedy  string
	Excerpt string // the line of the file with a mark below the column, for files
	Usage   bool   // came from a flag: the command was used wrongly (exit 2 rather than 4)
	Err     error  // what an operation of the system answered, if one did
}

// Error puts the parts into one sentence, with the excerpt below it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("config: ")
	if e.Where != "" {
		b.WriteString(e.Where)
		b.WriteString(": ")
	}
	// A flag and a variable are named after their key; what lies deeper is not.
	if e.Key != "" && (!e.namesKey() || strings.Contains(e.Key, "[")) {
		b.WriteString(e.Key)
		b.WriteString(": ")
	}
	if e.Value != "" {
		b.WriteString(strconv.Quote(e.Value))
		b.WriteByte(' ')
	}
	b.WriteString(e.Problem)
	if e.Err != nil {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.Remedy != "" {
		b.WriteString("; ")
		b.WriteString(e.Remedy)
	}
	if e.Excerpt != "" {
		b.WriteByte('\n')
		b.WriteString(e.Excerpt)
	}
	return b.String()
}

func (e *Error) namesKey() bool {
	return strings.HasPrefix(e.Where, "flag ") || strings.HasPrefix(e.Where, "environment ")
}

// Unwrap returns the error of the system, if there is one.
func (e *Error) Unwrap() error { return e.Err }

// maxShown bounds, in octets, how much of a value or of a line is repeated in
// an error.
const maxShown = 120

func shown(value string) string {
	if len(value) <= maxShown {
		return value
	}
	return strings.ToValidUTF8(value[:maxShown], "") + "…"
}

// valueError is what the setter says about a text before it is known which key
// and layer the text belongs to.
type valueError struct{ problem, remedy string }

func (e *valueError) Error() string {
	if e.remedy == "" {
		return "config: value " + e.problem
	}
	return "config: value " + e.problem + "; " + e.remedy
}
