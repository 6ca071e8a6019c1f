package main

// commands is the command line. Flags are read as text: the configuration knows
// what they mean, wherever they come from.
type commands struct {
	Demo       demoVerb       `cmd:"" help:"Crawl an embedded world of small sites, twice, and explain what happened."`
	Crawl      crawlVerb      `cmd:"" help:"Run a job in the foreground to its end. Run again to go on, or to make a new pass."`
	Fetch      fetchVerb      `cmd:"" help:"Fetch one URL through the same gate, body to standard output."`
	Check      checkVerb      `cmd:"" help:"Decide about a URL and explain; fetches policy documents only."`
	Explain    explainVerb    `cmd:"" help:"Show everything recorded about a URL. Makes no request."`
	Context    contextVerb    `cmd:"" help:"Find the llm-context index of an origin."`
	Card       cardVerb       `cmd:"" help:"Show the consent cards of a domain, and what each purpose gets."`
	Export     exportVerb     `cmd:"" help:"Write the stored pages that may be used for a purpose, judged again now."`
	Status     statusVerb     `cmd:"" help:"Show how a job stands."`
	Hosts      hostsVerb      `cmd:"" help:"List the hosts of a job that have something to do, and what they wait for."`
	Seeds      seedsVerb      `cmd:"" help:"Add seeds to a job, also while it is being crawled."`
	Pause      pauseVerb      `cmd:"" help:"Hold a running crawl: no new requests until resume."`
	Resume     resumeVerb     `cmd:"" help:"End a pause."`
	Stop       stopVerb       `cmd:"" help:"Stop a running crawl: requests under way finish."`
	Verify     verifyVerb     `cmd:"" help:"Check state, ledger chain and archive against each other. Makes no request."`
	Compact    compactVerb    `cmd:"" help:"Pack the state file of a job that is not being crawled."`
	Config     configVerb     `cmd:"" help:"Check or print the configuration."`
	Completion completionVerb `cmd:"" help:"Print the shell's completion set-up."`
	Version    versionVerb    `cmd:"" help:"Print the version."`
}

// jobFlags say which job, and how to talk about it.
type jobFlags struct {
	Config    string `help:"YAML file with settings." placeholder:"FILE" group:"Job"`
	Data      string `help:"Folder of all jobs (default heed-data)." placeholder:"DIR" group:"Job"`
	Job       string `help:"Name of the job (default default)." placeholder:"NAME" group:"Job"`
	JSON      bool   `name:"json" help:"One JSON object on standard output." group:"Output"`
	LogLevel  string `help:"debug, info, warn or error." placeholder:"LEVEL" group:"Output"`
	LogFormat string `help:"text or json." placeholder:"FORMAT" group:"Output"`
}

// netFlags say who asks, for what, and how hard.
type netFlags struct {
	Contact      string   `help:"URL or mailto: of whoever answers for this crawler. Required." placeholder:"URL" group:"Identity"`
	UserAgent    string   `help:"User-Agent in place of heed/VERSION (+CONTACT)." placeholder:"TEXT" group:"Identity"`
	Token        string   `help:"Product token matched in robots.txt (default heed)." placeholder:"NAME" group:"Identity"`
	Purpose      []string `help:"index, answer, train, act; retrieve is index,answer (default). Repeat or comma list." sep:"none" placeholder:"LIST" group:"Identity"`
	Delay        string   `help:"Pause between requests to a host (default 1s)." placeholder:"TIME" group:"Pace"`
	PerHost      string   `help:"Requests in flight to a host (default 1)." placeholder:"N" group:"Pace"`
	Patience     string   `help:"Longest wait for a host: 5m for crawl, 20s for fetch." placeholder:"TIME" group:"Pace"`
	Timeout      string   `help:"Longest time of one fetch (default 60s)." placeholder:"TIME" group:"Network"`
	Retries      string   `help:"Attempts after the first (default 3)." placeholder:"N" group:"Network"`
	MaxRedirects string   `help:"Redirects followed (default 5)." placeholder:"N" group:"Network"`
	MaxBody      string   `help:"Largest body, decoded (default 16MiB)." placeholder:"SIZE" group:"Network"`
	Resolve      []string `help:"HOST:PORT:ADDR[:PORT], as in curl; HOST may be *.suffix or *. Repeatable." sep:"none" placeholder:"RULE" group:"Network"`
	Proxy        string   `help:"http://HOST:PORT or socks5://HOST:PORT that everything goes through; heed still resolves and vets names itself. A password belongs into HEED_PROXY." placeholder:"URL" group:"Network"`
	AllowAddress []string `help:"Open the address guard for a range, any port. Repeatable." sep:"none" placeholder:"CIDR" group:"Network"`
	CAFile       []string `name:"ca-file" help:"Trust the authorities of a PEM file, too. Repeatable." sep:"none" placeholder:"PEM" group:"Network"`
	NowOffset    string   `help:"Move the clock, for tests; needs --allow-address." placeholder:"TIME" group:"Network"`
	Registry     []string `help:"Origin of a consent-card registry to believe. Repeatable." sep:"none" placeholder:"URL" group:"Identity"`
	Archive      string   `help:"warc (default) or none." placeholder:"KIND" group:"Job"`
	CommitWindow string   `help:"Longest time a result waits for its commit (default 500ms)." placeholder:"TIME" group:"Job"`
	MinFree      string   `help:"Stop when less disk space is free." placeholder:"SIZE" group:"Job"`
}

// idleFlags are netFlags where nothing is asked for. They are taken, so that one set
// of flags serves every command of a job, and change nothing.
type idleFlags struct {
	Contact      string   `hidden:""`
	UserAgent    string   `hidden:""`
	Token        string   `hidden:""`
	Purpose      []string `sep:"none" hidden:""`
	Delay        string   `hidden:""`
	PerHost      string   `hidden:""`
	Patience     string   `hidden:""`
	Timeout      string   `hidden:""`
	Retries      string   `hidden:""`
	MaxRedirects string   `hidden:""`
	MaxBody      string   `hidden:""`
	Resolve      []string `sep:"none" hidden:""`
	Proxy        string   `hidden:""`
	AllowAddress []string `sep:"none" hidden:""`
	CAFile       []string `name:"ca-file" sep:"none" hidden:""`
	NowOffset    string   `hidden:""`
	Registry     []string `sep:"none" hidden:""`
	Archive      string   `hidden:""`
	CommitWindow string   `hidden:""`
	MinFree      string   `hidden:""`
}
