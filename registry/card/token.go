package card

import "strings"

// maxToken bounds a product token that is kept.
const maxToken = 128

// readTokens reads allow or deny, nil if it is absent. sound is false for a
// list that cannot be read as a whole: somebody may be named whom we do not see.
// One string in the place of a list is a list of one.
func readTokens(v JSON) (tokens []string, sound bool) {
	if v == nil {
		return nil, true
	}
	if one, ok := v.Text(); ok {
		return []string{clip(one, maxToken)}, true
	}
	sound = v.IsArray()
	for e := range v.Elements() {
		one, ok := e.Text()
		if !ok {
			sound = false
			continue
		}
		tokens = append(tokens, clip(one, maxToken))
	}
	return tokens, sound
}

// namedIn finds the entry of a list that addresses one of our product tokens, or
// everybody: the whole token, whatever its case, without its version (BC-C-910).
// Tokens of others tell us nothing (BC-C-913).
func namedIn(list, ours []string) (entry string, ok bool) {
	for _, entry := range list {
		name := withoutVersion(entry)
		if name == "*" {
			return entry, true
		}
		for _, own := range ours {
			if own = withoutVersion(own); own != "" && strings.EqualFold(name, own) {
				return entry, true
			}
		}
	}
	return "", false
}

func withoutVersion(token string) string {
	name, _, _ := strings.Cut(token, "/")
	return strings.TrimSpace(name)
}

// clip bounds a text of a stranger and frees it of control characters.
func clip(s string, maxBytes int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || 0x7F <= r && r < 0xA0 {
			return -1
		}
		return r
	}, s)
	if len(s) > maxBytes {
		s = strings.ToValidUTF8(s[:maxBytes], "")
	}
	return strings.Clone(s)
}
