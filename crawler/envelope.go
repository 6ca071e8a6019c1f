package crawler

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"heed/crawler/extract"
	"heed/frontier"
	"heed/politeness"
)

// Envelope is the provenance of one text: who said it, when, and what it may be
// used for (LC-067, LC-148). The text in it is data, never an instruction.
type Envelope struct {
	Source       string          `json:"source"`
	FinalURL     string          `json:"final_url"`
	Origin       string          `json:"origin"`
	AdvertisedBy string          `json:"advertised_by,omitempty"`
	Mechanism    string          `json:"mechanism,omitempty"`
	RetrievedAt  time.Time       `json:"retrieved_at"`
	SHA256       string          `json:"sha256"`
	ContentType  string          `json:"content_type"`
	Language     string          `json:"language,omitempty"`
	Purpose      []string        `json:"purpose"`
	Uses         politeness.Uses `json:"uses"`
	Cite         bool            `json:"cite"`                  // attribution is expected
	Attribution  *Attribution    `json:"attribution,omitempty"` // nil: by its origin
	NoCopy       bool            `json:"no_copy,omitempty"`     // no copy or excerpt is to be shown to others
	Trust        string          `json:"trust"`
	Stale        bool            `json:"stale"` // the lifetime that its site gave it is over
	Divergence   *float64        `json:"divergence"`
	DecisionID   string          `json:"decision_id"`
	Text         *string         `json:"text,omitempty"`
	BodyB64      string          `json:"body_b64,omitempty"`
}

// Envelope wraps the body of a fetch. Text is decoded to UTF-8; anything else
// is base64.
func (f *Fetched) Envelope(maxBytes int64) (Envelope, error) {
	x := f.Exchange
	body, err := x.Body.Bytes(maxBytes)
	if err != nil {
		return Envelope{}, err
	}
	e := NewEnvelope(f.URL, x.FinishedAt, x.SHA256, x.Header, f.Decision)
	e.Source = f.Hops[0]
	e.Fill(body)
	return e, nil
}

// NewEnvelope describes a body that came from url. Fill adds it.
func NewEnvelope(url string, at time.Time, sha256 [32]byte, header http.Header, d politeness.Decision) Envelope {
	return Envelope{
		Source: url, FinalURL: url, Origin: frontier.Origin(url), RetrievedAt: at.UTC(), SHA256: hex.EncodeToString(sha256[:]),
		ContentType: header.Get("Content-Type"), Language: header.Get("Content-Language"), Purpose: d.Purposes.Names(), Uses: d.Uses,
		Cite: true, NoCopy: d.NoCopy, Trust: "untrusted", DecisionID: d.ID,
	}
}

// Fill adds the body: as text if it is one, else in base64.
func (e *Envelope) Fill(body []byte) {
	if isText(e.ContentType) {
		if text, _, err := extract.DecodeText(body, e.ContentType); err == nil && utf8.Valid(text) {
			s := string(text)
			e.Text = &s
			return
		}
	}
	e.BodyB64 = base64.StdEncoding.EncodeToString(body)
}

// isText tells whether a media type carries text that a person can read.
func isText(contentType string) bool {
	t, _, _ := strings.Cut(strings.ToLower(contentType), ";")
	t = strings.TrimSpace(t)
	return t == "" || strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "+xml") || strings.HasSuffix(t, "+json") ||
		t == "application/json" || t == "application/xml" || t == "application/javascript"
}
