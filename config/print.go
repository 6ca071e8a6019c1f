package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
)

// YAML writes every key with its value, so that [Load] of the text gives c
// again, but for the one secret there is: user and password of [Config.Proxy].
func (c Config) YAML() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(c, yaml.IndentSequence(true), yaml.CustomMarshaler(quoted))
	if err != nil {
		return nil, fmt.Errorf("config: write YAML: %w", err)
	}
	return text, nil
}

// quoted writes a text; the library knows when one needs quotes, but for the mark
// of a complex key.
func quoted(text string) ([]byte, error) {
	if strings.HasPrefix(text, "?") {
		return json.Marshal(text) // YAML reads strings of JSON
	}
	return yaml.Marshal(text)
}
