package fetch

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"
)

// Between the look-up and the connection lies no second look-up: what is handed
// to the system is the address that the guard sees, never the name.
func TestBCP026TheAddressThatIsDialledIsTheOneThatWasVetted(t *testing.T) {
	const public, loopback = "8.8.8.8", "127.0.0.1"
	r := &answers{lists: [][]string{{public}, {loopback}}}
	d, err := newDialer(&Options{Limits: Limits{Connect: time.Second}}, newTestGuard(t), newNames(r, time.Now, time.Second))
	if err != nil {
		t.Fatal(err)
	}
	var dialled []string
	d.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled = append(dialled, address)
		if err := d.control(ctx, network+"4", address, nil); err != nil {
			return nil, err
		}
		near, far := net.Pipe()
		far.Close()
		return near, nil
	}
	for range 2 {
		conn, err := d.connect(t.Context(), "tcp", "shop.test:443")
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	if want := []string{public + ":443", public + ":443"}; !slices.Equal(dialled, want) || r.count() != 1 {
		t.Errorf("dialled %q after %d look-ups", dialled, r.count())
	}
	// The name changes its address: the new one is vetted like the first.
	d.names.forget("shop.test")
	conn, err := d.connect(t.Context(), "tcp", "shop.test:443")
	if f, ok := err.(*fault); !ok || f.kind != KindAddress || conn != nil {
		t.Errorf("rebound to loopback: %v", err)
	}
	if dialled[2] != loopback+":443" || r.count() != 2 {
		t.Errorf("dialled %q after %d look-ups", dialled, r.count())
	}
}
