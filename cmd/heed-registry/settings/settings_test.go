package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"heed/cmd/heed-registry/settings"
	"heed/config"
)

func load(t *testing.T, file string, environ []string, flags ...config.Setting) (settings.Settings, error) {
	t.Helper()
	from := settings.Sources{Environ: environ, Flags: flags}
	if file != "" {
		from.File = filepath.Join(t.TempDir(), "registry.yaml")
		if err := os.WriteFile(from.File, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return settings.Load(from)
}

func flag(key string, values ...string) config.Setting {
	return config.Setting{Key: key, Values: values}
}

func TestAFlagWinsOverTheEnvironmentThatOverTheFileThatOverTheDefault(t *testing.T) {
	const file = "name: of the file\nlisten: 127.0.0.1:1\nlog_level: warn\n"
	environ := []string{"HEED_REGISTRY_NAME=of the environment", "HEED_REGISTRY_LISTEN=127.0.0.1:2", "HOME=/"}
	s, err := load(t, file, environ, flag("name", "of the flag"))
	if err != nil {
		t.Fatal(err)
	}
	if s.Name != "of the flag" || s.Listen != "127.0.0.1:2" || s.LogLevel != "warn" || s.Rate.String() != "120/m" {
		t.Errorf("got %+v", s)
	}
}

func TestListsAreReadInEveryLayer(t *testing.T) {
	want := "[127.0.0.0/8 ::1/128]"
	show := func(s settings.Settings) string {
		parts := make([]string, len(s.AllowAddress))
		for i, p := range s.AllowAddress {
			parts[i] = p.String()
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	tests := []struct {
		name    string
		file    string
		environ []string
		flags   []config.Setting
	}{
		{name: "a sequence in the file", file: "allow_address:\n  - 127.0.0.0/8\n  - ::1/128\n"},
		{name: "a sequence in brackets", file: "allow_address: [127.0.0.0/8, '::1/128']\n"},
		{name: "a comma list in the environment", environ: []string{"HEED_REGISTRY_ALLOW_ADDRESS=127.0.0.0/8, ::1/128"}},
		{name: "a flag that is repeated", flags: []config.Setting{flag("allow_address", "127.0.0.0/8", "::1/128")}},
		{name: "a layer replaces a list", file: "allow_address: 10.0.0.0/8\n", flags: []config.Setting{flag("allow_address", "127.0.0.0/8", "::1/128")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s, err := load(t, test.file, test.environ, test.flags...)
			if err != nil || show(s) != want {
				t.Errorf("got %s, %v; want %s", show(s), err, want)
			}
		})
	}
}

// Each file of the archive is a settings file, behind it what is wrong with it:
// "good" or the words that the error must contain, one each line.
func TestFilesAreReadStrictly(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "files.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if len(archive.Files) < 20 {
		t.Fatalf("only %d files", len(archive.Files))
	}
	for _, f := range archive.Files {
		t.Run(f.Name, func(t *testing.T) {
			text, expected, ok := strings.Cut(string(f.Data), "=====\n")
			if !ok {
				t.Fatal("no expectation")
			}
			_, err := load(t, text, nil)
			if strings.TrimSpace(expected) == "good" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				t.Fatal("was accepted")
			}
			var bad *config.Error
			if !errors.As(err, &bad) || bad.Usage {
				t.Errorf("%T, want a configuration error", err)
			}
			for want := range strings.Lines(strings.TrimSpace(expected)) {
				if want = strings.TrimSpace(want); !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in:\n%v", want, err)
				}
			}
		})
	}
}

func TestABadFlagIsAFaultOfUsage(t *testing.T) {
	tests := []struct {
		setting config.Setting
		says    string
	}{
		{flag("rate", "120"), `flag --rate: "120" is not a rate`},
		{flag("rate", "1/m", "2/m"), "needs one value"},
		{flag("plain_http", "maybe"), "write true or false"},
		{flag("allow_address", "127.0.0.1"), "not a range"},
		{flag("now_offset", "200h"), "moves the clock"},
		{flag("no_such", "x"), "is not a setting"},
		{flag("name", "a\x00b"), "control character"},
	}
	for _, test := range tests {
		_, err := load(t, "", nil, test.setting)
		var bad *config.Error
		if !errors.As(err, &bad) || !bad.Usage || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%v: got %v, want %q", test.setting, err, test.says)
		}
	}
}

func TestAnUnknownVariableOfOursIsAnError(t *testing.T) {
	_, err := load(t, "", []string{"HEED_REGISTRY_LISTNE=:1"})
	if err == nil || !strings.Contains(err.Error(), "environment HEED_REGISTRY_LISTNE: is not a setting") {
		t.Errorf("got %v", err)
	}
	if _, err := load(t, "", []string{"HEED_DELAY=1s", "HEED_REGISTRYX=1"}); err != nil {
		t.Errorf("the variables of another program: %v", err)
	}
}

func TestTheEnvironmentMayNameTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "registry.yaml")
	if err := os.WriteFile(path, []byte("name: found\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := settings.Load(settings.Sources{Environ: []string{"HEED_REGISTRY_CONFIG=" + path}})
	if err != nil || s.Name != "found" {
		t.Errorf("got %q, %v", s.Name, err)
	}
	if _, err = settings.Load(settings.Sources{File: path + ".none"}); err == nil || !strings.Contains(err.Error(), "cannot be read") {
		t.Errorf("a missing file: %v", err)
	}
}

func TestEveryKeyIsReachableFromFileEnvironmentAndFlag(t *testing.T) {
	values := map[string]string{"data": "d", "listen": ":1", "public_url": "https://r.example", "name": "n", "tls_cert": "c", "tls_key": "k",
		"plain_http": "false", "admin_listen": ":2", "rate": "5/s", "write_rate": "0", "trusted_proxy": "10.0.0.0/8", "contact": "mailto:a@b.example", "resolver": "127.0.0.1",
		"resolve": "a.example:443:127.0.0.1", "allow_address": "127.0.0.0/8", "ca_file": "ca.pem", "now_offset": "1h", "log_level": "debug", "log_format": "json"}
	var file strings.Builder
	var environ []string
	var flags []config.Setting
	for _, key := range settings.Keys() {
		value, ok := values[key]
		if !ok {
			t.Fatalf("the test has no value for %s", key)
		}
		file.WriteString(key + ": '" + value + "'\n")
		environ = append(environ, "HEED_REGISTRY_"+strings.ToUpper(key)+"="+value)
		flags = append(flags, flag(key, value))
	}
	byFile, err := load(t, file.String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	byEnvironment, err := load(t, "", environ)
	if err != nil {
		t.Fatal(err)
	}
	byFlags, err := load(t, "", nil, flags...)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(byFile, byEnvironment) || !reflect.DeepEqual(byFile, byFlags) {
		t.Errorf("file %+v\nenvironment %+v\nflags %+v", byFile, byEnvironment, byFlags)
	}
}

func TestWhatIsPrintedLoadsAgainAsTheSame(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var flags []config.Setting
		for key, values := range map[string][]string{
			"name": {"a: b", "#x", "'", `"q"`, "- a", "true", "ключ"}, "rate": {"0", "1/s", "999999/m"}, "plain_http": {"true", "false"},
			"data": {"/a b", "~", "null", "01"}, "resolve": {"*:443:127.0.0.1:8443"}, "ca_file": {"a.pem", "b: c"}, "log_format": {"json", "text"},
		} {
			if rapid.Bool().Draw(r, "given "+key) {
				flags = append(flags, flag(key, rapid.SampledFrom(values).Draw(r, key)))
			}
		}
		s, err := load(t, "", nil, flags...)
		if err != nil {
			r.Fatal(err)
		}
		text, err := s.YAML()
		if err != nil {
			r.Fatal(err)
		}
		again, err := load(t, string(text), nil)
		if err != nil || !reflect.DeepEqual(s, again) {
			r.Fatalf("%v\n%s\n%+v\n%+v", err, text, s, again)
		}
	})
}

func TestThePublicURLFollowsTheAddress(t *testing.T) {
	tests := []struct {
		flags []config.Setting
		want  string
	}{
		{nil, "https://127.0.0.1:8470"},
		{[]config.Setting{flag("plain_http")}, "http://127.0.0.1:8470"},
		{[]config.Setting{flag("listen", ":8443")}, "https://localhost:8443"},
		{[]config.Setting{flag("listen", "[::1]:8443")}, "https://[::1]:8443"},
		{[]config.Setting{flag("public_url", "https://registry.example/")}, "https://registry.example"},
		{[]config.Setting{flag("public_url", "https://example.org/registry/")}, "https://example.org/registry"},
	}
	for _, test := range tests {
		s, err := load(t, "", nil, test.flags...)
		if err != nil || s.BaseURL() != test.want {
			t.Errorf("%v: got %s, %v; want %s", test.flags, s.BaseURL(), err, test.want)
		}
	}
}

func TestServingNeedsACertificateOrTheWordThatThereIsNone(t *testing.T) {
	for _, test := range []struct {
		flags []config.Setting
		good  bool
	}{
		{nil, false},
		{[]config.Setting{flag("plain_http")}, true},
		{[]config.Setting{flag("tls_cert", "c"), flag("tls_key", "k")}, true},
	} {
		s, err := load(t, "", nil, test.flags...)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.CheckServe(); (err == nil) != test.good {
			t.Errorf("%v: %v", test.flags, err)
		}
	}
}

func TestRatesAreReadAMinute(t *testing.T) {
	for text, want := range map[string]string{"0": "0", "120/m": "120/m", "2/s": "120/m", "10000000/m": "10000000/m"} {
		var r settings.Rate
		if err := r.UnmarshalText([]byte(text)); err != nil || r.String() != want {
			t.Errorf("%s: %v, %v", text, r, err)
		}
	}
	for _, text := range []string{"", "0/m", "-1/m", "+1/m", "1", "1/d", "1/h", "1/m/m", "1e3/m", "10000001/m", "10000000/s", " 1/m"} {
		r := settings.Rate(7)
		if err := r.UnmarshalText([]byte(text)); err == nil || r != 7 {
			t.Errorf("%q was accepted as %v", text, r)
		}
	}
}

func FuzzFilesNeverBreakTheReader(f *testing.F) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "files.txtar"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		text, _, _ := strings.Cut(string(file.Data), "=====\n")
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 8<<10 {
			return
		}
		s, err := load(t, "#\n"+text, nil)
		var bad *config.Error
		if err != nil && !errors.As(err, &bad) {
			t.Fatalf("%T: %v", err, err)
		}
		if err == nil && s.Name == "" {
			t.Fatal("accepted without a name")
		}
	})
}
