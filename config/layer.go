package config

import (
	"reflect"
	"slices"
	"strings"
)

// Setting is one flag that was given.
type Setting struct {
	Key    string   // the flag's name with underscores
	Values []string // one for each time it was given; none means true
}

// loader collects the layers of one Load and remembers where each key was set
// last, for errors that are found later.
type loader struct {
	fields  []field
	config  Config
	origins map[string]origin
}

// origin is where a key was set.
type origin struct {
	where   string
	value   string
	excerpt string
	usage   bool
}

func (o origin) fail(key, problem, remedy string) *Error {
	if mayHoldSecret(key) {
		o.value, o.excerpt = "", ""
	}
	return &Error{Where: o.where, Key: key, Value: shown(o.value), Problem: problem, Remedy: remedy,
		Excerpt: o.excerpt, Usage: o.usage}
}

// registryPrefix begins the variables of heed-registry, which may stand in the
// same environment. HEED_REGISTRY itself is a setting of heed.
const registryPrefix = envPrefix + "REGISTRY_"

// environment applies every HEED_ variable of environ, entries NAME=VALUE. Of
// several with one name the last counts.
func (l *loader) environment(environ []string) *Error {
	names := make(map[string]field, len(l.fields))
	known := make([]string, 0, len(l.fields)+1)
	for _, f := range l.fields {
		names[f.env()] = f
		known = append(known, f.env())
	}
	known = append(known, envFile)
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, envPrefix) || name == envFile || strings.HasPrefix(name, registryPrefix) {
			continue
		}
		from := origin{where: "environment " + name, value: value}
		f, ok := names[name]
		if !ok {
			from.value = ""
			return from.fail("", "is not a setting of heed", didYouMean(name, known))
		}
		if err := l.set(f, []string{value}, from, true); err != nil {
			return err
		}
	}
	return nil
}

// flags applies the settings in order.
func (l *loader) flags(settings []Setting) *Error {
	for _, s := range settings {
		from := origin{where: "flag " + flagName(s.Key), value: strings.Join(s.Values, ","), usage: true}
		at := slices.IndexFunc(l.fields, func(f field) bool { return f.key == s.Key })
		if at < 0 {
			from.value = ""
			return from.fail("", "is not a flag of heed", didYouMean(flagName(s.Key), l.flagNames()))
		}
		if err := l.set(l.fields[at], s.Values, from, isCommaKey(s.Key)); err != nil {
			return err
		}
	}
	return nil
}

func flagName(key string) string { return "--" + strings.ReplaceAll(key, "_", "-") }

func (l *loader) flagNames() []string {
	names := make([]string, len(l.fields))
	for i, f := range l.fields {
		names[i] = flagName(f.key)
	}
	return names
}

// set gives one key its value from the environment or a flag. split says
// whether the values of a list of strings are comma lists.
func (l *loader) set(f field, values []string, from origin, split bool) *Error {
	dst := reflect.ValueOf(&l.config).Elem().FieldByIndex(f.index)
	l.origins[f.key] = from
	var bad *valueError
	switch {
	case dst.Kind() == reflect.Slice && dst.Type().Elem().Kind() == reflect.String:
		bad = setWords(dst, values, split)
	case dst.Kind() == reflect.Slice:
		return l.setFlow(f, dst, values, from)
	case len(values) > 1:
		bad = &valueError{"was given more than once", "give it once"}
	case len(values) == 0 && dst.Kind() == reflect.Bool:
		dst.SetBool(true)
	case len(values) == 0:
		bad = &valueError{"has no value", "give one"}
	default:
		bad = setText(dst, values[0])
	}
	if bad != nil {
		return from.fail(f.key, bad.problem, bad.remedy)
	}
	return nil
}

// setFlow reads a list of mappings, each value one document of YAML holding a
// list.
func (l *loader) setFlow(f field, dst reflect.Value, values []string, from origin) *Error {
	joined := reflect.MakeSlice(dst.Type(), 0, len(values))
	for _, value := range values {
		d := newDecoder(from.where, []byte(value))
		d.whole = true
		part := reflect.New(dst.Type()).Elem()
		if err := d.document(part, f.key); err != nil {
			err.Usage = from.usage
			return err
		}
		joined = reflect.AppendSlice(joined, part)
	}
	dst.Set(joined)
	return nil
}
