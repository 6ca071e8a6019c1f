package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"heed/registry/card"
)

// Bounds of a write. Clients refuse cards above card.MaxBytes, so nothing is
// stored that would be served larger.
const (
	maxBodyBytes   int64 = card.MaxBytes
	maxServedBytes       = card.MaxBytes
)

// submission is a write that was found in order.
type submission struct {
	raw    []byte // compact, without members that belong to the registry
	facts  facts
	window time.Duration
}

// validator turns bodies of writes into submissions.
type validator struct{ schema *schema }

// read checks a body for a domain. What it refuses it refuses as a *problem
// with a pointer to the first faulty member.
func (v *validator) read(domain string, body []byte) (submission, error) {
	doc, err := card.ReadJSON(body, maxBodyBytes)
	if err != nil {
		return submission{}, bodyProblem(err)
	}
	if !doc.IsObject() {
		return submission{}, faulty("", "a card is one JSON object")
	}
	if err := checkDomain(doc.Member("domain"), domain); err != nil {
		return submission{}, err
	}
	raw, err := clean(doc)
	if err != nil {
		return submission{}, err
	}
	if err := v.schema.check(raw); err != nil {
		return submission{}, err
	}
	if err := checkReferences(raw, domain); err != nil {
		return submission{}, err
	}
	return submission{raw: raw, facts: readFacts(raw, domain), window: readWindow(raw)}, nil
}

func faulty(pointer, detail string) *problem {
	p := refuse(http.StatusUnprocessableEntity, "invalid-card", detail)
	p.pointer = pointer
	return p
}

func bodyProblem(err error) *problem {
	detail := strings.TrimPrefix(err.Error(), "card: ")
	switch {
	case errors.Is(err, card.ErrTooLarge):
		return refuse(http.StatusRequestEntityTooLarge, "too-large", detail)
	case errors.Is(err, card.ErrSyntax):
		return refuse(http.StatusBadRequest, "not-json", detail)
	case errors.Is(err, card.ErrDuplicate):
		return refuse(http.StatusUnprocessableEntity, "duplicate-member", detail)
	}
	return refuse(http.StatusUnprocessableEntity, "too-complex", detail)
}

// checkDomain refuses a card that names another domain than its path, or the
// same one in another form (BC-D-004). The member may be left out.
func checkDomain(member card.JSON, domain string) error {
	if member == nil {
		return nil
	}
	if name, ok := member.Text(); !ok || name != domain {
		return faulty("/domain", fmt.Sprintf("domain must be %q, as in the path", domain))
	}
	return nil
}

// belongsToRegistry tells which members of a body are dropped, whatever their
// type: those that the registry computes, so that a card can be read, changed
// and written back, and verifyToken, which would publish a secret (BC-P-912).
// domain is kept in the key.
func belongsToRegistry(name string) bool {
	switch name {
	case "botcentral", "domain", "score", "rank", "verification", "listed_by", "updated", "freshness", "verifyToken":
		return true
	}
	return false
}

// clean copies a card without what belongs to the registry and without space
// between tokens. Values it keeps are kept to the letter: numbers have their
// digits, strings their escapes.
func clean(doc card.JSON) ([]byte, error) {
	out := bytes.NewBuffer(make([]byte, 0, len(doc)))
	out.WriteByte('{')
	for name, value := range doc.Members() {
		if belongsToRegistry(name) {
			continue
		}
		if err := keep(out, name, name); err != nil {
			return nil, err
		}
		switch {
		case name == "pages" && value.IsArray():
			if err := cleanPages(out, value); err != nil {
				return nil, err
			}
			continue
		case name == "consent" || name == "crawl":
			for inner := range value.Members() {
				if err := checkName(inner, name, inner); err != nil {
					return nil, err
				}
			}
		}
		if err := json.Compact(out, value); err != nil {
			return nil, fmt.Errorf("registry: compact member %q: %w", name, err)
		}
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

func cleanPages(out *bytes.Buffer, pages card.JSON) error {
	out.WriteByte('[')
	i := 0
	for page := range pages.Elements() {
		if i > 0 {
			out.WriteByte(',')
		}
		index := strconv.Itoa(i)
		if !page.IsObject() {
			return faulty("/pages/"+index, "a page is an object with url and rel")
		}
		out.WriteByte('{')
		for name, value := range page.Members() {
			if name == "score" || name == "rank" {
				continue
			}
			if err := keep(out, name, "pages", index, name); err != nil {
				return err
			}
			if err := json.Compact(out, value); err != nil {
				return fmt.Errorf("registry: compact page %s: %w", index, err)
			}
		}
		out.WriteByte('}')
		i++
	}
	out.WriteByte(']')
	return nil
}

// keep writes the name of a member that is kept, after a comma if it is not the
// first of its object.
func keep(out *bytes.Buffer, name string, path ...string) error {
	if err := checkName(name, path...); err != nil {
		return err
	}
	if last := out.Bytes()[out.Len()-1]; last != '{' {
		out.WriteByte(',')
	}
	out.Write(appendString(out.AvailableBuffer(), name))
	out.WriteByte(':')
	return nil
}

// checkName refuses names that decoding could not keep: a lone surrogate, even
// if escaped, is no Unicode text (RFC 8259 8.2).
func checkName(name string, path ...string) error {
	if strings.ContainsRune(name, '\uFFFD') {
		return faulty(pointerTo(path), "the name of a member is no Unicode text")
	}
	return nil
}

// checkReferences judges what a schema cannot: where URIs lead.
func checkReferences(raw card.JSON, domain string) error {
	canonical, _ := raw.Member("canonical").Text()
	u, err := url.Parse(canonical)
	if err != nil || u.Scheme != "https" || u.User != nil || u.Host == "" || !within(strings.ToLower(u.Hostname()), domain) {
		return faulty("/canonical", "canonical must be the https origin of the domain or of a host below it")
	}
	if hours := raw.Member("crawl").Member("revalidate_hours"); hours != nil {
		if _, ok := hours.Integer(); !ok {
			return faulty("/crawl/revalidate_hours", "hours are written without fraction and exponent")
		}
	}
	i := 0
	for page := range raw.Member("pages").Elements() {
		text, _ := page.Member("url").Text()
		u, err := url.Parse(text)
		if err != nil || u.User != nil || !within(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), domain) {
			return faulty("/pages/"+strconv.Itoa(i)+"/url", "a page must lie on the domain or on a host below it")
		}
		i++
	}
	for name, value := range raw.Member("pointers").Members() {
		switch name {
		case "robots", "sitemap", "llms":
			text, _ := value.Text()
			if u, err := url.Parse(text); err != nil || u.Host == "" || u.User != nil {
				return faulty("/pointers/"+name, "a pointer is an absolute URI")
			}
		}
	}
	return nil
}

func readWindow(raw card.JSON) time.Duration {
	if hours, ok := raw.Member("crawl").Member("revalidate_hours").Integer(); ok {
		return time.Duration(hours) * time.Hour
	}
	return defaultWindow
}
