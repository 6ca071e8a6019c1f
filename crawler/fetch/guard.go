package fetch

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// guard says which address and port may be dialled. Default deny: IPv4 outside
// the special-purpose blocks, IPv6 only inside 2000::/3 and outside them, ports
// 80 and 443. Ranges of allow are open on any port.
type guard struct {
	allow   []netip.Prefix
	v4, v6  []block
	global6 netip.Prefix // 2000::/3, all that IANA has given out for global unicast
	nat64   netip.Prefix // 64:ff9b::/96, RFC 6052: the address is the embedded IPv4 one

	interfaces func() ([]net.Addr, error)
	clock      func() time.Time
	mu         sync.Mutex // guards own and ownUntil
	own        map[netip.Addr]struct{}
	ownUntil   time.Time
}

// ownAddressLife is how long the list of our interfaces' addresses is believed.
// Reading it costs some system calls, and interfaces seldom change.
const ownAddressLife = 30 * time.Second

func newGuard(allow []netip.Prefix, clock func() time.Time) (*guard, error) {
	blocks, err := specialBlocks()
	if err != nil {
		return nil, err
	}
	g := &guard{
		global6:    netip.MustParsePrefix("2000::/3"),
		nat64:      netip.MustParsePrefix("64:ff9b::/96"),
		interfaces: net.InterfaceAddrs,
		clock:      clock,
	}
	for _, b := range blocks {
		if b.prefix.Addr().Is4() {
			g.v4 = append(g.v4, b)
		} else {
			g.v6 = append(g.v6, b)
		}
	}
	for _, p := range allow {
		if !p.IsValid() {
			return nil, fmt.Errorf("fetch: new: Options.AllowAddress has an invalid prefix")
		}
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		g.allow = append(g.allow, p.Masked())
	}
	return g, nil
}

// plain brings an address into the form in which it is compared: an
// IPv4-mapped one is the IPv4 address it stands for, and a zone is dropped, or
// "::1%lo" would slip past ::1/128.
func plain(a netip.Addr) netip.Addr { return a.WithZone("").Unmap() }

// open reports whether a lies in a range opened by the operator.
func (g *guard) open(a netip.Addr) bool {
	a = plain(a)
	for _, p := range g.allow {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// vet returns nil if the address may be dialled on the port, else a *fault that
// names range and document but not the address.
func (g *guard) vet(ap netip.AddrPort) error {
	if !ap.Addr().IsValid() {
		return &fault{kind: KindAddress, reason: "not an IP address"}
	}
	if g.open(ap.Addr()) {
		return nil
	}
	if err := g.vetAddress(plain(ap.Addr())); err != nil {
		return err
	}
	return vetPort(ap.Port())
}

func vetPort(port uint16) error {
	if port != 80 && port != 443 {
		return &fault{kind: KindPort, reason: fmt.Sprintf("port %d is neither 80 nor 443", port)}
	}
	return nil
}

func (g *guard) vetAddress(a netip.Addr) error {
	if a.Is4() {
		if b := lookup(g.v4, a); b != nil {
			return refused(b.name)
		}
		return g.vetOwn(a)
	}
	if g.nat64.Contains(a) {
		// On an IPv6-only network DNS64 answers with such addresses for ordinary
		// sites; they are as good as the IPv4 address inside.
		b := a.As16()
		if err := g.vetAddress(netip.AddrFrom4([4]byte(b[12:]))); err != nil {
			return refused("IPv4-IPv6 Translat. (RFC6052) of a refused IPv4 address")
		}
		return nil
	}
	if b := lookup(g.v6, a); b != nil {
		return refused(b.name)
	}
	if b := a.As16(); !g.global6.Contains(a) {
		if [12]byte(b[:12]) == [12]byte{} {
			return refused("IPv4-Compatible IPv6 Address (RFC4291, Section 2.5.5.1)")
		}
		return refused("outside 2000::/3, Global Unicast (RFC4291, Section 2.4)")
	}
	return g.vetOwn(a)
}

// vetOwn refuses addresses of our own interfaces: a public address of this
// machine leads to services that are not meant for the outside. If the list
// cannot be read, the address is refused.
func (g *guard) vetOwn(a netip.Addr) error {
	own, err := g.ownAddresses()
	if err != nil {
		return &fault{kind: KindAddress, reason: "own interface addresses are unknown", err: err}
	}
	if _, is := own[a]; is {
		return refused("an interface of this machine")
	}
	return nil
}

func (g *guard) ownAddresses() (map[netip.Addr]struct{}, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.clock()
	if g.own != nil && now.Before(g.ownUntil) {
		return g.own, nil
	}
	addrs, err := g.interfaces()
	if err != nil {
		return nil, err
	}
	own := make(map[netip.Addr]struct{}, len(addrs))
	for _, a := range addrs {
		text, _, _ := strings.Cut(a.String(), "/")
		if ip, err := netip.ParseAddr(text); err == nil {
			own[plain(ip)] = struct{}{}
		}
	}
	g.own, g.ownUntil = own, now.Add(ownAddressLife)
	return own, nil
}

func refused(name string) error {
	return &fault{kind: KindAddress, reason: "not a public address: " + name}
}

// lookup returns the longest block that contains a, so that the reason is the
// most exact one, or nil.
func lookup(blocks []block, a netip.Addr) *block {
	var best *block
	for i := range blocks {
		b := &blocks[i]
		if b.prefix.Contains(a) && (best == nil || b.prefix.Bits() > best.prefix.Bits()) {
			best = b
		}
	}
	return best
}
