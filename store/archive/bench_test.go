package archive

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// text is markup-like and compresses about as well as pages do.
func text(size int) string {
	r := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	for b.Len() < size {
		fmt.Fprintf(&b, "<p class=\"c%d\"><a href=\"/item/%x\">%x %d words</a> about things</p>\n", r.IntN(9), r.Uint64(), r.Uint32(), r.IntN(1000))
	}
	return b.String()[:size]
}

func noise(size int) string {
	b := make([]byte, size)
	rand.NewChaCha8([32]byte{7}).Read(b)
	return string(b)
}

func BenchmarkBuild(b *testing.B) {
	for name, body := range map[string]string{"page of 20 KB": text(20 << 10), "coded body of 5 KB": noise(5 << 10)} {
		b.Run(name, func(b *testing.B) {
			o := options(b, b.TempDir(), 1)
			o.Random = nil
			a := mustOpen(b, o, nil)
			r := page("https://shop.test/some/page", body)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				p, err := a.Build(r)
				if err != nil {
					b.Fatal(err)
				}
				p.Discard()
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	o := options(b, b.TempDir(), 1)
	o.Random = nil
	a := mustOpen(b, o, nil)
	defer a.Close()
	r := page("https://shop.test/some/page", text(20<<10))
	b.ReportAllocs()
	var bytes int64
	for b.Loop() {
		b.StopTimer()
		p, err := a.Build(r)
		if err != nil {
			b.Fatal(err)
		}
		bytes = p.Bytes()
		b.StartTimer()
		if _, err := a.Append(p); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(bytes)
}
