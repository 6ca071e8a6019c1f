package mcp

import (
	"encoding/json"
	"strings"
)

// protocolVersion is the version of the card that the tools speak of.
const protocolVersion = "1.1"

// Advert returns the document at /.well-known/mcp.json (BC-R-022). publicURL is
// the registry's base URL, with or without a final slash.
func Advert(name, publicURL string) []byte {
	text, err := json.MarshalIndent(struct {
		Name      string   `json:"name"`
		Version   string   `json:"version"`
		Endpoint  string   `json:"endpoint"`
		Transport string   `json:"transport"`
		Tools     []string `json:"tools"`
	}{name, protocolVersion, strings.TrimSuffix(publicURL, "/") + "/mcp", "streamable-http", []string{searchCatalog, getListedSite}}, "", "  ")
	if err != nil { // strings always marshal
		return nil
	}
	return append(text, '\n')
}
