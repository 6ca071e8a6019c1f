package registry

import (
	"io"
	"net/http"

	"heed/registry/card"
)

const (
	linePrefix    = "botcentral-verify="
	wellKnownPath = "/.well-known/botcentral.txt"
)

// placement tells where a token proves control of a domain.
type placement struct {
	Domain    string `json:"domain"`
	Token     string `json:"token"`
	Line      string `json:"line"`       // of the file, and the text of the TXT record
	WellKnown string `json:"well_known"` // where the file is looked for
	DNS       string `json:"dns"`        // the TXT record
}

func placementOf(domain, token string) placement {
	line := linePrefix + token
	return placement{Domain: domain, Token: token, Line: line,
		WellKnown: "https://" + domain + wellKnownPath, DNS: domain + `. IN TXT "` + line + `"`}
}

// issueToken answers POST /v1/site/{domain}/token: 201 with the publisher's
// first token for the domain, 200 with the one it has, 201 with a new one if
// {"rotate":true} is sent or ?rotate=true. Asking again must not end a proof, so
// rotation has to be asked for.
func (s *Server) issueToken(w http.ResponseWriter, r *http.Request, q *request) error {
	rotate, err := wantsRotation(w, r)
	if err != nil {
		return err
	}
	var tokens verificationTokens
	created := false
	fresh := newSecret()
	err = s.shelf.update(r.Context(), func(b *batch) (err error) {
		if err := b.authorize(q.publisher, q.domain); err != nil {
			return err
		}
		if tokens, err = readTokens(b.tx, q.domain, q.publisher); err != nil {
			return err
		}
		if created = tokens.Active == "" || rotate; created {
			tokens = tokens.rotate(fresh, b.now)
			if err := b.putTokens(q.domain, q.publisher, tokens); err != nil {
				return err
			}
		}
		b.log(q.entry("accepted", ""))
		return nil
	})
	if err != nil {
		return err
	}
	status := http.StatusOK
	if created {
		status = http.StatusCreated
	}
	sendJSON(w, status, encode(placementOf(q.domain, tokens.Active)))
	return nil
}

// maxCommandBytes bounds the bodies of requests that are not cards.
const maxCommandBytes = 4 << 10

// readCommand reads an optional small JSON object.
func readCommand(w http.ResponseWriter, r *http.Request) (card.JSON, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCommandBytes))
	if err != nil {
		return nil, refuse(http.StatusRequestEntityTooLarge, "too-large", "the body is larger than 4 KiB")
	}
	if len(body) == 0 {
		return nil, nil
	}
	doc, err := card.ReadJSON(body, maxCommandBytes)
	if err != nil || !doc.IsObject() {
		return nil, refuse(http.StatusBadRequest, "not-json", "the body is empty or one JSON object")
	}
	return doc, nil
}

func wantsRotation(w http.ResponseWriter, r *http.Request) (bool, error) {
	doc, err := readCommand(w, r)
	if err != nil {
		return false, err
	}
	q, err := query(r, "rotate")
	if err != nil {
		return false, err
	}
	return doc.Member("rotate").IsTrue() || q.Get("rotate") == "true", nil
}
