package frontier

import (
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// Base is a URL against which references are resolved, with what every
// reference needs prepared. It is not safe for concurrent use.
type Base struct {
	url       string      // canonical
	originEnd int         // url[:originEnd] is scheme and authority
	dirEnd    int         // url[:dirEnd] ends with the last slash of the path
	pathEnd   int         // url[:pathEnd] leaves out the query
	parsed    *whatwg.Url // made when a reference needs the parser
}

// NewBase prepares the URL of a document, or of its base element, which need not
// be canonical. Errors are those of Canonical.
func NewBase(raw string) (*Base, error) {
	url, err := Canonical(raw)
	if err != nil {
		return nil, err
	}
	b := &Base{url: url, originEnd: originEnd(url), pathEnd: pathEnd(url)}
	b.dirEnd = strings.LastIndexByte(url[:b.pathEnd], '/') + 1
	return b, nil
}

// URL is the canonical URL of the base.
func (b *Base) URL() string { return b.url }

// Resolve returns the canonical form of what a reference points to, and whether
// it is a URL that could be fetched. It answers as the URL Standard does; clean
// references take at most one allocation.
func (b *Base) Resolve(ref string) (string, bool) {
	if url, ok := b.resolveClean(ref); ok {
		return url, true
	}
	url, err := b.resolveParsed(ref)
	return url, err == nil
}

// resolveClean puts together what needs no parsing.
func (b *Base) resolveClean(ref string) (string, bool) {
	if ref == "" {
		return b.url, true
	}
	switch ref[0] {
	case '#':
		return b.url, true
	case '?':
		end, ok := cleanQuery(ref, 1)
		return join(b.url[:b.pathEnd], ref[:end], ok)
	case '/':
		if len(ref) > 1 && ref[1] == '/' {
			return "", false
		}
		end, ok := cleanTarget(ref, 0)
		return join(b.url[:b.originEnd], ref[:end], ok)
	}
	if strings.HasPrefix(ref, "http") {
		if end, ok := cleanURL(ref); ok && end <= MaxURLBytes {
			return ref[:end], true
		}
	}
	return b.resolveBesides(ref)
}

// resolveBesides resolves a reference relative to the directory of the base.
func (b *Base) resolveBesides(ref string) (string, bool) {
	dir := b.url[:b.dirEnd]
	for {
		rest, up := strings.CutPrefix(ref, "../")
		if !up {
			var here bool
			if ref, here = strings.CutPrefix(ref, "./"); !here {
				break
			}
			continue
		}
		ref = rest
		if len(dir) > b.originEnd+1 {
			dir = dir[:strings.LastIndexByte(dir[:len(dir)-1], '/')+1]
		}
	}
	if schemeLike(ref) || strings.HasPrefix(ref, "/") {
		return "", false
	}
	end, ok := cleanTarget(ref, 0)
	return join(dir, ref[:end], ok)
}

// schemeLike reports whether a colon stands in the first segment. Such a
// reference may be absolute.
func schemeLike(ref string) bool {
	i := strings.IndexAny(ref, ":/?#")
	return i >= 0 && ref[i] == ':'
}

// join leaves what is too long to the parser, which says so.
func join(base, ref string, ok bool) (string, bool) {
	if !ok || len(base)+len(ref) > MaxURLBytes {
		return "", false
	}
	return base + ref, true
}

func (b *Base) resolveParsed(ref string) (string, error) {
	ref = cutFragment(ref)
	if _, err := examine(ref); err != nil {
		return "", err
	}
	if b.parsed == nil {
		u, err := parser.Parse(b.url)
		if err != nil {
			return "", refused(ErrURL, b.url)
		}
		b.parsed = u
	}
	u, err := b.parsed.Parse(ref)
	return finish(u, err, ref)
}
