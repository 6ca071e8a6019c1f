package config

import (
	"fmt"

	"github.com/goccy/go-yaml"
)

// YAML writes every key with its value, so that [Load] of the text gives c
// again, but for the one secret there is: user and password of [Config.Proxy].
func (c Config) YAML() ([]byte, error) {
	text, err := yaml.MarshalWithOptions(c, yaml.IndentSequence(true))
	if err != nil {
		return nil, fmt.Errorf("config: write YAML: %w", err)
	}
	return text, nil
}
