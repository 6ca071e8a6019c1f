package settings

import (
	"net/netip"
	"reflect"
	"strings"

	"heed/config"
)

// Settings is everything that can be set. The yaml tag is the key.
type Settings struct {
	Data         string          `yaml:"data"`          // folder of state file, write log and socket
	Listen       string          `yaml:"listen"`        // public address
	PublicURL    string          `yaml:"public_url"`    // as readers know the registry; "" means by its address
	Name         string          `yaml:"name"`          // of the registry, for people
	TLSCert      string          `yaml:"tls_cert"`      // PEM file, with the chain
	TLSKey       string          `yaml:"tls_key"`       // PEM file
	PlainHTTP    bool            `yaml:"plain_http"`    // no TLS: behind a proxy, or on loopback
	AdminListen  string          `yaml:"admin_listen"`  // address of metrics and administration; "" for the socket alone
	Rate         Rate            `yaml:"rate"`          // anonymous reads of one address
	WriteRate    Rate            `yaml:"write_rate"`    // writes of one publisher; a check counts ten
	TrustedProxy []netip.Prefix  `yaml:"trusted_proxy"` // whose X-Forwarded-For counts
	Contact      string          `yaml:"contact"`       // URL or mailto: in the User-Agent of proof checks
	Resolver     string          `yaml:"resolver"`      // ADDR[:PORT] of a DNS resolver, tls://ADDR[:PORT]; "" for the system's
	Resolve      []string        `yaml:"resolve"`       // HOST:PORT:ADDR[:PORT], for proof checks
	AllowAddress []netip.Prefix  `yaml:"allow_address"` // opens the address guard of proof checks
	CAFile       []string        `yaml:"ca_file"`       // trusted beside the system's authorities
	NowOffset    config.Duration `yaml:"now_offset"`    // moves the clock, for tests
	LogLevel     string          `yaml:"log_level"`     // debug, info, warn, error
	LogFormat    string          `yaml:"log_format"`    // text, json
}

// Default is what holds where no layer says otherwise.
func Default() Settings {
	return Settings{
		Data:         "heed-registry-data",
		Listen:       "127.0.0.1:8470",
		Name:         "Consent-card registry",
		Rate:         120,
		WriteRate:    6000,
		TrustedProxy: []netip.Prefix{},
		Resolve:      []string{},
		AllowAddress: []netip.Prefix{},
		CAFile:       []string{},
		LogLevel:     "info",
		LogFormat:    "text",
	}
}

// Keys lists every key in the order of the struct.
func Keys() []string {
	t := reflect.TypeFor[Settings]()
	keys := make([]string, t.NumField())
	for i := range keys {
		keys[i] = t.Field(i).Tag.Get("yaml")
	}
	return keys
}

// fieldOf returns the index of the field of a key.
func fieldOf(key string) (int, bool) {
	t := reflect.TypeFor[Settings]()
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("yaml") == key {
			return i, true
		}
	}
	return 0, false
}

// envOf is the name of the variable that sets a key.
func envOf(key string) string { return envPrefix + strings.ToUpper(key) }

// flagOf is the name of the flag that sets a key.
func flagOf(key string) string { return "--" + strings.ReplaceAll(key, "_", "-") }
