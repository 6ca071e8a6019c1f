package app

import (
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"heed/cmd/heed-registry/admin"
	"heed/cmd/heed-registry/prover"
	"heed/cmd/heed-registry/settings"
	"heed/registry"
)

// ErrNoRegistry means that the data folder holds no registry.
var ErrNoRegistry = errors.New("app: there is no registry in the data folder")

// ErrInUse means that another process has the state open and does not answer.
var ErrInUse = errors.New("app: another process has the registry open")

// Options is what an App takes besides the settings.
type Options struct {
	Version string
	Log     *slog.Logger
	Create  bool // begin a new registry where there is none
}

// App is an open registry.
type App struct {
	settings  settings.Settings
	options   Options
	clock     func() time.Time
	startedAt time.Time
	registry  *registry.Server
	prover    *prover.Prover
}

var _ admin.Door = (*App)(nil)

// Open opens the state. Its error is a configuration error, ErrNoRegistry,
// ErrInUse, admin.ErrDamaged or one of the system's.
func Open(s settings.Settings, o Options) (*App, error) {
	if entries, err := os.ReadDir(s.Data); !o.Create && (errors.Is(err, os.ErrNotExist) || err == nil && len(entries) == 0) {
		return nil, fmt.Errorf("%w: %s", ErrNoRegistry, s.Data)
	}
	clock := time.Now
	if offset := s.NowOffset.Std(); offset != 0 {
		clock = func() time.Time { return time.Now().Add(offset) }
	}
	roots, err := authorities(s.CAFile)
	if err != nil {
		return nil, err
	}
	p, err := prover.New(prover.Options{
		UserAgent:    userAgent(s, o.Version),
		Resolver:     s.Resolver,
		Roots:        roots,
		Resolve:      s.Resolve,
		AllowAddress: s.AllowAddress,
		CAFiles:      s.CAFile,
		SpoolDir:     filepath.Clean(os.TempDir()),
	})
	if err != nil {
		return nil, fmt.Errorf("app: open: %w", err)
	}
	r, err := registry.Open(registry.Options{
		Path:           s.Data,
		PublicURL:      s.BaseURL(),
		Name:           s.Name,
		Clock:          clock,
		Prover:         p,
		Rate:           int(s.Rate),
		WriteRate:      int(s.WriteRate),
		TrustedProxies: s.TrustedProxy,
		Log:            o.Log,
	})
	if err != nil {
		p.Close()
		return nil, fmt.Errorf("app: open: %w", translated(err))
	}
	return &App{settings: s, options: o, clock: clock, startedAt: clock(), registry: r, prover: p}, nil
}

// Close closes the state. Serve must have returned.
func (a *App) Close() error {
	err := a.registry.Close()
	a.prover.Close()
	return err
}

// userAgent says who checks a proof, and where to turn to.
func userAgent(s settings.Settings, version string) string {
	contact := s.Contact
	if contact == "" {
		contact = s.BaseURL()
	}
	return "heed-registry/" + version + " (+" + contact + ")"
}

// authorities are those of the system and of the given files.
func authorities(files []string) (*x509.CertPool, error) {
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("app: authorities: %w", err)
		}
		if !roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("app: authorities: %s holds no certificate", file)
		}
	}
	return roots, nil
}
