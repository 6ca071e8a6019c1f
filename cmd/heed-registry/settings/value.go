package settings

import (
	"encoding"
	"errors"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// setText gives dst the value a text stands for. It is the one place where a
// text becomes a value, whatever layer it comes from. Its error is a clause
// that follows the value.
func setText(dst reflect.Value, text string) error {
	if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return errors.New("contains a control character or is not UTF-8")
	}
	if reader, ok := dst.Addr().Interface().(encoding.TextUnmarshaler); ok {
		if text == "" {
			return errors.New("is empty")
		}
		if err := reader.UnmarshalText([]byte(text)); err != nil {
			return clause(dst.Type(), err)
		}
		return nil
	}
	switch dst.Kind() {
	case reflect.Bool:
		if text != "true" && text != "false" {
			return errors.New("is not a switch; write true or false")
		}
		dst.SetBool(text == "true")
	default:
		dst.SetString(text)
	}
	return nil
}

// clause gives the readers of the standard library words of ours.
func clause(t reflect.Type, err error) error {
	switch t.String() {
	case "netip.Prefix":
		return errors.New("is not a range of addresses; write 127.0.0.0/8 or fd00::/8")
	case "config.Duration":
		return errors.New("is not a duration; write 90s, 2h or 7d")
	}
	return err
}
