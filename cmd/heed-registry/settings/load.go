package settings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"

	"heed/config"
)

const (
	envPrefix = "HEED_REGISTRY_"
	// envFile names the file where no flag does. It is no key: a file cannot
	// name another one.
	envFile = envPrefix + "CONFIG"
	// maxFileBytes bounds a settings file; a real one has a few KiB.
	maxFileBytes = 256 << 10
)

// Sources are the layers above the defaults.
type Sources struct {
	File    string   // path of the YAML file; "" for none, unless HEED_REGISTRY_CONFIG names one
	Environ []string // as os.Environ returns it
	Flags   []config.Setting
}

// Load joins the layers and validates the result. Its error is a
// [*config.Error]; its Usage tells exit 2 from exit 4.
func Load(from Sources) (Settings, error) {
	l := &loader{settings: Default(), origins: make(map[string]origin)}
	if path, where := fileOf(from); path != "" {
		text, err := readFile(path)
		if err != nil {
			return Settings{}, &config.Error{Where: where, Value: path, Problem: "cannot be read", Err: err, Remedy: "give the path of a YAML file"}
		}
		if err := l.file(path, text); err != nil {
			return Settings{}, err
		}
	}
	for _, entry := range from.Environ {
		if err := l.variable(entry); err != nil {
			return Settings{}, err
		}
	}
	for _, flag := range from.Flags {
		at := origin{where: "flag " + flagOf(flag.Key), usage: true}
		if err := l.set(flag.Key, flag.Values, at); err != nil {
			return Settings{}, err
		}
	}
	if bad := l.settings.check(); bad != nil {
		at, ok := l.origins[bad.Key]
		if !ok {
			at.where = "default"
		}
		bad.Where, bad.Excerpt, bad.Usage = at.where, at.excerpt, at.usage
		return Settings{}, bad
	}
	return l.settings, nil
}

// loader collects the layers and remembers where each key was set last.
type loader struct {
	settings Settings
	origins  map[string]origin
}

// origin is where a key was set.
type origin struct {
	where   string
	excerpt string
	usage   bool
}

func (o origin) fail(key, value, problem, remedy string) *config.Error {
	return &config.Error{Where: o.where, Key: key, Value: value, Problem: problem, Remedy: remedy, Excerpt: o.excerpt, Usage: o.usage}
}

// variable applies one entry NAME=VALUE of the environment, if it is ours.
func (l *loader) variable(entry string) error {
	name, value, _ := strings.Cut(entry, "=")
	if !strings.HasPrefix(name, envPrefix) || name == envFile {
		return nil
	}
	at := origin{where: "environment " + name}
	for _, key := range Keys() {
		if envOf(key) != name {
			continue
		}
		values := []string{value}
		if l.isList(key) {
			values = splitList(value)
		}
		return l.set(key, values, at)
	}
	return at.fail("", "", "is not a setting of heed-registry", "")
}

func (l *loader) isList(key string) bool {
	i, ok := fieldOf(key)
	return ok && reflect.TypeFor[Settings]().Field(i).Type.Kind() == reflect.Slice
}

// splitList reads a comma list; the empty text is the empty list.
func splitList(text string) []string {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// set gives one key its value. No value is true for a switch.
func (l *loader) set(key string, values []string, at origin) error {
	i, ok := fieldOf(key)
	if !ok {
		return at.fail("", "", "is not a setting of heed-registry", "")
	}
	dst := reflect.ValueOf(&l.settings).Elem().Field(i)
	l.origins[key] = at
	if dst.Kind() == reflect.Slice {
		list := reflect.MakeSlice(dst.Type(), len(values), len(values))
		for n, text := range values {
			if err := setText(list.Index(n), text); err != nil {
				return at.fail(key, text, err.Error(), "")
			}
		}
		dst.Set(list)
		return nil
	}
	if len(values) == 0 && dst.Kind() == reflect.Bool {
		values = []string{"true"}
	}
	if len(values) != 1 {
		return at.fail(key, "", "needs one value", "give it once")
	}
	if err := setText(dst, values[0]); err != nil {
		return at.fail(key, values[0], err.Error(), "")
	}
	return nil
}

// fileOf returns the path of the file and what named it.
func fileOf(from Sources) (path, where string) {
	if from.File != "" {
		return from.File, "flag --config"
	}
	i := slices.IndexFunc(from.Environ, func(entry string) bool { return strings.HasPrefix(entry, envFile+"=") })
	if i < 0 {
		return "", ""
	}
	return strings.TrimPrefix(from.Environ[i], envFile+"="), "environment " + envFile
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("longer than %v", config.Size(maxFileBytes))
	}
	return text, nil
}
