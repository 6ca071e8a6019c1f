package fetch

import (
	"errors"
	"net"
	"net/url"
	"strconv"
)

// Proxy is a server of the operator that every connection goes through. It prints
// without its credentials.
type Proxy struct {
	scheme   string // proxyHTTP or proxySOCKS
	address  string // host and port
	login    bool   // user and password are sent
	user     string
	password string
}

const (
	proxyHTTP  = "http"
	proxySOCKS = "socks5"
)

// maxLogin is how long user and password may be each, RFC 1929 2.
const maxLogin = 255

// ParseProxy reads http://[USER:PASSWORD@]HOST[:PORT] or socks5://…, ports 80 and
// 1080 where none is given. Its errors repeat nothing of the text, which may hold a
// password.
func ParseProxy(text string) (*Proxy, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("fetch: proxy: not a URL, want http://HOST:PORT or socks5://HOST:PORT")
	case u.Scheme != proxyHTTP && u.Scheme != proxySOCKS:
		return nil, errors.New("fetch: proxy: scheme is neither http nor socks5")
	case u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("fetch: proxy: want a host and a port, and nothing behind them")
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{proxyHTTP: "80", proxySOCKS: "1080"}[u.Scheme]
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return nil, errors.New("fetch: proxy: not a port")
	}
	p := &Proxy{scheme: u.Scheme, address: net.JoinHostPort(u.Hostname(), port)}
	if u.User != nil {
		p.login, p.user = true, u.User.Username()
		p.password, _ = u.User.Password()
		if p.user == "" || len(p.user) > maxLogin || len(p.password) > maxLogin {
			return nil, errors.New("fetch: proxy: user and password have 1 to 255 octets each")
		}
	}
	return p, nil
}

// String is the URL of the proxy without user and password.
func (p *Proxy) String() string { return p.scheme + "://" + p.address }

// GoString keeps the credentials out of %#v, too.
func (p *Proxy) GoString() string { return p.String() }
