package terminal

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/lmittmann/tint"
	"golang.org/x/term"
)

// IsTerminal tells whether a person may be looking.
func IsTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// Columns is how many columns a line may take without being wrapped.
func Columns(f *os.File, otherwise int) int {
	if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 20 {
		return w - 1
	}
	return otherwise
}

// Logger writes JSON lines if format is json, else text, coloured on a terminal.
// An unknown level is info.
func Logger(f *os.File, level, format string) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // validated by whoever read it
	if format == "json" {
		return slog.New(slog.NewJSONHandler(f, &slog.HandlerOptions{Level: l}))
	}
	return slog.New(tint.NewTextHandler(f, &tint.Options{Level: l, NoColor: !IsTerminal(f), TimeFormat: "15:04:05"}))
}

// JSON writes one JSON object on one line.
func JSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// Plain makes a stranger's text safe for a terminal: no control characters, and
// none that turn the direction of writing.
func Plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '\ufffd'
		}
		return r
	}, text)
}
