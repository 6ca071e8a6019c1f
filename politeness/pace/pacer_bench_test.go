package pace

import (
	"strconv"
	"sync/atomic"
	"testing"
	"time"
)

// opened are options as for a farm on loopback: nothing may limit.
func opened() Options {
	o := Defaults()
	o.Delay, o.PerHost, o.PerAddress = 0, 64, 0
	return o
}

func BenchmarkAdmitObserve(b *testing.B) {
	p := New(opened())
	r := Result{Status: 200, Latency: time.Millisecond}
	b.ReportAllocs()
	for b.Loop() {
		slot, _ := p.Admit("www.example.com", "")
		p.Observe(slot, r)
	}
}

func BenchmarkAdmitObserveManyHosts(b *testing.B) {
	o := opened()
	o.PerAddress, o.AddressRate = 64, 0
	p := New(o)
	names := make([]string, 1<<16)
	for i := range names {
		names[i] = "host" + strconv.Itoa(i) + ".example.com"
	}
	r := Result{Status: 200, Latency: time.Millisecond}
	var turn atomic.Uint32
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			host := names[turn.Add(7919)%uint32(len(names))]
			slot, _ := p.Admit(host, "192.0.2.1")
			p.Observe(slot, r)
		}
	})
}

func BenchmarkRefuse(b *testing.B) {
	p := New(Defaults())
	p.Admit("www.example.com", "")
	b.ReportAllocs()
	for b.Loop() {
		if slot, _ := p.Admit("www.example.com", ""); slot != nil {
			b.Fatal("admitted")
		}
	}
}

func BenchmarkState(b *testing.B) {
	p := New(Defaults())
	p.Admit("www.example.com", "")
	b.ReportAllocs()
	for b.Loop() {
		if p.State("www.example.com") == nil {
			b.Fatal("no state")
		}
	}
}

// BenchmarkTwoHundredThousandHosts reports what a full Pacer weighs.
func BenchmarkTwoHundredThousandHosts(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		p := New(Defaults())
		for i := range 200_000 {
			slot, _ := p.Admit("host"+strconv.Itoa(i)+".example.com", "")
			p.Observe(slot, Result{Status: 200})
		}
	}
}
