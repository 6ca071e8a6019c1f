package settings

import (
	"log/slog"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"heed/config"
)

// maxNameBytes bounds the registry's name, maxURLBytes its URL and its contact.
const (
	maxNameBytes = 200
	maxURLBytes  = 1024
)

// check finds the first fault of values that are well-formed each by itself.
func (s *Settings) check() *config.Error {
	bad := func(key, value, problem, remedy string) *config.Error {
		return &config.Error{Key: key, Value: value, Problem: problem, Remedy: remedy}
	}
	var level slog.Level
	switch {
	case s.Data == "":
		return bad("data", "", "is empty", "name a folder")
	case !isListenAddress(s.Listen):
		return bad("listen", s.Listen, "is not an address to listen on", "write HOST:PORT or :PORT")
	case s.AdminListen != "" && !isListenAddress(s.AdminListen):
		return bad("admin_listen", s.AdminListen, "is not an address to listen on", "write HOST:PORT or :PORT")
	case s.AdminListen != "" && samePlace(s.AdminListen, s.Listen):
		return bad("admin_listen", s.AdminListen, "is the public address", "administration is never public: choose another one")
	case s.Name == "" || len(s.Name) > maxNameBytes:
		return bad("name", "", "is empty or longer than "+strconv.Itoa(maxNameBytes)+" octets", "give the registry a short name")
	case !isPublicURL(s.PublicURL):
		return bad("public_url", s.PublicURL, "is not an https URL without query and fragment", "write it like https://registry.example; http is for loopback")
	case (s.TLSCert == "") != (s.TLSKey == ""):
		return bad(alone(s))
	case s.TLSCert != "" && s.PlainHTTP:
		return bad("plain_http", "", "contradicts tls_cert", "choose one")
	case !isContact(s.Contact):
		return bad("contact", s.Contact, "is neither an https URL nor a mailto: address", "")
	case !isResolver(s.Resolver):
		return bad("resolver", s.Resolver, "is not the address of a resolver", "write ADDR, ADDR:PORT or tls://ADDR, with ADDR as numbers")
	case s.NowOffset != 0 && len(s.AllowAddress) == 0:
		return bad("now_offset", s.NowOffset.String(), "moves the clock", "that is for tests, which open a range with --allow-address")
	case level.UnmarshalText([]byte(s.LogLevel)) != nil || s.LogLevel != strings.ToLower(s.LogLevel):
		return bad("log_level", s.LogLevel, "is not a level", "write debug, info, warn or error")
	case !slices.Contains([]string{"text", "json"}, s.LogFormat):
		return bad("log_format", s.LogFormat, "is not a format", "write text or json")
	}
	return nil
}

// CheckServe finds what is missing to serve.
func (s Settings) CheckServe() error {
	if s.TLSCert == "" && !s.PlainHTTP {
		return &config.Error{Key: "tls_cert", Problem: "is not set: readers expect https",
			Remedy: "give --tls-cert and --tls-key, or --plain-http behind a proxy that has them"}
	}
	return nil
}

// BaseURL is the public URL, without a final slash. Without one it is that of
// the address, for trying things out.
func (s Settings) BaseURL() string {
	if s.PublicURL != "" {
		return strings.TrimSuffix(s.PublicURL, "/")
	}
	host, port, _ := net.SplitHostPort(s.Listen) // validated
	if host == "" {
		host = "localhost"
	}
	scheme := "https"
	if s.PlainHTTP {
		scheme = "http"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}

// alone is what to say about a certificate without key, or a key without
// certificate.
func alone(s *Settings) (key, value, problem, remedy string) {
	key, value, other := "tls_cert", s.TLSCert, "tls_key"
	if value == "" {
		key, value, other = "tls_key", s.TLSKey, "tls_cert"
	}
	return key, value, "needs " + other + " besides", "certificate and key belong together"
}

func isListenAddress(text string) bool {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// samePlace tells whether two addresses would meet. Port 0 is a new one each
// time.
func samePlace(a, b string) bool {
	hostA, portA, _ := net.SplitHostPort(a)
	hostB, portB, _ := net.SplitHostPort(b)
	return portA == portB && portA != "0" && (hostA == hostB || isEverywhere(hostA) || isEverywhere(hostB))
}

func isEverywhere(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "" || err == nil && addr.IsUnspecified()
}

func isPublicURL(text string) bool {
	if text == "" {
		return true
	}
	u, err := url.Parse(text)
	if err != nil || len(text) > maxURLBytes || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

func isContact(text string) bool {
	if address, ok := strings.CutPrefix(text, "mailto:"); ok {
		parsed, err := mail.ParseAddress(address)
		return err == nil && parsed.Address == address && len(text) <= maxURLBytes
	}
	u, err := url.Parse(text)
	return text == "" || err == nil && len(text) <= maxURLBytes && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

func isResolver(text string) bool {
	if text == "" {
		return true
	}
	text = strings.TrimPrefix(text, "tls://")
	if _, err := netip.ParseAddr(text); err == nil {
		return true
	}
	_, err := netip.ParseAddrPort(text)
	return err == nil
}
