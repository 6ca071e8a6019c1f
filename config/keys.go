package config

import (
	"encoding"
	"reflect"
	"strings"
)

// envPrefix begins the name of every environment variable that is read.
const envPrefix = "HEED_"

// envFile names the configuration file where no flag does. It is no key: a
// file cannot name another one.
const envFile = envPrefix + "CONFIG"

// field is one key of the configuration and its place in Config.
type field struct {
	key   string // with dots: limits.page
	index []int
}

// env is the name of the variable that sets the key.
func (f field) env() string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(f.key, ".", "_"))
}

// Keys lists every key in the order of the struct, nested ones with a dot.
func Keys() []string {
	all := fields()
	keys := make([]string, len(all))
	for i, f := range all {
		keys[i] = f.key
	}
	return keys
}

func fields() []field { return appendFields(nil, reflect.TypeFor[Config](), "", nil) }

func appendFields(list []field, t reflect.Type, prefix string, index []int) []field {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(index[:len(index):len(index)], i)
		key := prefix + yamlName(f)
		if isSection(f.Type) {
			list = appendFields(list, f.Type, key+".", at)
			continue
		}
		list = append(list, field{key, at})
	}
	return list
}

// yamlName is the key of a struct field: the first part of its yaml tag.
func yamlName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// isSection tells whether t is a mapping of further keys and not a value
// written as one text.
func isSection(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !isText(t)
}

func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
