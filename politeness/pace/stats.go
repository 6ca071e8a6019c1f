package pace

// Stats counts what a Pacer has done since New. Hosts and InFlight are now.
type Stats struct {
	Hosts    int // held in memory
	InFlight int // slots out

	Admitted   uint64 // slots taken
	NotYet     uint64 // refusals by reason
	RetryAfter uint64
	BackOff    uint64
	Dead       uint64
	Busy       uint64 // no slot of the host or its address was free

	Throttled   uint64 // answers 429 and 503
	Failed      uint64 // network errors and other 5xx
	ShelfErrors uint64 // reads, writes and records that failed
}

func (s *Stats) refuse(reason string) {
	switch reason {
	case ReasonRetryAfter:
		s.RetryAfter++
	case ReasonBackOff:
		s.BackOff++
	case ReasonDead:
		s.Dead++
	case ReasonInFlight:
		s.Busy++
	default:
		s.NotYet++
	}
}

func (s *Stats) add(o *Stats) {
	s.Hosts += o.Hosts
	s.InFlight += o.InFlight
	s.Admitted += o.Admitted
	s.NotYet += o.NotYet
	s.RetryAfter += o.RetryAfter
	s.BackOff += o.BackOff
	s.Dead += o.Dead
	s.Busy += o.Busy
	s.Throttled += o.Throttled
	s.Failed += o.Failed
	s.ShelfErrors += o.ShelfErrors
}

// Stats sums up over all hosts. It locks one part of them after the other, so
// the sums are of nearly one moment.
func (p *Pacer) Stats() Stats {
	var sum Stats
	for i := range p.shards {
		s := &p.shards[i]
		s.mu.Lock()
		s.stats.Hosts = len(s.hosts)
		sum.add(&s.stats)
		s.mu.Unlock()
	}
	return sum
}
