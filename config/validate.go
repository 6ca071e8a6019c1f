package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Validate checks every field and the relations between them. Its error is an
// [*Error] that names the key and the legal range.
func (c Config) Validate() error {
	if err := c.check(); err != nil {
		return err
	}
	return nil
}

func (c Config) check() *Error {
	for _, part := range []func(Config) *Error{
		Config.checkWords, Config.checkTypes, Config.checkURL, Config.checkNumbers, Config.checkRelations, Config.checkNames,
		Config.checkIdentity, Config.checkNetwork, Config.checkProxy, Config.checkOperator,
	} {
		if err := part(c); err != nil {
			return err
		}
	}
	return nil
}

func bad(key, value, problem, remedy string) *Error {
	return &Error{Key: key, Value: shown(value), Problem: problem, Remedy: remedy}
}

// The closed vocabularies.
var (
	purposes     = []string{"index", "answer", "train", "act", "retrieve"}
	modes        = []string{"", "crawl", "on-demand"} // "" is on-demand
	scopes       = []string{"page", "prefix", "host", "domain", "any"}
	archives     = []string{"warc", "none"}
	contexts     = []string{"auto", "only", "off"}
	sitemaps     = []string{"auto", "off"}
	orders       = []string{"next", "queued", "failures", "name"}
	mechanisms   = []string{"link", "well-known", "robots"}
	logLevels    = []string{"debug", "info", "warn", "error"}
	logFormats   = []string{"text", "json"}
	declarations = []string{"always", "when-required", "never"}
	silents      = []string{"train"} // silence about index and answer is allowed as it is
	// ignorable are the sources an operator may set aside for a host: the
	// standards, never scope, guard, method or pace.
	ignorable = []string{"robots", "automation", "card", "tdm", "aipref", "content-signal", "xrobots", "rsl"}
)

func (c Config) checkWords() *Error {
	for _, w := range []struct {
		key   string
		given []string
		legal []string
	}{
		{"purpose", c.Purpose, purposes},
		{"mode", []string{c.Mode}, modes},
		{"scope", []string{c.Scope}, scopes},
		{"archive", []string{c.Archive}, archives},
		{"context", []string{c.Context}, contexts},
		{"sitemaps", []string{c.Sitemaps}, sitemaps},
		{"sort", []string{c.Sort}, orders},
		{"mechanisms", c.Mechanisms, mechanisms},
		{"log_level", []string{c.LogLevel}, logLevels},
		{"log_format", []string{c.LogFormat}, logFormats},
		{"declare_purpose", []string{c.DeclarePurpose}, declarations},
	} {
		if len(w.given) == 0 {
			return bad(w.key, "", "is empty", oneOf(w.legal))
		}
		if err := known(w.key, w.given, w.legal); err != nil {
			return err
		}
	}
	return nil
}

// checkTypes wants type/subtype or type/*, in lower case and without parameters.
func (c Config) checkTypes() *Error {
	const token = "abcdefghijklmnopqrstuvwxyz0123456789!#$&^_.+-" // RFC 6838 4.2
	for _, t := range c.Types {
		family, name, found := strings.Cut(t, "/")
		if !found || family == "" || name == "" || strings.Trim(family, token) != "" || name != "*" && strings.Trim(name, token) != "" {
			return bad("types", t, "is no media type", "use type/subtype or type/*, in lower case")
		}
	}
	return nil
}

func (c Config) checkURL() *Error {
	for _, p := range c.URL.DropParams {
		stem := strings.TrimSuffix(p, "*")
		if stem == "" || strings.ContainsAny(stem, "*&=#?") {
			return bad("url.drop_params", p, "is no name of a parameter", "use one like ref, or x_* for all that begin so")
		}
	}
	for _, h := range c.URL.LowerPathHosts {
		if !isHost(strings.TrimPrefix(h, "*.")) || strings.ToLower(h) != h {
			return bad("url.lower_path_hosts", h, "is not a host name", "use one like shop.example or *.shop.example, in lower case, no port")
		}
	}
	return nil
}

func known(key string, given, legal []string) *Error {
	for _, word := range given {
		if !slices.Contains(legal, word) {
			return &Error{Key: key, Value: shown(word), Problem: "is not known", Remedy: oneOf(legal)}
		}
	}
	return nil
}

func oneOf(legal []string) string {
	return "use " + strings.TrimPrefix(strings.Join(legal, ", "), ", ")
}

// bound is one number and its legal range, both ends included.
type bound struct {
	key      string
	got      fmt.Stringer
	value    int64
	min, max fmt.Stringer
	low, top int64
}

// number is an int64 that can print itself.
type number int64

func (n number) String() string { return fmt.Sprintf("%d", int64(n)) }

func within[T interface {
	~int64
	fmt.Stringer
}](key string, got, low, top T) bound {
	return bound{key, got, int64(got), low, top, int64(low), int64(top)}
}

