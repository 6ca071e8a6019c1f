package main

// commands is the command line. Flags are read as text: the settings know what
// they mean, wherever they come from.
type commands struct {
	Serve      serveVerb      `cmd:"" help:"Serve the registry until it is told to stop."`
	Publisher  publisherVerb  `cmd:"" help:"Add, list and end publishers."`
	Owner      ownerVerb      `cmd:"" help:"Act for the owner of a domain."`
	Check      checkVerb      `cmd:"" help:"Look for the proof of a domain now."`
	Export     exportVerb     `cmd:"" help:"Write publishers, cards and proofs, one JSON object a line. Keep it like the state file."`
	Import     importVerb     `cmd:"" help:"Read what export wrote."`
	Verify     verifyVerb     `cmd:"" help:"Check everything that is stored against itself."`
	Backup     backupVerb     `cmd:"" help:"Copy the state file, beside a running server or without one."`
	Status     statusVerb     `cmd:"" help:"Show how the running server stands."`
	Config     configVerb     `cmd:"" help:"Check or print the settings."`
	Completion completionVerb `cmd:"" help:"Print the shell's completion set-up."`
	Version    versionVerb    `cmd:"" help:"Print the version."`
}

// dataFlags say which registry, and how to talk about it.
type dataFlags struct {
	Config    string `help:"YAML file with settings." placeholder:"FILE" group:"Registry"`
	Data      string `help:"Folder of the registry (default heed-registry-data)." placeholder:"DIR" group:"Registry"`
	LogLevel  string `help:"debug, info, warn or error." placeholder:"LEVEL" group:"Output"`
	LogFormat string `help:"text or json." placeholder:"FORMAT" group:"Output"`
}

// proofFlags say how proofs are looked for.
type proofFlags struct {
	Contact      string   `help:"URL or mailto: of whoever answers for the checks (default the public URL)." placeholder:"URL" group:"Proof"`
	Resolver     string   `help:"DNS resolver ADDR[:PORT] or tls://ADDR[:PORT] (default the system's)." placeholder:"ADDR" group:"Proof"`
	Resolve      []string `help:"HOST:PORT:ADDR[:PORT], as in curl; HOST may be *.suffix or *. Repeatable." sep:"none" placeholder:"RULE" group:"Proof"`
	AllowAddress []string `help:"Open the address guard for a range, any port. Repeatable." sep:"none" placeholder:"CIDR" group:"Proof"`
	CAFile       []string `name:"ca-file" help:"Trust the authorities of a PEM file, too. Repeatable." sep:"none" placeholder:"PEM" group:"Proof"`
	NowOffset    string   `help:"Move the clock, for tests; needs --allow-address." placeholder:"TIME" group:"Proof"`
}

// serveFlags say where the registry is and how much it bears.
type serveFlags struct {
	Listen       string   `help:"Public address (default 127.0.0.1:8470)." placeholder:"ADDR" group:"Server"`
	PublicURL    string   `name:"public-url" help:"URL as readers know it (default the address)." placeholder:"URL" group:"Server"`
	Name         string   `help:"Name of the registry." placeholder:"TEXT" group:"Server"`
	TLSCert      string   `name:"tls-cert" help:"Certificate with its chain. Read again when it changes." placeholder:"PEM" group:"Server"`
	TLSKey       string   `name:"tls-key" help:"Key of the certificate." placeholder:"PEM" group:"Server"`
	PlainHTTP    bool     `name:"plain-http" help:"No TLS: behind a proxy that has it, or on loopback." group:"Server"`
	AdminListen  string   `help:"Address of metrics and administration, beside the socket. Away from loopback metrics only." placeholder:"ADDR" group:"Server"`
	Rate         string   `help:"Reads of one address, like 120/m (default) or 2/s; 0 is no limit." placeholder:"RATE" group:"Limits"`
	WriteRate    string   `help:"Writes of one publisher (default 6000/m); 0 is no limit." placeholder:"RATE" group:"Limits"`
	TrustedProxy []string `help:"Range whose X-Forwarded-For counts. Repeatable." sep:"none" placeholder:"CIDR" group:"Limits"`
}
