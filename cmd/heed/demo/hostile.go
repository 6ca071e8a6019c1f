package demo

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	bombBytes      = 64 << 20               // decoded; some 64 KiB on the wire, ratio about 1,000
	bigPageBytes   = 64 << 20               // four times the limit for a page
	bigPageTaken   = 24 << 20               // the limit and what fits into buffers on the way
	floodBytes     = 128 << 10              // header section, twice the limit
	dripInterval   = 200 * time.Millisecond // 16 octets each: 80 B/s, under the least of 1 KiB/s
	dripPatience   = 25 * time.Second       // too slow is judged after 15 s
	chunkBytes     = 64 << 10               // what a hostile handler holds in memory
	floodLineBytes = 4 << 10
)

// hostileSites misbehave. Each has a page that does harm among pages that do not.
func hostileSites() []Site {
	harmful := func(behaviour, asks string, about func() topic, h http.Handler, more ...Expectation) Site {
		return Site{
			Name: host(behaviour), Asks: asks, about: about,
			links:  []link{{href: "/harm", text: "Something else"}},
			routes: routes{"/harm": h},
			Expect: append([]Expectation{Asked{Filter{Half: 1, Target: "/harm"}, atLeast(1)}, Kept{atLeast(4)}}, more...),
		}
	}
	slow := harmful("slow-drip", "wait for a page that drips, in the first half", letters, http.HandlerFunc(drip),
		GaveUp{"/harm", dripPatience}, Reason{[]string{"size.slow", "pace.back-off"}})
	slow.later = routes{"/harm": page(sheet{title: "Recovered", text: "The pipe has been cleared.", links: []link{{href: "/", text: "Home"}}})}
	return []Site{
		slow,
		harmful("bomb-gzip", "unpack 64 MiB out of 64 KiB of gzip", bees, bomb(gzipped), Reason{[]string{"size.ratio", "size.ceiling"}}),
		harmful("bomb-br", "unpack 64 MiB out of a few octets of brotli", moss, bomb(brotlied), Reason{[]string{"size.ratio", "size.ceiling"}}),
		harmful("big-page", "read a page of 64 MiB", bakery, http.HandlerFunc(bigPage), Bounded{bigPageTaken}, Reason{[]string{"size.ceiling"}}),
		harmful("header-flood", "read a header section of 128 KiB", tides, http.HandlerFunc(flood), Reason{[]string{"size.headers"}}),
	}
}

// drip never ends by itself.
func drip(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	control := http.NewResponseController(w)
	ticker := time.NewTicker(dripInterval)
	defer ticker.Stop()
	for {
		if _, err := w.Write([]byte("<p>drip</p>    \n")); err != nil {
			return
		}
		if err := control.Flush(); err != nil {
			return
		}
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		}
	}
}

// bomb codes the same chunk again and again while it is being sent.
func bomb(c coding) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Encoding", c.label())
		encoder, err := c.writer(w)
		if err != nil {
			return
		}
		chunk := make([]byte, chunkBytes)
		for sent := 0; sent < bombBytes && r.Context().Err() == nil; sent += len(chunk) {
			if _, err := encoder.Write(chunk); err != nil {
				return
			}
		}
		_ = encoder.Close() // the client is gone if this fails
	})
}

// bigPage says how large it is and means it.
func bigPage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(bigPageBytes))
	chunk := []byte(strings.Repeat("<p>And another loaf.</p>       \n", chunkBytes/32))
	for sent := 0; sent < bigPageBytes && r.Context().Err() == nil; sent += len(chunk) {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

// flood sends a short page under a long header section.
func flood(w http.ResponseWriter, _ *http.Request) {
	for i := range floodBytes / floodLineBytes {
		w.Header().Set("X-Wave-"+strconv.Itoa(i), strings.Repeat("~", floodLineBytes))
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<p>Calm again.</p>\n"))
}
