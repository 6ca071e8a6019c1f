package config

// Config is everything that can be set. The yaml tag of a field is its key.
// Limits of legal values are those that [Config.Validate] names.
type Config struct {
	// Where the state lives, and what the job is about.
	Data    string   `yaml:"data"`           // folder of all jobs
	Job     string   `yaml:"job"`            // name of the job, a folder name
	Seeds   []string `yaml:"seeds"`          // files of seed URLs, "-" is standard input
	Purpose []string `yaml:"purpose,flow"`   // index, answer, train, act, retrieve
	Mode    string   `yaml:"mode,omitempty"` // check: crawl or on-demand, which "" is
	Method  string   `yaml:"method"`         // HTTP method that check judges and fetch uses
	Scope   string   `yaml:"scope"`          // page, prefix, host, domain, any
	Include []string `yaml:"include"`        // RE2, unanchored, on the canonical URL
	Exclude []string `yaml:"exclude"`        // likewise; wins over include
	Depth   int      `yaml:"depth"`          // links from a seed; -1 is unlimited
	Archive string   `yaml:"archive"`        // warc or none
	Out     string   `yaml:"out,omitempty"`  // file for the result instead of standard output
	Refresh bool     `yaml:"refresh"`        // overrides explicit page freshness, never floors
	Strict  bool     `yaml:"strict"`         // a bad line in a seed file ends the command
	// Once is a run to the end, the default; KeepFresh one that does not end but asks
	// again what is due by Recrawl. Both together are an error.
	Once      bool `yaml:"once"`
	KeepFresh bool `yaml:"keep_fresh"`

	Keep   bool `yaml:"keep"`   // demo: leave the world running
	Home   bool `yaml:"home"`   // context: ask for the home page first
	Sample int  `yaml:"sample"` // context: pages that the index is compared with
	Verify bool `yaml:"verify"` // card: look for the public proof, too
	// hosts: how many are listed, and by what: next, queued, failures, name.
	Limit    int    `yaml:"limit"`
	Sort     string `yaml:"sort"`
	Envelope bool   `yaml:"envelope"` // fetch: print the provenance envelope

	// What fetch sends with an act.
	Body        string `yaml:"body,omitempty"` // text, or @FILE
	ContentType string `yaml:"content_type,omitempty"`

	// When a run ends. 0 is no limit.
	MaxPages  int64    `yaml:"max_pages"`
	TimeLimit Duration `yaml:"time_limit"`
	SizeLimit Size     `yaml:"size_limit"` // octets on the wire
	MinFree   Size     `yaml:"min_free"`   // free disk space below which a run stops
	// Patience is how long URLs may wait for their hosts before the command
	// ends undecided. nil is the command's own: 5m for crawl, 20s for fetch.
	Patience *Duration `yaml:"patience,omitempty"`

	// Pace. Values of Delay below and of PerHost above their defaults hold only
	// for hosts inside AllowAddress, see product rules of the crawler.
	Workers    int      `yaml:"workers"`      // visits at the same time
	PerHost    int      `yaml:"per_host"`     // requests in flight to one host
	PerAddress int      `yaml:"per_address"`  // requests in flight to one address
	Delay      Duration `yaml:"delay"`        // from request to request on one host
	BackOff    Duration `yaml:"back_off"`     // first back-off, doubling
	BackOffMax Duration `yaml:"back_off_max"` // last back-off
	Unscored   int      `yaml:"unscored"`     // score of a page that has none, 0 to 100

	// Fetching.
	// MaxBody is the ceiling of a page's body, decoded and on the wire; nil is
	// limits.page. See [Config.PageBytes].
	MaxBody      *Size    `yaml:"max_body,omitempty"`
	Timeout      Duration `yaml:"timeout"`       // of a whole fetch
	Retries      int      `yaml:"retries"`       // after the first attempt
	MaxRedirects int      `yaml:"max_redirects"` // hops
	Contact      string   `yaml:"contact"`       // URL or mailto:
	UserAgent    string   `yaml:"user_agent,omitempty"`
	// DeclarePurpose says when requests carry Automation-Purpose: always,
	// when-required or never. A site that requires it is left alone by never.
	DeclarePurpose string   `yaml:"declare_purpose"`
	Token          string   `yaml:"token"`           // product token matched in robots.txt
	Resolve        []string `yaml:"resolve"`         // HOST:PORT:ADDR[:PORT]
	Proxy          Proxy    `yaml:"proxy,omitempty"` // http or socks5 URL that every connection goes through
	AllowAddress   []string `yaml:"allow_address"`   // CIDR opened in the address guard
	CAFile         []string `yaml:"ca_file"`         // PEM files trusted beside the system's
	Registry       []string `yaml:"registry"`        // origins of consent-card registries that are believed
	NowOffset      Duration `yaml:"now_offset"`      // moves the clock, for tests

	// Where URLs come from besides links.
	Sitemaps string `yaml:"sitemaps"` // auto: sitemaps of robots.txt and cards, feeds of pages; off
	// What is taken: images, scripts and style sheets of pages, too; bodies of these
	// media types alone ("text/*" is a family; none is all).
	Requisites bool     `yaml:"requisites"`
	Types      []string `yaml:"types,flow"`
	MaxRate    Size     `yaml:"max_rate"` // octets a second over all hosts; 0 is no bound

	// llm-context discovery.
	Context         string   `yaml:"context"`                   // auto, only, off
	Mechanisms      []string `yaml:"mechanisms,flow"`           // link, well-known, robots (LC-019)
	AcceptLanguage  string   `yaml:"accept_language,omitempty"` // "" sends none (LC-129)
	FallbackLLMsTxt bool     `yaml:"fallback_llms_txt"`         // LC-142
	// ContextMinInterval replaces the floor of an hour between two retrievals of
	// one context file where the origin's max-age allows it; nil keeps the floor
	// (LC-121).
	ContextMinInterval *Duration `yaml:"context_min_interval,omitempty"`
	ContextPairs       []Pair    `yaml:"context_pairs"` // LC-107

	// Output and durability.
	JSON         bool     `yaml:"json"`
	LogLevel     string   `yaml:"log_level"`     // debug, info, warn, error
	LogFormat    string   `yaml:"log_format"`    // text, json
	CommitWindow Duration `yaml:"commit_window"` // longest time a settlement waits for its group

	URL     URL      `yaml:"url"`
	Limits  Limits   `yaml:"limits"`
	Recrawl Recrawl  `yaml:"recrawl"`
	Budget  Budget   `yaml:"budget"`
	Rules   []Rule   `yaml:"rules"`
	Silent  []Silent `yaml:"silent"`
	Act     Act      `yaml:"act"`
}

