package config

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWhatASizeWritesItReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]int64{1, 1000, 1 << 10, 1 << 20, 1e9, 1 << 40}).Draw(t, "unit")
		want := Size(rapid.Int64Range(math.MinInt64/unit, math.MaxInt64/unit).Draw(t, "n") * unit)
		var got Size
		if err := got.UnmarshalText([]byte(want.String())); err != nil || got != want {
			t.Fatalf("%d written %q is read as %d, %v", int64(want), want, int64(got), err)
		}
	})
}

func TestWhatADurationWritesItReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]int64{1, 1e6, 1e9, 60e9, 3600e9}).Draw(t, "unit")
		// The most negative number has no opposite and cannot be written.
		want := Duration(rapid.Int64Range(-math.MaxInt64/unit, math.MaxInt64/unit).Draw(t, "n") * unit)
		var got Duration
		if err := got.UnmarshalText([]byte(want.String())); err != nil || got != want {
			t.Fatalf("%d written %q is read as %d, %v", int64(want), want, int64(got), err)
		}
	})
}

func TestADurationCountsDaysAndRefusesWhatHasNoUnit(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "0d": 0, "1d": 24 * time.Hour, "1.5d": 36 * time.Hour, "1d12h": 36 * time.Hour,
		"-1d1h": -25 * time.Hour, "90s": 90 * time.Second, "1h30m": 90 * time.Minute, "106751d": 106751 * 24 * time.Hour,
	} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err != nil || d.Std() != want {
			t.Errorf("%q is read as %v, %v; want %v", text, d.Std(), err, want)
		}
	}
	for _, text := range []string{"", "5", "1.5", "d", "-d", "--5s", "1d-2h", "1h1d", "1e2d", "infd", "nand", "0x1d",
		"106752d", "106751d24h", "9999999999h", "5 s", "1d 2h", "5 minutes"} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v, want an error", text, d)
		}
	}
}

func TestASizeRefusesWhatIsNoWholeNumberOfAUnit(t *testing.T) {
	for text, want := range map[string]Size{"0": 0, "512000": 512000, "1B": 1, "10MiB": 10 << 20, "1GB": 1e9, "1kB": 1000, "-1KiB": -1024} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("%q is read as %d, %v; want %d", text, s.Bytes(), err, want)
		}
	}
	for _, text := range []string{"", "MiB", "1.5GiB", "+1", "1 MiB", "1mb", "10M", "0x10", "1_000", "9223372036854775808", "8388608TiB", "1e3"} {
		var s Size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v, want an error", text, s)
		}
	}
}

// awkward holds texts that YAML would read as something else when unquoted.
func awkward() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"true", "no", "~", "null", "1e3", "0644", "0x1F", ".inf", "2026-11-30", "a: b", "a #b",
			"- a", "[a", "{", "'", `"`, "*x", "&x", "!x", "|", ">", "%a", "@a", "`a", " a ", "?", ": ", "-", "<<", "a\u00a0b", "\ufeffa", "\u2028"}),
		rapid.StringMatching(`[ -~]{1,20}`),
		rapid.StringMatching(`[\x{a1}-\x{ffff}]{1,8}`),
	)
}

func TestWhatIsPrintedIsReadBackTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "heed.yaml")
	rapid.Check(t, func(t *rapid.T) {
		c := Default()
		c.Data = awkward().Draw(t, "data")
		c.Out = awkward().Draw(t, "out")
		c.Seeds = rapid.SliceOfN(awkward(), 0, 3).Draw(t, "seeds")
		c.CAFile = rapid.SliceOfN(awkward(), 0, 3).Draw(t, "ca_file")
		c.Job = rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._-]{0,20}`).Draw(t, "job")
		c.MinFree = Size(rapid.Int64Range(0, 1<<40).Draw(t, "min_free"))
		c.Delay = Duration(rapid.Int64Range(0, int64(day)).Draw(t, "delay"))
		if rapid.Bool().Draw(t, "patient") {
			c.Patience = &c.Delay
		}
		c.Rules = []Rule{{Host: "a.test", Ignore: []string{"robots"}, Because: awkward().Draw(t, "because"), Since: Date{time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}}}
		if c.Validate() != nil {
			t.Skip("not a legal configuration")
		}
		want, err := c.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := Load(Sources{File: path})
		if err != nil {
			t.Fatalf("%v\nprinted:\n%s", err, want)
		}
		got, err := again.YAML()
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%v: printed\n%s\nread and printed again\n%s", err, want, got)
		}
	})
}
