package registry

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"

	"go.etcd.io/bbolt"
)

// exportLine is one line of an export: an account, or what is known about a
// domain. It holds verification tokens and digests of secrets, so an export is
// to be kept like the state file.
type exportLine struct {
	Publisher *publisher  `json:"publisher,omitempty"`
	Site      *exportSite `json:"site,omitempty"`
}

type exportSite struct {
	Domain   string                        `json:"domain"`
	Card     json.RawMessage               `json:"card,omitempty"` // as submitted
	ListedBy string                        `json:"listed_by,omitempty"`
	Updated  instant                       `json:"updated,omitempty"` // times in seconds since 1970
	Listed   bool                          `json:"listed,omitempty"`
	Stale    bool                          `json:"stale,omitempty"`
	Next     instant                       `json:"next,omitempty"`
	Proof    *exportProof                  `json:"proof,omitempty"`
	Admitted *exportProof                  `json:"admitted,omitempty"`
	Tokens   map[string]verificationTokens `json:"tokens,omitempty"`  // by publisher
	Revoked  map[string]instant            `json:"revoked,omitempty"` // by publisher
}

type exportProof struct {
	Method    Method      `json:"method"`
	Publisher string      `json:"publisher,omitempty"` // whose token was found
	Checked   instant     `json:"checked,omitempty"`
	Proven    instant     `json:"proven,omitempty"`
	Missed    instant     `json:"missed,omitempty"`
	Failures  uint8       `json:"failures,omitempty"`
	Validated bool        `json:"validated,omitempty"`
	Crawl     CrawlHealth `json:"crawl,omitempty"`
	Note      string      `json:"note,omitempty"`
}

// Export writes the accounts and everything known about domains as JSON Lines,
// as of one moment. Removed cards are left out. It reads while others write.
func (a Admin) Export(ctx context.Context, w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := a.server.shelf.db.View(func(tx *bbolt.Tx) error {
		people, err := loadPublishers(tx)
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(people)) { // two exports of one state are the same
			if err := enc.Encode(exportLine{Publisher: people[id]}); err != nil {
				return err
			}
		}
		return eachDomain(tx, func(domain string) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			line, err := exportOf(tx, domain)
			if err != nil || line == nil {
				return err
			}
			return enc.Encode(exportLine{Site: line})
		})
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("registry: export: %w", err)
	}
	return nil
}

// eachDomain calls f for every domain with a record, a token or a revocation.
func eachDomain(tx *bbolt.Tx, f func(domain string) error) error {
	sites, tokens, revoked := tx.Bucket(bucketSite).Cursor(), tx.Bucket(bucketToken).Cursor(), tx.Bucket(bucketRevoked).Cursor()
	site, _ := sites.First()
	token, _ := tokens.First()
	gone, _ := revoked.First()
	for site != nil || token != nil || gone != nil {
		domain := string(least(site, domainOf(token), domainOf(gone)))
		if err := f(domain); err != nil {
			return err
		}
		for site != nil && string(site) == domain {
			site, _ = sites.Next()
		}
		for token != nil && string(domainOf(token)) == domain {
			token, _ = tokens.Next()
		}
		for gone != nil && string(domainOf(gone)) == domain {
			gone, _ = revoked.Next()
		}
	}
	return nil
}

func domainOf(pairKey []byte) []byte {
	domain, _, _ := bytes.Cut(pairKey, []byte{0})
	return domain
}

// least is the smallest of some keys; nil ones do not count.
func least(keys ...[]byte) []byte {
	var low []byte
	for _, key := range keys {
		if len(key) > 0 && (low == nil || bytes.Compare(key, low) < 0) {
			low = key
		}
	}
	return low
}

func exportOf(tx *bbolt.Tx, domain string) (*exportSite, error) {
	e := &exportSite{Domain: domain, Tokens: map[string]verificationTokens{}, Revoked: map[string]instant{}}
	if record := tx.Bucket(bucketSite).Get([]byte(domain)); record != nil {
		s, err := readSite(domain, record, words{})
		if err != nil {
			return nil, err
		}
		if s.hasCard() {
			_, raw, err := readCard(tx, domain)
			if err != nil {
				return nil, err
			}
			p, ad := &s.proof, s.admission()
			e.Card, e.ListedBy, e.Updated, e.Listed, e.Stale, e.Next = json.RawMessage(raw), s.publisher, s.updated, s.listed, s.stale, s.next
			e.Proof = &exportProof{p.method, p.holder, p.checked, p.proven, p.missed, p.failures, p.validated, p.crawl, p.note}
			if ad.publisher != "" {
				e.Admitted = &exportProof{Method: ad.method, Publisher: ad.publisher, Checked: ad.at, Validated: ad.validated, Crawl: ad.crawl}
			}
		}
	}
	err := pairs(tx.Bucket(bucketToken), domain, func(publisher string, value []byte) error {
		var t verificationTokens
		err := json.Unmarshal(value, &t)
		e.Tokens[publisher] = t
		return err
	})
	if err == nil {
		err = pairs(tx.Bucket(bucketRevoked), domain, func(publisher string, _ []byte) error {
			e.Revoked[publisher] = revokedAt(tx, domain, publisher)
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("%w: tokens of %q", ErrDamaged, domain)
	}
	if e.Card == nil && len(e.Tokens) == 0 && len(e.Revoked) == 0 {
		return nil, nil
	}
	return e, nil
}
