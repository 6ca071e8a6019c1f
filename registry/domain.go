package registry

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

var (
	errDomainForm   = errors.New("registry: not a domain name")
	errDomainSuffix = errors.New("registry: a public suffix has no card")
)

// Bounds of RFC 1035 2.3.4.
const (
	maxDomainOctets = 253
	maxLabelOctets  = 63
)

// registrable is the domain whose card speaks for a host name: the public
// suffix plus one label, in lower case and A-labels (BC-D-004, BC-R-904).
// Suffixes under which strangers register, such as github.io, count as public:
// their tenants must not share a card.
func registrable(host string) (string, error) {
	name := strings.TrimSuffix(host, ".")
	if name == "" || len(host) > 4*maxDomainOctets {
		return "", fmt.Errorf("%w: %.80q", errDomainForm, host)
	}
	if !isASCII(name) {
		ascii, err := idna.Lookup.ToASCII(name)
		if err != nil {
			return "", fmt.Errorf("%w: %.80q", errDomainForm, host)
		}
		name = ascii
	}
	name = strings.ToLower(name)
	if !isHostName(name) {
		return "", fmt.Errorf("%w: %.80q", errDomainForm, host)
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return "", fmt.Errorf("%w: %q", errDomainSuffix, name)
	}
	return domain, nil
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// isHostName tells whether a lower-case name consists of labels of letters,
// digits and inner hyphens (RFC 1123 2.1) and is no IPv4 address.
func isHostName(name string) bool {
	if len(name) > maxDomainOctets {
		return false
	}
	label := ""
	for rest := name; rest != ""; {
		var more bool
		label, rest, more = strings.Cut(rest, ".")
		if label == "" || len(label) > maxLabelOctets || label[0] == '-' || label[len(label)-1] == '-' || more && rest == "" {
			return false
		}
		for i := range len(label) {
			if c := label[i]; c != '-' && (c < '0' || '9' < c) && (c < 'a' || 'z' < c) {
				return false
			}
		}
	}
	return strings.Trim(label, "0123456789") != ""
}

// within tells whether host is domain or a name below it; both are in lower
// case.
func within(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}
