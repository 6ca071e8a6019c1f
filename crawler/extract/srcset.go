package extract

import "bytes"

// eachSrcset calls yield with the URL of every image candidate of a srcset value (HTML, parsing a
// srcset attribute). A URL ends at white space, so commas inside it stay; a comma at its end separates.
// Descriptors are skipped, parentheses in them respected, and not judged: a candidate that a browser
// would discard for its descriptor still names a resource.
func eachSrcset(value []byte, yield func(url []byte)) {
	for {
		value = bytes.TrimLeft(value, asciiSpace+",")
		if len(value) == 0 {
			return
		}
		end := bytes.IndexAny(value, asciiSpace)
		if end < 0 {
			end = len(value)
		}
		url := value[:end]
		value = value[end:]
		if trimmed := bytes.TrimRight(url, ","); len(trimmed) < len(url) {
			if len(trimmed) > 0 {
				yield(trimmed)
			}
			continue
		}
		yield(url)
		value = skipDescriptors(value)
	}
}

func skipDescriptors(value []byte) []byte {
	inParens := false
	for i, c := range value {
		switch {
		case c == '(':
			inParens = true
		case c == ')':
			inParens = false
		case c == ',' && !inParens:
			return value[i+1:]
		}
	}
	return nil
}