func (c Config) checkNumbers() *Error {
	const (
		year = Duration(366 * day)
		tib  = Size(1) << 40
		most = number(1) << 50
	)
	second, minute, hour := Duration(time.Second), Duration(time.Minute), Duration(time.Hour)
	l := c.Limits
	rows := []bound{
		within("depth", number(c.Depth), -1, 1<<15), // -1 is unlimited
		within("sample", number(c.Sample), 0, 20),
		within("limit", number(c.Limit), 1, 10_000),
		within("max_pages", number(c.MaxPages), 0, most),
		within("time_limit", c.TimeLimit, 0, year),
		within("size_limit", c.SizeLimit, 0, 1024*tib),
		within("min_free", c.MinFree, 0, 1024*tib),
		within("workers", number(c.Workers), 1, 4096),
		within("per_host", number(c.PerHost), 1, 256),
		within("per_address", number(c.PerAddress), 1, 4096),
		within("delay", c.Delay, 0, Duration(day)),
		within("back_off", c.BackOff, second, Duration(day)),
		within("back_off_max", c.BackOffMax, second, Duration(day)),
		within("unscored", number(c.Unscored), 0, 100),
		within("timeout", c.Timeout, second/10, hour),
		within("retries", number(c.Retries), 0, 20),
		within("max_redirects", number(c.MaxRedirects), 0, 20),
		within("commit_window", c.CommitWindow, 0, 10*second),
		within("limits.context_index", l.ContextIndex, 1, gib),
		within("limits.context_detail", l.ContextDetail, 1, gib),
		within("limits.page", l.Page, 1, gib),
		within("limits.ratio", number(l.Ratio), 2, 1_000_000),
		within("limits.ratio_after", l.RatioAfter, 1, gib),
		within("limits.headers", l.Headers, kib, 16*mib),
		within("limits.links", number(l.Links), 1, 1_000_000),
		within("limits.url", number(l.URL), 64, 2048), // the frontier keeps no longer ones
		within("limits.connect", l.Connect, second/10, 10*minute),
		within("limits.header_wait", l.HeaderWait, second/10, hour),
		within("limits.min_rate", l.MinRate, 1, gib),
		within("limits.min_rate_after", l.MinRateAfter, second/10, hour),
		within("limits.host_urls", number(l.HostURLs), 1, most),
		within("limits.domain_urls", number(l.DomainURLs), 0, most),
		within("limits.job_urls", number(l.JobURLs), 0, most),
		within("limits.sitemap", l.Sitemap, 1, gib),
		within("limits.sitemap_urls", number(l.SitemapURLs), 1, 1_000_000),
		within("limits.sitemap_depth", number(l.SitemapDepth), 0, 10),
		within("limits.path_queries", number(l.PathQueries), 1, 1<<30),
		within("limits.path_dates", number(l.PathDates), 1, 1<<30),
		within("limits.domain_hosts", number(l.DomainHosts), 1, 1<<30),
		within("limits.same_body", number(l.SameBody), 1, 1<<30),
		within("budget.host_pages", number(c.Budget.HostPages), 0, most),
		within("budget.host_bytes", c.Budget.HostBytes, 0, 1024*tib),
		within("budget.domain_pages", number(c.Budget.DomainPages), 0, most),
		within("budget.domain_bytes", c.Budget.DomainBytes, 0, 1024*tib),
		within("budget.job_pages", number(c.Budget.JobPages), 0, most),
		within("budget.job_bytes", c.Budget.JobBytes, 0, 1024*tib),
		within("max_rate", c.MaxRate, 0, 1024*gib),
		within("recrawl.first", c.Recrawl.First, minute, year),
		within("recrawl.min", c.Recrawl.Min, minute, year),
		within("recrawl.max", c.Recrawl.Max, minute, year),
		within("recrawl.gone", c.Recrawl.Gone, minute, 5*year),
		within("limits.trap_repeat", number(l.TrapRepeat), 2, 100),
		// A site's wish wins upwards, so the cap can only be raised.
		within("limits.crawl_delay", l.CrawlDelay, minute, Duration(day)),
		within("limits.bodies", l.Bodies, mib, tib),
		within("limits.spool_above", l.SpoolAbove, kib, gib),
	}
	if c.Patience != nil {
		rows = append(rows, within("patience", *c.Patience, 0, year))
	}
	if c.MaxBody != nil {
		rows = append(rows, within("max_body", *c.MaxBody, 1, gib))
	}
	if c.ContextMinInterval != nil { // LC-121: never below 300 s
		rows = append(rows, within("context_min_interval", *c.ContextMinInterval, 5*minute, 7*Duration(day)))
	}
	for _, r := range rows {
		if r.value < r.low || r.value > r.top {
			return bad(r.key, r.got.String(), "is out of range",
				fmt.Sprintf("use %v to %v", r.min, r.max))
		}
	}
	return nil
}

func (c Config) checkRelations() *Error {
	l := c.Limits
	switch {
	case c.BackOff > c.BackOffMax:
		return bad("back_off", c.BackOff.String(), "is longer than back_off_max",
			"use at most "+c.BackOffMax.String())
	case c.Once && c.KeepFresh:
		return bad("once", "true", "contradicts keep_fresh", "use one of them")
	case c.Recrawl.Min > c.Recrawl.First:
		return bad("recrawl.min", c.Recrawl.Min.String(), "is longer than recrawl.first", "use at most "+c.Recrawl.First.String())
	case c.Recrawl.First > c.Recrawl.Max:
		return bad("recrawl.first", c.Recrawl.First.String(), "is longer than recrawl.max", "use at most "+c.Recrawl.Max.String())
	case l.SpoolAbove > l.Bodies:
		return bad("limits.spool_above", l.SpoolAbove.String(), "is larger than limits.bodies",
			"use at most "+l.Bodies.String())
	}
	return nil
}
