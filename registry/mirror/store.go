package mirror

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"heed/registry/card"
)

// load reads the state, the list and the cards of the registry.
func (r *registry) load(ctx context.Context) error {
	if err := r.loadState(ctx); err != nil {
		return err
	}
	if err := r.loadList(ctx); err != nil {
		return err
	}
	for cursor := ""; ; {
		notes, next, err := r.o.Store.ListNotes(ctx, kindCard+r.origin, cursor, 500)
		if err != nil {
			return fmt.Errorf("mirror: load cards of %s: %w", r.origin, err)
		}
		r.mu.Lock()
		for _, note := range notes {
			n, ok := decodeCard(note.Value)
			if !ok {
				continue // damaged: as if never read
			}
			e := r.entries[note.Key]
			if e == nil {
				e = &entry{}
				r.entries[note.Key] = e
			}
			r.place(e, note.Key, n)
			if e.announced != "" && e.announced != n.Announced && e.announced != bareTag(n.ETag) {
				e.due, e.expires = r.o.Clock(), r.o.Clock() // the feed named it, and it was not read since
			}
		}
		r.mu.Unlock()
		if cursor = next; cursor == "" {
			return nil
		}
	}
}

// saveList stores which domains are listed, a line each: domain, href and the
// mark of the change feed, with tabs between.
func (r *registry) saveList(ctx context.Context) error {
	var b bytes.Buffer
	r.mu.RLock()
	for domain, e := range r.entries {
		if e.listed {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", domain, e.href, noTabs(e.announced))
		}
	}
	r.mu.RUnlock()
	if err := r.o.Store.SaveNote(ctx, kindList, r.origin, b.Bytes()); err != nil {
		return fmt.Errorf("mirror: save list of %s: %w", r.origin, err)
	}
	return nil
}

// noTabs keeps a mark on its line.
func noTabs(mark string) string {
	if strings.ContainsAny(mark, "\t\n") {
		return "?"
	}
	return mark
}

func (r *registry) loadList(ctx context.Context) error {
	value, err := r.o.Store.LoadNote(ctx, kindList, r.origin)
	if err != nil {
		return fmt.Errorf("mirror: load list of %s: %w", r.origin, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for line := range strings.Lines(string(value)) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(parts) == 3 && parts[0] != "" && len(r.entries) < maxListed {
			r.entries[strings.Clone(parts[0])] = &entry{listed: true, href: strings.Clone(parts[1]), announced: strings.Clone(parts[2])}
		}
	}
	return nil
}

// loadCard reads the note of a domain, an empty one if there is none or if it is
// damaged.
func (r *registry) loadCard(ctx context.Context, domain string) (cardNote, error) {
	value, err := r.o.Store.LoadNote(ctx, kindCard+r.origin, domain)
	if err != nil {
		return cardNote{}, fmt.Errorf("mirror: load card of %s from %s: %w", domain, r.origin, err)
	}
	n, _ := decodeCard(value)
	return n, nil
}

func (r *registry) saveCard(ctx context.Context, domain string, n cardNote) error {
	value, err := json.Marshal(&n)
	if err == nil {
		value = append(append(value, '\n'), n.raw...)
		err = r.o.Store.SaveNote(ctx, kindCard+r.origin, domain, value)
	}
	if err != nil {
		return fmt.Errorf("mirror: save card of %s from %s: %w", domain, r.origin, err)
	}
	return nil
}

func decodeCard(value []byte) (n cardNote, ok bool) {
	head, raw, ok := bytes.Cut(value, []byte("\n"))
	if !ok || json.Unmarshal(head, &n) != nil || n.Status > card.Invalid {
		return cardNote{}, false
	}
	n.raw = raw
	return n, true
}

// dropCards stores that domains are not listed any more and tells about it. That
// a proof was seen is kept.
func (r *registry) dropCards(ctx context.Context, domains []string) error {
	slices.Sort(domains)
	for _, domain := range domains {
		n, err := r.loadCard(ctx, domain)
		if err != nil {
			return err
		}
		if n.URL != "" || n.SeenProof {
			n.Missing, n.ETag, n.Announced, n.raw = true, "", "", nil
			if err := r.saveCard(ctx, domain, n); err != nil {
				return err
			}
		}
		r.o.Changed(r.origin, domain)
	}
	return nil
}

// Copy is the stored card of one registry in full.
type Copy struct {
	Held card.Held
	Card card.Card // the zero value if there is none
	Raw  []byte    // octets as they were served
}

// Copies reads the stored cards that bear the name of a domain, with their
// octets, for reports and for the pages they declare (card.Candidates).
// Registries without one are left out.
func (m *Mirror) Copies(ctx context.Context, domain string) ([]Copy, error) {
	var all []Copy
	for _, r := range m.registries {
		n, err := r.loadCard(ctx, domain)
		if err != nil {
			return nil, err
		}
		r.mu.RLock()
		e := r.entries[domain]
		if e == nil || e.copy == nil {
			r.mu.RUnlock()
			continue
		}
		one := Copy{Held: e.copy[0], Raw: n.raw}
		r.mu.RUnlock()
		if n.readable() {
			if one.Card, err = card.Parse(domain, n.raw); err != nil {
				return nil, fmt.Errorf("mirror: copies of %s: %w", domain, err)
			}
		}
		all = append(all, one)
	}
	return all, nil
}
