package demo

// identitySites cannot prove who they are.
func identitySites() []Site {
	refused := func(behaviour, asks string, about func() topic, c certificate) Site {
		return Site{
			Name: host(behaviour), Asks: asks, about: about, cert: c,
			Expect: []Expectation{
				Asked{Times: exactly(0)}, Kept{exactly(0)},
				// robots.txt is the first thing to fail, and either says it.
				Reason{[]string{"guard.tls", "robots.unreachable"}},
			},
		}
	}
	return []Site{
		refused("tls-expired", "trust a certificate that ended yesterday", lighthouse, expiredCertificate),
		refused("tls-wrong-name", "trust a certificate for somebody else", bakery, wrongNameCertificate),
		refused("tls-unknown-authority", "trust an authority that vouches for itself", tides, unknownCertificate),
	}
}
