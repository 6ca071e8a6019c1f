package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
)

// Sources are the layers above the defaults.
type Sources struct {
	File    string    // path of the YAML file; "" for none, unless HEED_CONFIG names one
	Environ []string  // as os.Environ returns it
	Flags   []Setting // flags that were given
}

// maxFileBytes bounds a configuration file. A thousand operator rules need
// about 100 KiB; the parser needs seconds for the worst text of this length.
const maxFileBytes = 512 << 10

// Load joins the layers and validates the result. Its error is an [*Error];
// its Usage tells exit 2 from exit 4. A missing contact is no error here, see
// [Config.NeedContact].
func Load(from Sources) (Config, error) {
	l := &loader{fields: fields(), config: Default(), origins: make(map[string]origin)}
	if path, where := from.file(); path != "" {
		text, err := readFile(path)
		if err != nil {
			return Config{}, &Error{Where: where, Value: shown(path), Problem: "cannot be read", Err: err,
				Remedy: "give the path of a YAML file"}
		}
		d := newDecoder(path, text)
		d.origins = l.origins
		if err := d.document(reflect.ValueOf(&l.config).Elem(), ""); err != nil {
			return Config{}, err
		}
	}
	if err := l.environment(from.Environ); err != nil {
		return Config{}, err
	}
	if err := l.flags(from.Flags); err != nil {
		return Config{}, err
	}
	if err := l.config.check(); err != nil {
		return Config{}, l.locate(err)
	}
	return l.config, nil
}

// Path is the file that Load reads, "" if none is named.
func (from Sources) Path() string {
	path, _ := from.file()
	return path
}

// file returns the path of the file and what named it.
func (from Sources) file() (path, where string) {
	if from.File != "" {
		return from.File, "flag --config"
	}
	for _, entry := range from.Environ {
		if value, ok := strings.CutPrefix(entry, envFile+"="); ok {
			path, where = value, "environment "+envFile
		}
	}
	return path, where
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
		return nil, fmt.Errorf("longer than %v", Size(maxFileBytes))
	}
	return text, nil
}

// locate adds to a finding of the validation the layer that set the value: the
// origin of its key, or of the nearest key around it.
func (l *loader) locate(found *Error) *Error {
	for key := found.Key; key != ""; {
		if from, ok := l.origins[key]; ok {
			found.Where, found.Excerpt, found.Usage = from.where, from.excerpt, from.usage
			if mayHoldSecret(found.Key) {
				found.Excerpt = ""
			}
			return found
		}
		cut := strings.LastIndexAny(key, ".[")
		if cut < 0 {
			break
		}
		key = key[:cut]
	}
	found.Where = "default"
	return found
}
