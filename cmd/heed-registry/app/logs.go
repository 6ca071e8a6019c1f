package app

import (
	"log"
	"log/slog"
	"regexp"
	"strings"
)

// serverLog takes what net/http says about connections. Its lines name the
// peer, which must not be kept (BC-R-036); they are for debugging.
func serverLog(to *slog.Logger) *log.Logger {
	return log.New(scrubber{to}, "", 0)
}

type scrubber struct{ to *slog.Logger }

// peer finds addresses with a port, as net/http writes them.
var peer = regexp.MustCompile(`(\d{1,3}(\.\d{1,3}){3}|\[[0-9A-Fa-f:.%a-z]+\])(:\d+)?`)

func (s scrubber) Write(line []byte) (int, error) {
	s.to.Debug(strings.TrimSpace(peer.ReplaceAllString(string(line), "a reader")))
	return len(line), nil
}
