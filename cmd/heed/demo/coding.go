package demo

// codingSites send their pages in a content coding to whoever offers it.
func codingSites() []Site {
	compressed := func(behaviour, asks string, about func() topic, c coding) Site {
		return Site{
			Name: host(behaviour), Asks: asks, about: about,
			dress:  func(d document) document { return d.coded(c) },
			Expect: []Expectation{Coded{c.label()}, Kept{atLeast(4)}},
		}
	}
	raw := compressed("coding-deflate-raw", "read deflate without its zlib wrapper", letters, deflateRaw)
	raw.dress = func(d document) document {
		d.unasked = true // servers that send the bare stream do not look at what is offered
		return d.coded(deflateRaw)
	}
	return []Site{
		compressed("coding-br", "read brotli", lighthouse, brotlied),
		compressed("coding-gzip", "read gzip", bakery, gzipped),
		compressed("coding-zstd", "read zstd", tides, zstandard),
		raw,
	}
}
