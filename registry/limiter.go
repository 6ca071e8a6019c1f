package registry

import (
	"math"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Prices in tenths of a read (BC-R-908).
const (
	priceRead        = 10
	priceNotModified = 1
)

// maxBuckets bounds the addresses that are remembered, at about 100 octets.
const maxBuckets = 1 << 16

// limiter is one token bucket for each key: for readers the client address, for
// writers the publisher. A bucket that is full again is forgotten, and nothing
// else is ever kept of a reader (BC-R-036).
type limiter[K comparable] struct {
	perMinute int // requests of full price, 0 for no limit
	clock     func() time.Time

	mu      sync.Mutex
	buckets map[K]bucket
	swept   time.Time
}

type bucket struct {
	tenths float64
	at     time.Time
}

func newLimiter[K comparable](perMinute int, clock func() time.Time) *limiter[K] {
	return &limiter[K]{perMinute: perMinute, clock: clock, buckets: make(map[K]bucket)}
}

// allowance is the answer of the limiter.
type allowance struct {
	ok        bool
	remaining int           // whole reads
	wait      time.Duration // until the next read, if not ok
}

// spend takes a price from the bucket of a key. Without enough in it
// nothing is taken, unless debt is allowed, which serves the second part of a
// price whose first part was paid.
func (l *limiter[K]) spend(who K, price float64, debt bool) allowance {
	if l.perMinute == 0 {
		return allowance{ok: true}
	}
	full := float64(l.perMinute * priceRead)
	now := l.clock()
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.filled(who, now, full)
	if b.tenths < price && !debt {
		missing := (price - b.tenths) / full * float64(time.Minute)
		return allowance{wait: time.Duration(math.Ceil(missing))}
	}
	b.tenths -= price
	if _, known := l.buckets[who]; !known && len(l.buckets) >= maxBuckets {
		l.evict(now, full)
	}
	l.buckets[who] = b
	return allowance{ok: true, remaining: int(max(b.tenths, 0)) / priceRead}
}

// filled is the bucket of a key with what has flown in since.
func (l *limiter[K]) filled(who K, now time.Time, full float64) bucket {
	b, known := l.buckets[who]
	if !known {
		return bucket{full, now}
	}
	if passed := now.Sub(b.at); passed > 0 {
		b.tenths = min(full, b.tenths+passed.Minutes()*full)
	}
	b.at = now
	return b
}

// evict makes room: full buckets go, and one more if there is none.
func (l *limiter[K]) evict(now time.Time, full float64) {
	if now.Sub(l.swept) >= time.Second {
		l.sweep(now, full)
	}
	for who := range l.buckets {
		if len(l.buckets) < maxBuckets {
			return
		}
		delete(l.buckets, who)
	}
}

func (l *limiter[K]) sweep(now time.Time, full float64) {
	l.swept = now
	for who := range l.buckets {
		if l.filled(who, now, full).tenths >= full {
			delete(l.buckets, who)
		}
	}
}

// forget drops the buckets that are full again.
func (l *limiter[K]) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sweep(l.clock(), float64(l.perMinute*priceRead))
}

// resetSeconds is when a bucket with that many reads left is full again.
func (l *limiter[K]) resetSeconds(remaining int) int {
	return int(math.Ceil(float64(l.perMinute-remaining) / float64(l.perMinute) * 60))
}

// client is the address that pays for a request: the peer, or what trusted
// proxies say of it. IPv6 addresses count by /64, because a reader has all of
// one. What cannot be read shares the bucket of the zero prefix.
func client(r *http.Request, trusted []netip.Prefix) netip.Prefix {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Prefix{}
	}
	if len(trusted) > 0 {
		addr = forwarded(addr, r.Header["X-Forwarded-For"], trusted)
	}
	addr = addr.Unmap().WithZone("")
	bits := 32
	if addr.Is6() {
		bits = 64
	}
	prefix, _ := addr.Prefix(bits) // the length fits the family
	return prefix
}

// forwarded walks the list from the nearest proxy outwards, as long as the one
// who added an address is trusted.
func forwarded(addr netip.Addr, fields []string, trusted []netip.Prefix) netip.Addr {
	list := strings.Split(strings.Join(fields, ","), ",")
	for _, entry := range slices.Backward(list) {
		known := addr.Unmap()
		if !slices.ContainsFunc(trusted, func(p netip.Prefix) bool { return p.Contains(known) }) {
			return addr
		}
		next, err := netip.ParseAddr(strings.TrimSpace(entry))
		if err != nil {
			return addr
		}
		addr = next
	}
	return addr
}

// reader wraps the handler of a read: it pays, and answers 429 when it cannot.
// A conditional request pays the price of a 304 first and the rest only if the
// answer turns out to be a whole one.
func (s *Server) reader(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["X-Content-Type-Options"] = noSniff
		if s.limiter.perMinute == 0 {
			next.ServeHTTP(w, r)
			return
		}
		who := client(r, s.o.TrustedProxies)
		price := float64(priceRead)
		conditional := r.Header.Get("If-None-Match") != ""
		if conditional {
			price = priceNotModified
		}
		a := s.limiter.spend(who, price, false)
		h["Ratelimit-Limit"] = []string{strconv.Itoa(s.limiter.perMinute)}
		h["Ratelimit-Remaining"] = []string{strconv.Itoa(a.remaining)}
		h["Ratelimit-Reset"] = []string{strconv.Itoa(s.limiter.resetSeconds(a.remaining))}
		if !a.ok {
			s.counts.limited.Add(1)
			p := refuse(http.StatusTooManyRequests, "rate-limited", "too many reads from this address")
			p.retry = max(1, int(math.Ceil(a.wait.Seconds())))
			p.write(w, s.docs)
			return
		}
		if !conditional {
			next.ServeHTTP(w, r)
			return
		}
		watch := &statusWatch{ResponseWriter: w}
		next.ServeHTTP(watch, r)
		if watch.status != http.StatusNotModified {
			s.limiter.spend(who, priceRead-priceNotModified, true)
		}
	})
}

// Shared by all answers and never changed.
var (
	anyOrigin = []string{"*"}
	noSniff   = []string{"nosniff"}
)

// statusWatch notes the status of an answer.
type statusWatch struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (s *statusWatch) WriteHeader(status int) {
	s.status = status
	s.ResponseWriter.WriteHeader(status)
}

// Unwrap serves http.ResponseController.
func (s *statusWatch) Unwrap() http.ResponseWriter { return s.ResponseWriter }