// URL says which spellings of a URL are one page, beyond what the URL Standard says.
// What a job has begun with it keeps: its URLs are stored in these spellings.
type URL struct {
	DropTracking   bool     `yaml:"drop_tracking"`    // parameters of advertising and mail: utm_*, gclid, fbclid and the like
	DropParams     []string `yaml:"drop_params"`      // further parameters, "ref" or "x_*"
	DropSessionIDs bool     `yaml:"drop_session_ids"` // ;jsessionid=, PHPSESSID and the like, where they look like one
	LowerPathHosts []string `yaml:"lower_path_hosts"` // hosts, or *.suffix, whose paths mean the same in any case
}

// Recrawl says when a job that keeps fresh asks again. Explicit freshness of a page
// and the changes seen so far decide within these bounds.
type Recrawl struct {
	First Duration `yaml:"first"` // after the first answer
	Min   Duration `yaml:"min"`   // never sooner
	Max   Duration `yaml:"max"`   // never later, but for what is gone
	Gone  Duration `yaml:"gone"`  // after a second 404 or 410, and after a permanent redirect
}

// Budget bounds what a day may cost, from midnight to midnight UTC. 0 is no bound.
type Budget struct {
	HostPages   int64 `yaml:"host_pages"`   // answers for pages of one host
	HostBytes   Size  `yaml:"host_bytes"`   // on the wire
	DomainPages int64 `yaml:"domain_pages"` // of a registrable domain, with all its hosts
	DomainBytes Size  `yaml:"domain_bytes"`
	JobPages    int64 `yaml:"job_pages"`
	JobBytes    Size  `yaml:"job_bytes"`
}

// Limits bounds what a stranger controls. Going over one is an error or a
// counted finding, never a silent cut.
type Limits struct {
	ContextIndex  Size     `yaml:"context_index"`  // decoded
	ContextDetail Size     `yaml:"context_detail"` // decoded
	Page          Size     `yaml:"page"`           // body, decoded and on the wire
	Ratio         int64    `yaml:"ratio"`          // decoded octets per octet on the wire
	RatioAfter    Size     `yaml:"ratio_after"`    // decoded octets before Ratio counts
	Headers       Size     `yaml:"headers"`        // response head
	Links         int      `yaml:"links"`          // queued of one page; the rest is counted
	URL           int      `yaml:"url"`            // octets
	Connect       Duration `yaml:"connect"`        // lookup, connect, TLS
	HeaderWait    Duration `yaml:"header_wait"`    // from the request to the response head
	MinRate       Size     `yaml:"min_rate"`       // octets a second
	MinRateAfter  Duration `yaml:"min_rate_after"` // grace before MinRate counts
	HostURLs      int64    `yaml:"host_urls"`      // known URLs of one host
	DomainURLs    int64    `yaml:"domain_urls"`    // of one registrable domain; 0 is no bound
	JobURLs       int64    `yaml:"job_urls"`       // of the job; 0 is no bound
	Sitemap       Size     `yaml:"sitemap"`        // a sitemap or feed, on the wire and unpacked
	SitemapURLs   int      `yaml:"sitemap_urls"`   // entries of one; the first ones hold
	SitemapDepth  int      `yaml:"sitemap_depth"`  // indexes on the way to a sitemap
	TrapRepeat    int      `yaml:"trap_repeat"`    // times a segment may not occur in one path
	PathQueries   int      `yaml:"path_queries"`   // distinct queries of one path
	PathDates     int      `yaml:"path_dates"`     // distinct dates in one shape of path
	DomainHosts   int      `yaml:"domain_hosts"`   // host names below one registrable domain
	SameBody      int      `yaml:"same_body"`      // URLs of a host with the very same body, whose links count
	CrawlDelay    Duration `yaml:"crawl_delay"`    // longest Crawl-delay that is obeyed in full
	Bodies        Size     `yaml:"bodies"`         // memory of all bodies in flight
	SpoolAbove    Size     `yaml:"spool_above"`    // a longer body goes to disk
}

// PageBytes is the ceiling of a page's body in octets: max_body where given,
// else limits.page.
func (c Config) PageBytes() int64 {
	if c.MaxBody != nil {
		return int64(*c.MaxBody)
	}
	return int64(c.Limits.Page)
}
