package app

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificateAge is how long a renewed certificate may stay unnoticed.
const certificateAge = time.Minute

// certificate is the one of the settings' files. It is read again when they
// change, so that a renewal needs no restart.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger
	clock             func() time.Time

	mu       sync.Mutex
	current  *tls.Certificate
	modified time.Time // of the newer file
	looked   time.Time
}

func newCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log, clock: time.Now}
	if err := c.load(); err != nil {
		return nil, err
	}
	return c, nil
}

// forHello is the GetCertificate of a tls.Config.
func (c *certificate) forHello(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.clock(); now.Sub(c.looked) >= certificateAge {
		c.looked = now
		if modified, err := c.newest(); err == nil && !modified.Equal(c.modified) {
			if err := c.load(); err != nil {
				c.log.Error("the renewed certificate cannot be used, the former one stays", "error", err)
			} else {
				c.log.Info("the certificate was renewed")
			}
		}
	}
	return c.current, nil
}

func (c *certificate) load() error {
	modified, err := c.newest()
	if err != nil {
		return fmt.Errorf("app: certificate: %w", err)
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("app: certificate: %w", err)
	}
	c.current, c.modified = &pair, modified
	return nil
}

func (c *certificate) newest() (time.Time, error) {
	cert, err := os.Stat(c.certFile)
	if err != nil {
		return time.Time{}, err
	}
	key, err := os.Stat(c.keyFile)
	if err != nil {
		return time.Time{}, err
	}
	if key.ModTime().After(cert.ModTime()) {
		return key.ModTime(), nil
	}
	return cert.ModTime(), nil
}
