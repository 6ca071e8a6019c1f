package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"heed/politeness"
)

// PolicyHistoryNote is the kind of the notes that index the changes of policy
// documents, by the URL of the document. Only documents that have changed have
// one: whoever looks for records made under an answer that is over lists these
// notes, and finds the records by the digests in their decisions.
const PolicyHistoryNote = "policy-history"

// maxPolicyVersions bounds the versions kept of a document; the oldest go first.
// The ledger has them all.
const maxPolicyVersions = 32

// ErrPolicyHistory reports a note that cannot be read.
var ErrPolicyHistory = errors.New("crawler: unreadable policy history")

// PolicyVersion is one answer that a policy document gave.
type PolicyVersion struct {
	SHA256 string    `json:"sha256"` // of the body, as in the document of a decision; empty for an error
	Status int       `json:"status"`
	First  time.Time `json:"first,omitzero"` // when it was read first; zero if that was before the index began
	Last   time.Time `json:"last,omitzero"`  // when it was last confirmed; zero for the one in force
}

// same tells whether two versions are one answer.
func (v PolicyVersion) same(other PolicyVersion) bool {
	return v.SHA256 == other.SHA256 && v.Status == other.Status
}

// DecodePolicyHistory reads a note, oldest version first.
func DecodePolicyHistory(note []byte) ([]PolicyVersion, error) {
	var versions []PolicyVersion
	if err := json.Unmarshal(note, &versions); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPolicyHistory, err)
	}
	return versions, nil
}

// PolicyHistory lists the answers that a document gave, oldest first; none if it
// has not changed since it was first read.
func (c *Crawler) PolicyHistory(ctx context.Context, url string) ([]PolicyVersion, error) {
	note, err := c.Notes.LoadNote(ctx, PolicyHistoryNote, url)
	if err != nil {
		return nil, fmt.Errorf("crawler: policy history of %s: %w", url, err)
	}
	if note == nil {
		return nil, nil
	}
	return DecodePolicyHistory(note)
}

// storeChanged stores an answer, and before it that it differs from the held one:
// after a crash between the two the answer is read again, and the note has it.
func (c *Crawler) storeChanged(ctx context.Context, held, d *politeness.Document) error {
	if held != nil && held.Held() {
		if err := c.noteChange(ctx, held, d); err != nil {
			return err
		}
	}
	return c.Gate.Library().Store(ctx, d)
}

// noteChange adds a version to the history of a document, if it is one.
func (c *Crawler) noteChange(ctx context.Context, held, d *politeness.Document) error {
	before, after := versionOf(held), versionOf(d)
	if before.same(after) {
		return nil
	}
	versions, err := c.PolicyHistory(ctx, d.URL)
	if err != nil {
		return err
	}
	if n := len(versions); n > 0 && versions[n-1].same(after) {
		return nil
	} else if n > 0 && versions[n-1].same(before) {
		versions[n-1].Last = held.FetchedAt.UTC()
	} else {
		before.Last = held.FetchedAt.UTC()
		versions = append(versions, before)
	}
	after.First = d.FetchedAt.UTC()
	versions = append(versions, after)
	if extra := len(versions) - maxPolicyVersions; extra > 0 {
		versions = slices.Delete(versions, 0, extra)
	}
	note, err := json.Marshal(versions)
	if err != nil {
		return fmt.Errorf("crawler: policy history of %s: %w", d.URL, err)
	}
	if err := c.Notes.SaveNote(ctx, PolicyHistoryNote, d.URL, note); err != nil {
		return fmt.Errorf("crawler: policy history of %s: %w", d.URL, err)
	}
	return nil
}

// versionOf is what of an answer makes it another one. The body of an error page
// says nothing.
func versionOf(d *politeness.Document) PolicyVersion {
	v := PolicyVersion{Status: d.Status}
	if d.Status >= 200 && d.Status < 300 {
		v.SHA256 = d.SHA256
	}
	return v
}
