package admin

import (
	"net"
	"net/http"
	"net/netip"
)

// Guard refuses what a browser may have been tricked into: requests that name
// an origin, or reach the address by a name that is not its own (DNS
// rebinding). listen is the address as configured; its host is an own name.
func Guard(listen string, next http.Handler) http.Handler {
	own := hostOf(listen)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r.Host)
		_, err := netip.ParseAddr(host)
		if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" && r.Header.Get("Sec-Fetch-Site") != "none" ||
			err != nil && host != "localhost" && (host != own || own == "") {
			http.Error(w, "browsers are refused here", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func hostOf(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return hostport
	}
	return host
}
