package config

import (
	"encoding"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// setText gives dst, which is not a list and not a section, the value that
// text stands for. It is the one place where a text becomes a value, whatever
// layer it comes from.
func setText(dst reflect.Value, text string) *valueError {
	if dst.Kind() == reflect.Pointer {
		target := reflect.New(dst.Type().Elem())
		if err := setText(target.Elem(), text); err != nil {
			return err
		}
		dst.Set(target)
		return nil
	}
	if text == "" && dst.Kind() != reflect.String {
		return &valueError{"is empty", "give a value"}
	}
	if reader, ok := dst.Addr().Interface().(encoding.TextUnmarshaler); ok {
		return asValueError(reader.UnmarshalText([]byte(text)))
	}
	switch dst.Kind() {
	case reflect.String:
		if !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
			return &valueError{"contains a control character or is not UTF-8", ""}
		}
		dst.SetString(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return &valueError{"is not a switch", "write true or false"}
		}
		dst.SetBool(text == "true")
	default:
		n, err := strconv.ParseInt(text, 10, dst.Type().Bits())
		if err != nil {
			return &valueError{"is not a whole number that fits", "write digits"}
		}
		dst.SetInt(n)
	}
	return nil
}

func asValueError(err error) *valueError {
	var bad *valueError
	if err == nil || errors.As(err, &bad) {
		return bad
	}
	return &valueError{problem: err.Error()}
}

// setWords gives a list of strings the given words. With split, a word may
// itself be a comma list.
func setWords(dst reflect.Value, words []string, split bool) *valueError {
	list := make([]string, 0, len(words))
	for _, word := range words {
		if !split {
			list = append(list, word)
			continue
		}
		if strings.TrimSpace(word) == "" {
			continue
		}
		for part := range strings.SplitSeq(word, ",") {
			if part = strings.TrimSpace(part); part == "" {
				return &valueError{"has an empty entry between commas", "leave the extra comma out"}
			}
			list = append(list, part)
		}
	}
	out := reflect.MakeSlice(dst.Type(), len(list), len(list))
	for i, word := range list {
		if err := setText(out.Index(i), word); err != nil {
			return err
		}
	}
	dst.Set(out)
	return nil
}

// isCommaKey tells whether the words of a list cannot contain commas, so that a
// comma list is read as one in every layer.
func isCommaKey(key string) bool {
	return key == "purpose" || key == "mechanisms" || key == "types"
}
