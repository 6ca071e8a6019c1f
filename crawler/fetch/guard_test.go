package fetch

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func newTestGuard(t testing.TB, allow ...string) *guard {
	t.Helper()
	var prefixes []netip.Prefix
	for _, s := range allow {
		prefixes = append(prefixes, netip.MustParsePrefix(s))
	}
	g, err := newGuard(prefixes, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	g.interfaces = func() ([]net.Addr, error) {
		return []net.Addr{&net.IPNet{IP: net.ParseIP("8.8.4.4"), Mask: net.CIDRMask(24, 32)}, &net.IPAddr{IP: net.ParseIP("2606:4700::9")}}, nil
	}
	return g
}

func TestAddressesThatMayNotBeDialled(t *testing.T) {
	g := newTestGuard(t)
	for addr, want := range map[string]string{
		"0.0.0.0":              "RFC1122",
		"0.1.2.3":              "RFC791",
		"10.0.0.1":             "Private-Use (RFC1918)",
		"100.64.0.1":           "RFC6598",
		"100.100.100.200":      "RFC6598",
		"127.0.0.1":            "Loopback (RFC1122, Section 3.2.1.3)",
		"127.255.255.255":      "Loopback",
		"169.254.169.254":      "Link Local (RFC3927)",
		"172.16.0.1":           "RFC1918",
		"172.31.255.255":       "RFC1918",
		"192.0.0.1":            "RFC7335",
		"192.0.0.9":            "RFC6890",
		"192.0.0.170":          "RFC8880 RFC7050",
		"192.0.0.171":          "RFC8880",
		"192.0.2.1":            "RFC5737",
		"192.88.99.1":          "RFC7526",
		"192.168.1.1":          "RFC1918",
		"198.18.0.1":           "RFC2544",
		"198.51.100.1":         "RFC5737",
		"203.0.113.1":          "RFC5737",
		"224.0.0.1":            "Multicast (RFC5771)",
		"239.255.255.250":      "Multicast",
		"240.0.0.1":            "RFC1112",
		"255.255.255.255":      "RFC8190 RFC919, Section 7",
		"168.63.129.16":        "Cloud",
		"8.8.4.4":              "an interface of this machine",
		"2606:4700::9":         "an interface of this machine",
		"::":                   "Unspecified Address (RFC4291)",
		"::1":                  "Loopback Address (RFC4291)",
		"::1%lo":               "Loopback Address",
		"::ffff:127.0.0.1":     "Loopback",
		"::ffff:10.0.0.1%eth0": "RFC1918",
		"::127.0.0.1":          "IPv4-Compatible",
		"::8.8.8.8":            "IPv4-Compatible",
		"64:ff9b::127.0.0.1":   "RFC6052",
		"64:ff9b::10.1.2.3":    "RFC6052",
		"64:ff9b::8.8.4.4":     "RFC6052",
		"64:ff9b:1::8.8.8.8":   "RFC8215",
		"100::1":               "RFC6666",
		"100:0:0:1::1":         "RFC9780",
		"2001::1":              "TEREDO",
		"2001:1::1":            "RFC2928",
		"2001:2::1":            "RFC5180",
		"2001:10::1":           "RFC4843",
		"2001:20::1":           "RFC2928",
		"2001:db8::1":          "RFC3849",
		"2002:7f00:1::":        "6to4",
		"2002:808:808::1":      "6to4",
		"3fff::1":              "RFC9637",
		"4000::1":              "outside 2000::/3",
		"5f00::1":              "RFC9602",
		"fc00::1":              "RFC4193",
		"fd00:ec2::254":        "RFC4193",
		"fe80::1%eth0":         "Link-Local Unicast (RFC4291)",
		"fec0::1":              "Site-Local",
		"ff02::1":              "Multicast",
	} {
		err := g.vet(netip.AddrPortFrom(netip.MustParseAddr(addr), 443))
		var f *fault
		if !errors.As(err, &f) || f.kind != KindAddress {
			t.Errorf("%s: %v, want a refusal", addr, err)
			continue
		}
		if !strings.Contains(f.reason, want) {
			t.Errorf("%s: reason %q, want it to name %q", addr, f.reason, want)
		}
		if strings.Contains(f.Error(), strings.Split(addr, "%")[0]) && len(addr) > 4 {
			t.Errorf("%s: %q shows the address", addr, f.Error())
		}
	}
	if err := g.vet(netip.AddrPort{}); err == nil {
		t.Error("an invalid address passed")
	}
}

func TestAddressesThatMayBeDialled(t *testing.T) {
	g := newTestGuard(t)
	for _, addr := range []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "192.52.193.1", "2606:4700::1", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"} {
		for _, port := range []uint16{80, 443} {
			if err := g.vet(netip.AddrPortFrom(netip.MustParseAddr(addr), port)); err != nil {
				t.Errorf("%s port %d: %v", addr, port, err)
			}
		}
		for _, port := range []uint16{0, 22, 25, 8080, 65535} {
			if err := g.vet(netip.AddrPortFrom(netip.MustParseAddr(addr), port)); err == nil || err.(*fault).kind != KindPort {
				t.Errorf("%s port %d: %v, want a refusal", addr, port, err)
			}
		}
	}
}

