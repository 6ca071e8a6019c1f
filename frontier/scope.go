package frontier

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// ErrScope is a scope that cannot be built: an unknown kind, a seed that is no
// URL, or an expression that does not compile.
var ErrScope = errors.New("frontier: invalid scope")

// ScopeKind says how far from its seeds a job may go.
type ScopeKind string

// The kinds of scope, from narrow to wide.
const (
	ScopePage   ScopeKind = "page"   // the seeds themselves
	ScopePrefix ScopeKind = "prefix" // below the directory of a seed, on its host and port
	ScopeHost   ScopeKind = "host"   // the host names of the seeds, all ports
	ScopeDomain ScopeKind = "domain" // the registrable domains of the seeds
	ScopeAny    ScopeKind = "any"    // anywhere
)

// Reasons why a URL is out of scope.
const (
	reasonPage    = "scope.page"
	reasonPrefix  = "scope.prefix"
	reasonHost    = "scope.host"
	reasonDomain  = "scope.domain"
	reasonDepth   = "scope.depth"
	reasonExclude = "scope.exclude"
	reasonInclude = "scope.include"
)

// Scope is the part of the web that belongs to a job. It is immutable and safe
// for concurrent use; new seeds make a new Scope.
type Scope struct {
	kind     ScopeKind
	depth    int
	members  map[string]struct{} // pages, hosts or domains of the seeds
	prefixes map[string][]string // by authority: paths that end with a slash
	include  []*regexp.Regexp
	exclude  []*regexp.Regexp
}

// NewScope builds a scope around seeds. include and exclude are RE2 expressions,
// not anchored, for the canonical URL. depth is how many links a URL may be away
// from a seed: 0 is the seeds alone, negative is no bound. Pages and prefixes are
// compared without scheme, so that a site may move its seed to https. All errors
// are ErrScope.
func NewScope(kind ScopeKind, seeds, include, exclude []string, depth int) (*Scope, error) {
	s := &Scope{kind: kind, depth: depth, members: make(map[string]struct{})}
	if err := s.addSeeds(seeds); err != nil {
		return nil, err
	}
	switch kind {
	case ScopePage, ScopePrefix, ScopeHost, ScopeDomain, ScopeAny:
	default:
		return nil, fmt.Errorf("%w: kind %q, want page, prefix, host, domain or any", ErrScope, kind)
	}
	var err error
	if s.include, err = compileAll("include", include); err != nil {
		return nil, err
	}
	if s.exclude, err = compileAll("exclude", exclude); err != nil {
		return nil, err
	}
	return s, nil
}

// addSeeds widens a scope that nobody else holds yet.
func (s *Scope) addSeeds(seeds []string) error {
	for _, raw := range seeds {
		seed, err := Canonical(raw)
		if err != nil {
			return fmt.Errorf("%w: seed: %w", ErrScope, err)
		}
		switch s.kind {
		case ScopePage:
			s.members[withoutScheme(seed)] = struct{}{}
		case ScopePrefix:
			s.addPrefix(seed)
		case ScopeHost:
			s.members[HostKey(seed)] = struct{}{}
		case ScopeDomain:
			s.members[Domain(HostKey(seed))] = struct{}{}
		}
	}
	return nil
}

func (s *Scope) addPrefix(seed string) {
	if s.prefixes == nil {
		s.prefixes = make(map[string][]string)
	}
	path := seed[originEnd(seed):pathEnd(seed)]
	authority, dir := Authority(seed), path[:strings.LastIndexByte(path, '/')+1]
	if !slices.Contains(s.prefixes[authority], dir) {
		s.prefixes[authority] = append(s.prefixes[authority], dir)
	}
}

func compileAll(name string, exprs []string) ([]*regexp.Regexp, error) {
	var all []*regexp.Regexp
	for _, x := range exprs {
		re, err := regexp.Compile(x)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrScope, name, err)
		}
		all = append(all, re)
	}
	return all, nil
}

// Judge returns "" for a canonical URL in scope, else the reason why it is not.
// depth is how many links it is away from its seed. A seed is in scope wherever
// it lies and needs no include; exclude holds for it, too.
func (s *Scope) Judge(url string, depth int, seed bool) string {
	if !seed {
		if reason := s.judgePlace(url); reason != "" {
			return reason
		}
		if s.depth >= 0 && depth > s.depth {
			return reasonDepth
		}
	}
	if anyMatch(s.exclude, url) {
		return reasonExclude
	}
	if !seed && len(s.include) > 0 && !anyMatch(s.include, url) {
		return reasonInclude
	}
	return ""
}

// With is the scope around more seeds besides its own. It leaves s as it is. All
// errors are ErrScope.
func (s *Scope) With(seeds []string) (*Scope, error) {
	wider := *s
	wider.members = maps.Clone(s.members)
	wider.prefixes = make(map[string][]string, len(s.prefixes))
	for authority, paths := range s.prefixes {
		wider.prefixes[authority] = slices.Clone(paths)
	}
	if err := wider.addSeeds(seeds); err != nil {
		return nil, err
	}
	return &wider, nil
}

// Grows tells whether the scope can hold anything but the seeds themselves.
func (s *Scope) Grows() bool { return s.kind != ScopePage && s.depth != 0 }

func (s *Scope) judgePlace(url string) string {
	key, reason := "", ""
	switch s.kind {
	case ScopeAny:
		return ""
	case ScopePrefix:
		path := url[originEnd(url):]
		for _, dir := range s.prefixes[Authority(url)] {
			if strings.HasPrefix(path, dir) {
				return ""
			}
		}
		return reasonPrefix
	case ScopePage:
		key, reason = withoutScheme(url), reasonPage
	case ScopeDomain:
		key, reason = Domain(HostKey(url)), reasonDomain
	default:
		key, reason = HostKey(url), reasonHost
	}
	if _, ok := s.members[key]; !ok {
		return reason
	}
	return ""
}

func anyMatch(all []*regexp.Regexp, url string) bool {
	for _, re := range all {
		if re.MatchString(url) {
			return true
		}
	}
	return false
}

func withoutScheme(canonical string) string {
	_, rest, _ := strings.Cut(canonical, "://")
	return rest
}
