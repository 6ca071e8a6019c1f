package config

import "strings"

// didYouMean names the nearest of the known names, or nothing where none is
// near.
func didYouMean(name string, known []string) string {
	if near := nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// maxNameBytes bounds the names that are compared: the longest key is shorter.
const maxNameBytes = 64

// nearest returns the known name with the fewest edits from name, if they are
// at most a third of it.
func nearest(name string, known []string) string {
	if len(name) > maxNameBytes {
		return ""
	}
	plain := strings.NewReplacer("-", "_")
	name = plain.Replace(name)
	best, bestEdits := "", len(name)/3+1
	for _, k := range known {
		if n := edits(name, plain.Replace(k)); n < bestEdits {
			best, bestEdits = k, n
		}
		if _, last, nested := strings.Cut(k, "."); nested && last == name {
			return k
		}
	}
	return best
}

// edits counts the insertions, deletions and replacements of octets that turn
// a into b.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