func TestAnOpenedRangeIsOpenOnAnyPortAndNothingElseIs(t *testing.T) {
	g := newTestGuard(t, "127.0.0.8/29", "fd00::/8", "::ffff:10.0.0.0/104")
	for addr, open := range map[string]bool{
		"127.0.0.8": true, "127.0.0.15": true, "::ffff:127.0.0.9": true, "fd12::1": true, "fd12::1%eth0": true, "10.9.9.9": true,
		"127.0.0.7": false, "127.0.0.16": false, "64:ff9b::127.0.0.9": false, "2002:7f00:9::": false, "fc00::1": false, "::127.0.0.9": false,
	} {
		a := netip.MustParseAddr(addr)
		if got := g.vet(netip.AddrPortFrom(a, 8443)) == nil; got != open || g.open(a) != open {
			t.Errorf("%s: allowed %v, open %v, want %v", addr, got, g.open(a), open)
		}
	}
}

func TestUnknownInterfacesRefuseEverything(t *testing.T) {
	g := newTestGuard(t)
	g.interfaces = func() ([]net.Addr, error) { return nil, errors.New("no permission") }
	if err := g.vet(netip.MustParseAddrPort("8.8.8.8:443")); err == nil {
		t.Error("passed although the own addresses are unknown")
	}
}

func TestInterfaceAddressesAreReadAgainAfterAWhile(t *testing.T) {
	now := time.Unix(1e9, 0)
	g := newTestGuard(t)
	g.clock = func() time.Time { return now }
	reads := 0
	g.interfaces = func() ([]net.Addr, error) { reads++; return nil, nil }
	for _, after := range []time.Duration{0, time.Second, ownAddressLife, time.Second} {
		now = now.Add(after)
		if err := g.vet(netip.MustParseAddrPort("8.8.8.8:443")); err != nil {
			t.Fatal(err)
		}
	}
	if reads != 2 {
		t.Errorf("%d reads, want 2", reads)
	}
}

func TestNoAddressInASpecialBlockPassesInAnyDisguise(t *testing.T) {
	g := newTestGuard(t)
	rapid.Check(t, func(rt *rapid.T) {
		b := rapid.SampledFrom(g.v4).Draw(rt, "block")
		host := rapid.Uint32().Draw(rt, "host")
		a := b.prefix.Addr().As4()
		for i := range 4 {
			mask := byte(0xff)
			if keep := b.prefix.Bits() - 8*i; keep >= 8 {
				mask = 0
			} else if keep > 0 {
				mask >>= keep
			}
			a[i] |= byte(host>>(24-8*i)) & mask
		}
		v4 := netip.AddrFrom4(a)
		if !b.prefix.Contains(v4) {
			rt.Fatalf("%v is not in %v", v4, b.prefix)
		}
		six := v4.As16() // mapped
		disguises := []netip.Addr{v4, netip.AddrFrom16(six), netip.AddrFrom16(six).WithZone("x")}
		for _, prefix := range []string{"::", "64:ff9b::", "64:ff9b:1::"} {
			p := netip.MustParseAddr(prefix).As16()
			copy(p[12:], a[:])
			disguises = append(disguises, netip.AddrFrom16(p))
		}
		p := netip.MustParseAddr("2002::").As16()
		copy(p[2:], a[:])
		for _, d := range append(disguises, netip.AddrFrom16(p)) {
			if g.vet(netip.AddrPortFrom(d, 443)) == nil {
				rt.Fatalf("%v as %v passed", v4, d)
			}
		}
	})
}

func TestRegistriesThatDoNotParseAreErrors(t *testing.T) {
	header := strings.SplitAfter(ipv4Registry, "\n")[0]
	for name, text := range map[string]string{
		"empty":         "",
		"header only":   header,
		"other columns": "a,b,c,d,e,f,g,h,i,j\n1,2,3,4,5,6,7,8,9,10\n",
		"short row":     header + "10.0.0.0/8,x\n",
		"no prefix":     header + "ten,x,[RFC1],a,b,c,d,e,False,g\n",
		"open quote":    header + "\"10.0.0.0/8\n",
	} {
		if _, err := parseRegistry(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func BenchmarkGuardVet(b *testing.B) {
	g := newTestGuard(b)
	ap := netip.MustParseAddrPort("93.184.215.14:443")
	b.ReportAllocs()
	for b.Loop() {
		if err := g.vet(ap); err != nil {
			b.Fatal(err)
		}
	}
}
