package demo

import (
	"net/http"
	"time"
)

// paceSites ask how fast, and when not.
func paceSites() []Site {
	return []Site{
		{
			Name: host("crawl-delay"), Asks: "one second between requests",
			about:  lighthouse,
			routes: routes{"/robots.txt": robots("User-agent: *", "Crawl-delay: 1")},
			Expect: []Expectation{Delay{time.Second}, Kept{atLeast(4)}},
		},
		{
			Name: host("retry-after"), Asks: "429 once: come back in two seconds",
			about: bakery,
			routes: routes{"/crust": first(
				status(http.StatusTooManyRequests, field{"Retry-After", "2"}),
				page(sheet{title: "Crust", text: "Thank you for waiting. It is better when it has cooled.", links: []link{{href: "/", text: "Home"}}}),
			)},
			Expect: []Expectation{
				Quiet{http.StatusTooManyRequests, 2 * time.Second},
				Asked{Filter{Half: 1, Target: "/crust", Status: http.StatusOK}, exactly(1)},
			},
		},
		{
			Name: host("goes-503"), Asks: "from the second half on: 503, closed for two minutes",
			about: bees,
			later: routes{"*": status(http.StatusServiceUnavailable, field{"Retry-After", "120"})},
			Expect: []Expectation{
				Kept{atLeast(4)},
				Asked{Filter{Half: 2, Status: http.StatusServiceUnavailable}, exactly(1)},
				Quiet{http.StatusServiceUnavailable, 2 * time.Minute},
				Reason{[]string{"pace.retry-after", "pace.back-off", "robots.unreachable"}},
			},
		},
	}
}
