package config

// Rule is what the operator says about a host. It may tighten freely; what
// loosens (Ignore, AllowMethods, a Delay below one second, PerHost above 1)
// needs Because, Since and a host that is not a wildcard over a whole
// top-level domain. A delay that a site asks for wins upwards all the same.
type Rule struct {
	Host         string    `yaml:"host"` // exact, "*.suffix" for names below it, "*" for all
	Deny         bool      `yaml:"deny,omitempty"`
	Delay        *Duration `yaml:"delay,omitempty"`
	PerHost      int       `yaml:"per_host,omitempty"`    // 0: not set
	Ignore       []string  `yaml:"ignore,flow,omitempty"` // sources of the decision
	AllowMethods []string  `yaml:"allow_methods,flow,omitempty"`
	Because      string    `yaml:"because,omitempty"`
	Since        Date      `yaml:"since,omitempty"`
}

// Loosens tells whether the rule allows more than the defaults and the site's
// own words do.
func (r Rule) Loosens() bool {
	return len(r.Ignore) > 0 || len(r.AllowMethods) > 0 || r.PerHost > 1 ||
		r.Delay != nil && r.Delay.Std() < minDelay
}

// Silent lets the silence of all signals about a purpose count as permission.
type Silent struct {
	Purpose string `yaml:"purpose"` // train
	Because string `yaml:"because"`
	Since   Date   `yaml:"since"`
}

// Act lists the hosts at which state-changing requests are enabled.
type Act struct {
	Hosts []ActHost `yaml:"hosts"`
}

// ActHost enables act for one host, exactly as spelt.
type ActHost struct {
	Host    string `yaml:"host"`
	Because string `yaml:"because"`
	Since   Date   `yaml:"since"`
}

// Pair accepts a context file of another origin (LC-107).
type Pair struct {
	From string `yaml:"from"` // the advertising origin, like https://shop.example
	To   string `yaml:"to"`   // the origin of the context file
}
