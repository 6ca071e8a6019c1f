package demo

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"
)

// certificate says what is right or wrong with the certificate of a site.
type certificate int

const (
	validCertificate     certificate = iota
	expiredCertificate               // issued by the authority, ended yesterday
	wrongNameCertificate             // issued by the authority, for another host
	unknownCertificate               // right name and dates, issued by an authority nobody has heard of
)

// validity is how long the authority and its good certificates hold: longer
// than a crawl whose clock was set a few days ahead.
const validity = 90 * 24 * time.Hour

// authority signs the certificates of the world.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// newAuthority makes a key and a certificate that signs itself.
func newAuthority(name string, now time.Time) (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("demo: key of authority %q: %w", name, err)
	}
	template, err := blank(name, now.Add(-48*time.Hour), now.Add(validity))
	if err != nil {
		return nil, err
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("demo: certificate of authority %q: %w", name, err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("demo: certificate of authority %q: %w", name, err)
	}
	return &authority{certificate: parsed, key: key}, nil
}

// pem is the authority's certificate in the form a CA file holds.
func (a *authority) pem() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.certificate.Raw})
}

// issue makes a server certificate for some names, of which the first, the
// subject, may be a wildcard like the others.
func (a *authority) issue(names []string, from, until time.Time) (*tls.Certificate, error) {
	name := names[0]
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("demo: key for %q: %w", name, err)
	}
	template, err := blank(name, from, until)
	if err != nil {
		return nil, err
	}
	template.DNSNames = names
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return nil, fmt.Errorf("demo: certificate for %q: %w", name, err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

// blank holds what all certificates share. Serial numbers have 120 random bits.
func blank(name string, from, until time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("demo: serial number for %q: %w", name, err)
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: from, NotAfter: until,
	}, nil
}

// wallet holds one certificate of each kind and picks by site.
type wallet map[certificate]*tls.Certificate

// newWallet issues the certificates of the world for all its names.
func newWallet(known, unknown *authority, all []string, now time.Time) (wallet, error) {
	const yesterday = -24 * time.Hour
	w := wallet{}
	for _, order := range []struct {
		kind  certificate
		by    *authority
		names []string
		until time.Time
	}{
		{validCertificate, known, all, now.Add(validity)},
		{expiredCertificate, known, all, now.Add(yesterday)},
		{wrongNameCertificate, known, []string{"somebody-else.test"}, now.Add(validity)},
		{unknownCertificate, unknown, all, now.Add(validity)},
	} {
		c, err := order.by.issue(order.names, now.Add(-47*time.Hour), order.until)
		if err != nil {
			return nil, err
		}
		w[order.kind] = c
	}
	return w, nil
}
