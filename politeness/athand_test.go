package politeness

import (
	"context"
	"testing"
	"time"
)

// shelfOnly is a cache with fixed documents.
type shelfOnly map[string]*Document

func (s shelfOnly) LoadDocument(_ context.Context, url string) (*Document, error) { return s[url], nil }
func (s shelfOnly) SaveDocument(context.Context, string, *Document) error         { return nil }

// paper is a source of one document that grants training.
type paper struct{}

func (paper) Name() string                { return "paper" }
func (paper) Where(origin string) []Place { return []Place{{URL: origin + "/paper", Kind: "paper"}} }
func (paper) Read(Place, Document) Rules  { return paper{} }
func (paper) Judge(Question) Opinion {
	return Opinion{Verdict: Silent, Uses: Uses{Train: Yes}}
}

func TestAtHandTakesOldCopiesAndGrantsNothingWithoutOne(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	q := Question{URL: "https://a.test/x", Origin: "https://a.test", Host: "a.test", Path: "/x", Method: "GET", Purposes: PurposesOf(Train), Now: now}
	for _, c := range []struct {
		name string
		held shelfOnly
		want Verdict
		why  Reason
	}{
		{"a copy that expired long ago still speaks", shelfOnly{"https://a.test/paper": {URL: "https://a.test/paper", Status: 200, Expires: now.Add(-1000 * time.Hour)}}, Allow, Allowed},
		{"without a copy nothing is granted", shelfOnly{}, Deny, PurposeNoGrant},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGate([]Source{paper{}}, NewLibrary(c.held, 16), func() string { return "1" })
			d, err := g.AtHand(t.Context(), q)
			if err != nil || d.Verdict != c.want || d.Reason != c.why {
				t.Errorf("%s (%s), %v; want %s (%s)", d.Verdict, d.Reason, err, c.want, c.why)
			}
			if _, need, err := g.Before(t.Context(), q); err != nil || need == nil {
				t.Errorf("before a request the document is needed: %v, %v", need, err)
			}
		})
	}
}
