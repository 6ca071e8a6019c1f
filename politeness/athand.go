package politeness

import (
	"context"
	"fmt"
)

// AtHand decides about q with the documents that are held, however old, and
// asks for none. It is for looking back: explaining, and judging again what was
// fetched before. What depends on a document that nobody holds is not granted.
func (g *Gate) AtHand(ctx context.Context, q Question) (Decision, error) {
	d, _, err := g.inquire(ctx, q, true)
	if err != nil {
		return Decision{}, fmt.Errorf("politeness: judge %s by what is at hand: %w", q.URL, err)
	}
	return d, nil
}
