package standards

// sieve rules most patterns out without looking at them: by the first eight
// octets of their prefixes, because sections differ there, and by the last
// eight, because pages of one section differ there. It stands beside a list of
// patterns, in the same order.
type sieve struct {
	meshes  []mesh
	useless bool // some pattern has a second spelling
}

// mesh is what the sieve knows of one pattern.
type mesh struct {
	head, mask uint64 // the first octets, and which of the eight they are
	tail       uint64 // the last eight octets, if there are as many
	end        int    // length of the prefix in octets
}

func (s *sieve) add(p *pattern) {
	m := mesh{tail: p.tail, end: len(p.prefix)}
	m.head, m.mask = headOf(p.prefix)
	s.meshes = append(s.meshes, m)
	s.useless = s.useless || p.second != nil
}

// over prepares the sieve for a target.
func (s *sieve) over(t target) sifted {
	head, _ := headOf(t.path)
	return sifted{meshes: s.meshes, path: t.path, head: head, all: s.useless || !t.same}
}

// sifted is a sieve over one target. It yields each index once, in ascending
// order.
type sifted struct {
	meshes []mesh
	path   string
	head   uint64
	all    bool // the target or a pattern has two spellings, so nothing is ruled out
	at     int
}

// next gives the next pattern below end that may fit. Those passed over do not
// fit for certain.
func (s *sifted) next(end int) (int, bool) {
	for ; s.at < end; s.at++ {
		m := &s.meshes[s.at]
		if s.all || s.head&m.mask == m.head && m.end <= len(s.path) && (m.end < tailOctets || tailOf(s.path[:m.end]) == m.tail) {
			s.at++
			return s.at - 1, true
		}
	}
	return 0, false
}

const tailOctets = 8

// headOf is the first octets of s as a number, at most eight, and which of the
// eight they are.
func headOf(s string) (octets, mask uint64) {
	for i := range min(len(s), 8) {
		octets |= uint64(s[i]) << (8 * i)
		mask |= 0xFF << (8 * i)
	}
	return octets, mask
}

// tailOf is the last eight octets of s as a number, 0 if it is shorter.
func tailOf(s string) uint64 {
	if len(s) < tailOctets {
		return 0
	}
	s = s[len(s)-tailOctets:]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}
