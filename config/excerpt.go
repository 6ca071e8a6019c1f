package config

import (
	"fmt"
	"strings"
)

// excerpt shows one line of a file and marks a column of it, both counted from
// one. Of a long line only the beginning is shown, without the mark where that
// lies behind.
func excerpt(line string, number, column int) string {
	if key, _, found := strings.Cut(line, ":"); found && mayHoldSecret(strings.TrimSpace(key)) {
		line = key + ": …"
	}
	line = strings.ToValidUTF8(strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", " "), "?")
	head := fmt.Sprintf("  %d | ", number)
	out := head + shown(line)
	if column < 1 || column > maxShown || column > len(line)+1 {
		return out
	}
	return out + "\n" + strings.Repeat(" ", len(head)+column-1) + "^"
}

// maxDepth is far above the three levels of a configuration and far below what
// a recursive parser can bear; maxIndent is its counterpart in columns.
const (
	maxDepth  = 32
	maxIndent = 8 * maxDepth
)

// tooDeep bounds the nesting that a text could ask a parser for, without
// parsing: brackets of flow style that are open at one time, and blanks, dashes
// and question marks at the start of one line. Brackets inside quotes count
// too, so a list of patterns has to balance them only roughly.
func tooDeep(text []byte) bool {
	open, markers, blanks, indent := 0, 0, 0, true
	for _, c := range text {
		switch c {
		case '[', '{':
			open++
			indent = false
		case ']', '}':
			open = max(open-1, 0)
			indent = false
		case '\n':
			markers, blanks, indent = 0, 0, true
		case '-', '?':
			if indent {
				markers++
			}
		case ' ':
			if indent {
				blanks++
			}
		default:
			indent = false
		}
		if open > maxDepth || markers > maxDepth || blanks > maxIndent {
			return true
		}
	}
	return false
}
