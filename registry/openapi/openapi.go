package openapi

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

//go:embed openapi.json
var description []byte

// placeholder is the base URL in openapi.json, after its opening quotation mark.
const placeholder = `"https://registry.example`

// Document returns the description of a registry at publicURL, with or without
// a final slash.
func Document(publicURL string) []byte {
	quoted, err := json.Marshal(strings.TrimSuffix(publicURL, "/"))
	if err != nil { // a string always marshals
		return description
	}
	return bytes.ReplaceAll(description, []byte(placeholder), bytes.TrimSuffix(quoted, []byte(`"`)))
}

// New serves the document for GET and HEAD, with a strong ETag.
func New(publicURL string) http.Handler {
	document := Document(publicURL)
	sum := sha256.Sum256(document)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "public, max-age=3600")
		h.Set("ETag", etag)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(document))
	})
}
