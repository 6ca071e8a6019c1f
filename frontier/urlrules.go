package frontier

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrURLRules are rules for URLs that cannot be used.
var ErrURLRules = errors.New("frontier: invalid URL rules")

// URLRules say which spellings of a URL a job takes for one page, beyond the URL
// Standard. What they make of a URL is stored, compared and requested alike. All of
// them are guesses about a site, so none holds unless somebody asks for it. A nil
// URLRules changes nothing. It is immutable and safe for concurrent use.
type URLRules struct {
	exact    map[string]struct{} // names of parameters, in lower case
	prefixes []string            // of names, in lower case
	sessions bool
	hosts    map[string]struct{} // whose paths do not tell case
	suffixes []string            // of such hosts, with the dot in front
}

// URLRuleOptions is what somebody asks for.
type URLRuleOptions struct {
	DropTracking bool     `json:"drop_tracking,omitempty"`    // parameters that advertising and mail systems add to links
	DropParams   []string `json:"drop_params,omitempty"`      // names of parameters, in any case; a '*' at the end is a prefix
	DropSessions bool     `json:"drop_session_ids,omitempty"` // session identifiers, known by name and by how they look
	LowerPath    []string `json:"lower_path_hosts,omitempty"` // host names, or *.suffix, whose paths mean the same in any case
}

// Equal tells whether the same is asked for, in the same order.
func (o URLRuleOptions) Equal(other URLRuleOptions) bool {
	return o.DropTracking == other.DropTracking && o.DropSessions == other.DropSessions &&
		slices.Equal(o.DropParams, other.DropParams) && slices.Equal(o.LowerPath, other.LowerPath)
}

// tracking are parameters that only tell a site where a visitor came from.
var tracking = []string{
	"utm_*", "mtm_*", "matomo_*", "pk_campaign", "pk_kwd", "pk_source", "pk_medium", "pk_content", "piwik_campaign", "piwik_kwd",
	"gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "twclid", "yclid", "ttclid", "igshid", "mc_cid", "mc_eid", "_hsenc", "_hsmi", "vero_id", "oly_anon_id", "oly_enc_id",
}

// NewURLRules returns nil if nothing is asked for. All errors are ErrURLRules.
func NewURLRules(o URLRuleOptions) (*URLRules, error) {
	r := &URLRules{exact: map[string]struct{}{}, sessions: o.DropSessions, hosts: map[string]struct{}{}}
	names := o.DropParams
	if o.DropTracking {
		names = append(tracking[:len(tracking):len(tracking)], names...)
	}
	for _, name := range names {
		if err := r.addParam(strings.ToLower(name)); err != nil {
			return nil, err
		}
	}
	for _, host := range o.LowerPath {
		name, wild := strings.CutPrefix(host, "*.")
		if HostKey("http://"+name+"/") != name || name == "" || strings.Contains(name, "*") || strings.ToLower(name) != name {
			return nil, fmt.Errorf("%w: host %q, want a name in lower case or *.name", ErrURLRules, clip(host))
		}
		if wild {
			r.suffixes = append(r.suffixes, "."+name)
		} else {
			r.hosts[name] = struct{}{}
		}
	}
	if len(names) == 0 && !o.DropSessions && len(o.LowerPath) == 0 {
		return nil, nil
	}
	return r, nil
}

func (r *URLRules) addParam(name string) error {
	stem, prefix := strings.CutSuffix(name, "*")
	if stem == "" || strings.ContainsAny(stem, "*&=#?") {
		return fmt.Errorf("%w: parameter %q, want a name, or the beginning of one and *", ErrURLRules, clip(name))
	}
	if prefix {
		r.prefixes = append(r.prefixes, stem)
	} else {
		r.exact[stem] = struct{}{}
	}
	return nil
}

// Apply gives the one spelling that the job takes for a canonical URL. It is canonical
// and has the same origin; applying the rules again changes nothing. A URL of which
// nothing canonical would be left stays as it is.
func (r *URLRules) Apply(canonical string) string {
	if r == nil {
		return canonical
	}
	start, end := originEnd(canonical), pathEnd(canonical)
	if start == 0 {
		return canonical
	}
	path, query := canonical[start:end], canonical[end:]
	if r.sessions {
		path = withoutSessionPath(path)
	}
	if r.lowers(HostKey(canonical)) {
		path = lowerPath(path)
	}
	query = r.filter(query)
	if path == canonical[start:end] && query == canonical[end:] {
		return canonical
	}
	url := canonical[:start] + path + query
	if again, err := Canonical(url); err != nil || again != url {
		return canonical
	}
	return url
}

func (r *URLRules) lowers(host string) bool {
	if _, ok := r.hosts[host]; ok {
		return true
	}
	for _, suffix := range r.suffixes {
		if strings.HasSuffix(host, suffix) {
			return true
		}
	}
	return false
}

// filter leaves parameters out of a query that begins with '?' or is empty. What is
// left keeps order and octets; of a query that loses everything nothing is left.
func (r *URLRules) filter(query string) string {
	if len(query) < 2 || len(r.exact)+len(r.prefixes) == 0 && !r.sessions {
		return query
	}
	kept := make([]string, 0, 8)
	dropped := false
	for pair := range strings.SplitSeq(query[1:], "&") {
		name, value, _ := strings.Cut(pair, "=")
		name = strings.ToLower(name)
		if r.drops(name) || r.sessions && isSession(name, value) {
			dropped = true
			continue
		}
		kept = append(kept, pair)
	}
	switch {
	case !dropped:
		return query
	case len(kept) == 0:
		return ""
	}
	return "?" + strings.Join(kept, "&")
}

func (r *URLRules) drops(name string) bool {
	if _, ok := r.exact[name]; ok {
		return true
	}
	for _, p := range r.prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// lowerPath puts letters into lower case, those of escapes left out: they are spelling
// of octets and not of names.
func lowerPath(path string) string {
	lower := []byte(path)
	for i := 0; i < len(lower); i++ {
		switch c := lower[i]; {
		case c == '%' && i+2 < len(lower) && isHex(lower[i+1]) && isHex(lower[i+2]):
			i += 2
		case 'A' <= c && c <= 'Z':
			lower[i] = c | 0x20
		}
	}
	return string(lower)
}

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }
