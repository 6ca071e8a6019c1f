package config

import (
	"net/url"
	"strings"
)

// Proxy is the URL of a proxy. It may carry a user and a password, which are never
// written or shown: [Config.YAML] leaves them out, and errors do not repeat it.
type Proxy string

// MarshalYAML writes the URL without user and password.
func (p Proxy) MarshalYAML() (any, error) {
	u, err := url.Parse(string(p))
	if err != nil {
		return "", nil // Validate has refused it; part of a password is no better than all
	}
	u.User = nil
	return u.String(), nil
}

// String is the URL without user and password.
func (p Proxy) String() string {
	text, _ := p.MarshalYAML()
	return text.(string)
}

// GoString keeps the credentials out of %#v, too.
func (p Proxy) GoString() string { return p.String() }

// mayHoldSecret tells whether the value of a key, and its line, must not be repeated.
func mayHoldSecret(key string) bool { return key == "contact" || key == "proxy" }

func (c Config) checkProxy() *Error {
	if c.Proxy == "" {
		return nil
	}
	u, err := url.Parse(string(c.Proxy))
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "socks5", u.Hostname() == "", u.Port() != "" && !isPort(u.Port()),
		strings.TrimSuffix(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return bad("proxy", "", "is not the URL of a proxy", "use http://[USER:PASSWORD@]HOST:PORT or socks5://…")
	}
	return nil
}
