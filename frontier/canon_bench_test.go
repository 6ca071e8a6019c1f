package frontier

import "testing"

const cleanExample = "https://www.example.com/products/garden/2026/watering-can-10l.html?ref=index&page=2"

func BenchmarkCanonical(b *testing.B) {
	for name, url := range map[string]string{
		"clean":    cleanExample,
		"fragment": cleanExample + "#reviews",
		"port":     "https://www.example.com:443/products/garden/2026/watering-can-10l.html?ref=index&page=2",
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Canonical(url); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkResolve(b *testing.B) {
	for name, ref := range map[string]string{
		"absolute": cleanExample,
		"path":     "/products/garden/2026/watering-can-10l.html",
		"relative": "../2026/watering-can-10l.html?page=2",
		"parsed":   "/products/watering can.html",
	} {
		b.Run(name, func(b *testing.B) {
			base, err := NewBase("https://www.example.com/products/garden/index.html")
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := base.Resolve(ref); !ok {
					b.Fatal("lost")
				}
			}
		})
	}
}

func BenchmarkScope(b *testing.B) {
	scope, err := NewScope(ScopeHost, []string{"https://www.example.com/"}, nil, nil, -1)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if scope.Judge(cleanExample, 3, false) != "" || Trap(cleanExample, DefaultRepeat) != "" {
			b.Fatal("refused")
		}
	}
}

func BenchmarkDomain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if Domain(HostKey(cleanExample)) != "example.com" {
			b.Fatal("wrong")
		}
	}
}
