package discover_test

import (
	"strings"
	"testing"

	"heed/crawler/discover"
)

func BenchmarkCycle(b *testing.B) {
	answer := markdown("# Shop\n"+strings.Repeat("- [Returns](/returns.md): how to send things back\n", 600), `ETag: "1"`)
	in := inputs(shop + "/l.md")
	b.ReportAllocs()
	for b.Loop() {
		cycle := discover.Begin(discover.NewMemory(shop), in, noon)
		for _, more := cycle.Next(); more; _, more = cycle.Next() {
			cycle.Answer(answer)
		}
		if cycle.Result().State != discover.StateIndex {
			b.Fatal(cycle.Result())
		}
	}
}

// BenchmarkCycleFromMemory is what every page of a host costs while the floor holds.
func BenchmarkCycleFromMemory(b *testing.B) {
	m, w := discover.NewMemory(shop), world{answers: map[string]discover.Response{wellKnown: markdown("# x")}}
	w.run(&m, inputs(), noon)
	in := inputs()
	b.ReportAllocs()
	for b.Loop() {
		discover.Begin(m, in, noon)
	}
}
