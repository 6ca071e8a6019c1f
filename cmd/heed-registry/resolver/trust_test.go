package resolver

import "testing"

func TestBCP013OnlyLoopbackAndTLSAreTrusted(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1": true, "127.0.0.53:53": true, "::1": true, "[::ffff:127.0.0.1]:53": true,
		"tls://192.0.2.1": true, "192.0.2.1": false, "10.0.0.1:53": false, "[2001:db8::1]:53": false} {
		r, err := New(address, nil)
		if err != nil || r.trusted != want {
			t.Errorf("%s: trusted %v, %v; want %v", address, r != nil && r.trusted, err, want)
		}
	}
	if r, err := New("", nil); err == nil && r.trusted {
		t.Error("the system's resolver is trusted")
	}
}
