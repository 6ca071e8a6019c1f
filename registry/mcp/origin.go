package mcp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
)

// sameOrigin refuses requests that a browser sends for a page of another
// origin. Programs send no Origin. A page on this machine may call a registry
// that listens on this machine.
func sameOrigin(publicURL string, next http.Handler) http.Handler {
	own := originOf(publicURL)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if origin == "" || origin == own && own != "" || isLocal(r) && isLoopbackOrigin(origin) {
			next.ServeHTTP(w, r)
			return
		}
		http.Error(w, "requests of other origins are refused", http.StatusForbidden)
	})
}

// originOf returns scheme and authority as a browser writes them, "" if there
// are none.
func originOf(rawurl string) string {
	u, err := url.Parse(rawurl)
	if err != nil || u.Scheme == "" || u.Host == "" {
		return ""
	}
	if port := u.Port(); port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		u.Host = u.Host[:len(u.Host)-len(port)-1]
	}
	return u.Scheme + "://" + u.Host
}

func isLocal(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return ok && isLoopback(hostOf(local.String()))
}

func isLoopbackOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && isLoopback(u.Hostname())
}

func hostOf(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return hostport
	}
	return host
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}
