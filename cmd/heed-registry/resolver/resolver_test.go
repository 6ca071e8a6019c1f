package resolver_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
	"go.uber.org/goleak"

	"heed/cmd/heed-registry/resolver"
	"heed/registry/proof"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve answers with h over UDP and TCP on one port of loopback.
func serve(t *testing.T, h dns.HandlerFunc) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	packets, err := net.ListenPacket("udp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	run(t, &dns.Server{Listener: listener, Handler: h})
	run(t, &dns.Server{PacketConn: packets, Handler: h})
	return listener.Addr().String()
}

func run(t *testing.T, s *dns.Server) {
	t.Helper()
	started, done := make(chan struct{}), make(chan error, 1)
	s.NotifyStartedFunc = func() { close(started) }
	go func() { done <- s.ActivateAndServe() }()
	<-started
	t.Cleanup(func() {
		if err := errors.Join(s.Shutdown(), <-done); err != nil {
			t.Error(err)
		}
	})
}

// zone answers from records in presentation form.
func zone(change func(*dns.Msg), records ...string) dns.HandlerFunc {
	return func(w dns.ResponseWriter, q *dns.Msg) {
		m := new(dns.Msg).SetReply(q)
		for _, text := range records {
			rr, err := dns.NewRR(text)
			if err != nil {
				panic(err) // a mistake of the test
			}
			m.Answer = append(m.Answer, rr)
		}
		if change != nil {
			change(m)
		}
		_ = w.WriteMsg(m) // the asker may have gone
	}
}

func ask(t *testing.T, address string) (proof.Text, error) {
	t.Helper()
	r, err := resolver.New(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.LookupTXT(t.Context(), "shop.example")
}

func TestAnswersAreReadAsTheyAre(t *testing.T) {
	tests := []struct {
		name    string
		records []string
		change  func(*dns.Msg)
		want    []string
	}{
		{"BC-P-012 every record is seen", []string{`shop.example. 60 IN TXT "v=spf1 -all"`, `shop.example. 60 IN TXT "botcentral-verify=T"`}, nil,
			[]string{"v=spf1 -all", "botcentral-verify=T"}},
		{"BC-P-903 strings of one record are joined", []string{`shop.example. 60 IN TXT "botcentral-ver" "ify=T"`}, nil, []string{"botcentral-verify=T"}},
		{"BC-P-903 strings of two records are not", []string{`shop.example. 60 IN TXT "botcentral-verify="`, `shop.example. 60 IN TXT "T"`}, nil,
			[]string{"botcentral-verify=", "T"}},
		{"BC-P-911 aliases are followed", []string{`shop.example. 60 IN CNAME a.example.`, `a.example. 60 IN CNAME b.example.`, `b.example. 60 IN TXT "T"`}, nil, []string{"T"}},
		{"BC-P-011 a record of another name does not count", []string{`_botcentral.shop.example. 60 IN TXT "T"`, `www.shop.example. 60 IN TXT "T"`}, nil, nil},
		{"a circle of aliases ends", []string{`shop.example. 60 IN CNAME a.example.`, `a.example. 60 IN CNAME shop.example.`}, nil, nil},
		{"case does not matter", []string{`SHOP.example. 60 IN TXT "T"`}, nil, []string{"T"}},
		{"octets are not escaped", []string{`shop.example. 60 IN TXT "a\"b\\c\009\255"`}, nil, []string{"a\"b\\c\t\xff"}},
		{"a name without records", nil, nil, nil},
		{"no such name", nil, func(m *dns.Msg) { m.Rcode = dns.RcodeNameError }, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := ask(t, serve(t, zone(test.change, test.records...)))
			if err != nil || !slices.Equal(got.Records, test.want) {
				t.Errorf("got %q, %v; want %q", got.Records, err, test.want)
			}
		})
	}
}

func TestWhatIsNoAnswerIsAnError(t *testing.T) {
	const record = `shop.example. 60 IN TXT "T"`
	tests := []struct {
		name   string
		change func(*dns.Msg)
		want   error
	}{
		{"BC-P-013 a bogus zone", func(m *dns.Msg) { m.Rcode = dns.RcodeServerFailure }, resolver.ErrServer},
		{"a refusal", func(m *dns.Msg) { m.Rcode = dns.RcodeRefused }, resolver.ErrServer},
		{"an answer to another question", func(m *dns.Msg) { m.Question[0].Name = "other.example." }, resolver.ErrAnswer},
		{"an answer about another type", func(m *dns.Msg) { m.Question[0].Qtype = dns.TypeA }, resolver.ErrAnswer},
		{"an answer without a question", func(m *dns.Msg) { m.Question = nil }, resolver.ErrAnswer},
		{"truncated even over TCP", func(m *dns.Msg) { m.Truncated = true }, resolver.ErrAnswer},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got, err := ask(t, serve(t, zone(test.change, record))); !errors.Is(err, test.want) || got.Records != nil {
				t.Errorf("got %q, %v; want %v", got.Records, err, test.want)
			}
		})
	}
}

func TestBCP911ATruncatedAnswerIsAskedForOverTCP(t *testing.T) {
	var overTCP atomic.Int32
	address := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if _, udp := w.RemoteAddr().(*net.UDPAddr); udp {
			zone(func(m *dns.Msg) { m.Truncated = true })(w, q)
			return
		}
		overTCP.Add(1)
		zone(nil, `shop.example. 60 IN TXT "T"`)(w, q)
	})
	got, err := ask(t, address)
	if err != nil || !slices.Equal(got.Records, []string{"T"}) || overTCP.Load() != 1 {
		t.Errorf("got %q, %v after %d questions over TCP", got.Records, err, overTCP.Load())
	}
}

func TestALostPacketIsSentAgain(t *testing.T) {
	var n atomic.Int32
	address := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if n.Add(1) == 1 {
			_, _ = w.Write([]byte("junk")) // ends the first attempt at once
			return
		}
		zone(nil, `shop.example. 60 IN TXT "T"`)(w, q)
	})
	if got, err := ask(t, address); err != nil || !slices.Equal(got.Records, []string{"T"}) {
		t.Errorf("got %q, %v", got.Records, err)
	}
}

func TestBCP013TheADBitCountsFromATrustedResolverOnly(t *testing.T) {
	answer := func(validated bool) dns.HandlerFunc {
		return zone(func(m *dns.Msg) { m.AuthenticatedData = validated }, `shop.example. 60 IN TXT "T"`)
	}
	for _, validated := range []bool{true, false} {
		if got, err := ask(t, serve(t, answer(validated))); err != nil || got.Validated != validated {
			t.Errorf("a configured resolver on loopback that says %v: %v, %v", validated, got.Validated, err)
		}
	}
}

func TestTheQuestionAsksForValidation(t *testing.T) {
	asked := make(chan *dns.Msg, 1)
	address := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		asked <- q.Copy()
		zone(nil)(w, q)
	})
	if _, err := ask(t, address); err != nil {
		t.Fatal(err)
	}
	q := <-asked
	if !q.AuthenticatedData || !q.RecursionDesired || q.IsEdns0() == nil || q.IsEdns0().UDPSize() != 1232 {
		t.Errorf("asked %v", q)
	}
}

func TestADeadlineEndsALookup(t *testing.T) {
	packets, err := net.ListenPacket("udp", "127.0.0.1:0") // takes questions and is silent
	if err != nil {
		t.Fatal(err)
	}
	defer packets.Close()
	r, err := resolver.New(packets.LocalAddr().String(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := r.LookupTXT(ctx, "shop.example"); !errors.Is(err, resolver.ErrTimeout) || strings.Contains(err.Error(), "127.0.0.1") || time.Since(began) > 2*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
}

func TestALookupOverTLSProvesTheResolver(t *testing.T) {
	certificate, roots := authority(t)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	if err != nil {
		t.Fatal(err)
	}
	run(t, &dns.Server{Listener: listener, Net: "tcp-tls", Handler: zone(func(m *dns.Msg) { m.AuthenticatedData = true },
		`shop.example. 60 IN TXT "T"`)})
	address := "tls://" + listener.Addr().String()

	r, err := resolver.New(address, roots)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.LookupTXT(t.Context(), "shop.example"); err != nil || !got.Validated || !slices.Equal(got.Records, []string{"T"}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, err := ask(t, address); !errors.Is(err, resolver.ErrUnreachable) || got.Records != nil {
		t.Errorf("a resolver of an unknown authority was believed: %+v", got)
	}
}

func TestAddressesComeFromTheSameResolver(t *testing.T) {
	address := serve(t, func(w dns.ResponseWriter, q *dns.Msg) {
		if q.Question[0].Name == "shop.example." && q.Question[0].Qtype == dns.TypeA {
			zone(nil, "shop.example. 60 IN A 192.0.2.7")(w, q)
			return
		}
		zone(nil)(w, q)
	})
	r, err := resolver.New(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.LookupNetIP(t.Context(), "ip", "shop.example")
	if err != nil || !slices.Equal(got, []netip.Addr{netip.MustParseAddr("192.0.2.7")}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestOnlyAddressesNameAResolver(t *testing.T) {
	for _, address := range []string{"dns.example", "127.0.0.1:dns", "tls://", "https://127.0.0.1", "127.0.0.1:99999", strings.Repeat("1", 4096)} {
		if _, err := resolver.New(address, nil); err == nil {
			t.Errorf("%.40q was accepted", address)
		}
	}
	for _, address := range []string{"127.0.0.1", "[::1]:5353", "::1", "tls://192.0.2.1", "tls://192.0.2.1:8853"} {
		if _, err := resolver.New(address, nil); err != nil {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func authority(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, roots
}

func FuzzAnyAnswerIsReadOrRefused(f *testing.F) {
	f.Add([]byte{}, []byte("T"))
	f.Add([]byte("\xc0\x0c\x00\x10\x00\x01"), []byte(strings.Repeat("T", 300)))
	answer := make(chan []byte, 1)
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { packets.Close() })
	go func() {
		buffer := make([]byte, 4096)
		for {
			n, from, err := packets.ReadFrom(buffer)
			if err != nil {
				return
			}
			select {
			case tail := <-answer:
				q := new(dns.Msg)
				if q.Unpack(buffer[:n]) != nil {
					continue
				}
				head, err := new(dns.Msg).SetReply(q).Pack()
				if err != nil {
					continue
				}
				head[7] = 1 // one answer is announced
				_, _ = packets.WriteTo(append(head, tail...), from)
			default:
				_, _ = packets.WriteTo(buffer[:2], from)
			}
		}
	}()
	r, err := resolver.New(packets.LocalAddr().String(), nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, record, data []byte) {
		if len(record)+len(data) > 1000 {
			return
		}
		answer <- append(record, data...)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond) // junk is waited out
		defer cancel()
		got, err := r.LookupTXT(ctx, "shop.example")
		select { // an attempt that was not needed leaves its answer behind
		case <-answer:
		default:
		}
		if err != nil && got.Records != nil {
			t.Fatal(fmt.Sprint("records and an error: ", err))
		}
	})
}
