package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/gocolly/colly/v2"
)

// worker is one colly collector, used by one fetch at a time. It is built with
// Init instead of NewCollector because the latter lets COLLY_* environment
// variables override the program.
type worker struct {
	collector *colly.Collector
	header    http.Header
}

type errandKey struct{}

func newWorker(userAgent string) *worker {
	c := &colly.Collector{}
	c.Init()
	c.UserAgent = userAgent
	c.AllowURLRevisit = true        // no visited set: it grows for ever
	c.IgnoreRobotsTxt = true        // robots.txt is judged before a fetch, not here
	c.ParseHTTPErrorResponse = true // every status is an answer
	c.DetectCharset = false         // transcoding would destroy digests
	c.CheckHead = false             // no second request
	c.Async = false
	c.CacheDir = ""
	c.MaxDepth, c.MaxRequests, c.MaxBodySize = 0, 0, 0
	c.DisableCookies()
	c.SetRequestTimeout(0) // deadlines are in the context
	c.SetRedirectHandler(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	c.WithTransport(carrier{})
	c.OnResponse(func(res *colly.Response) {
		if e, ok := c.Context.Value(errandKey{}).(*errand); ok {
			e.answered = true
		}
	})
	// Both fields are set so that colly never writes to the shared header.
	return &worker{collector: c, header: http.Header{"User-Agent": {userAgent}, "Accept": {"*/*"}}}
}

// fetch carries e through colly. A panic below is returned as an error; the
// worker must then not be used again.
func (w *worker) fetch(ctx context.Context, e *errand) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	w.collector.Context = context.WithValue(ctx, errandKey{}, e)
	defer func() { w.collector.Context = context.Background() }()
	err = w.collector.Request(http.MethodGet, e.ask(), nil, nil, w.header)
	switch {
	case err != nil:
		return err
	case !e.sent || !e.answered:
		return &fault{kind: KindInternal, reason: "request was dropped on its way"}
	}
	return nil
}

var errPanic = errors.New("fetch: panic while fetching")

// carrier is colly's transport. The errand in the context does the work; colly
// gets a bare status with an empty body, so that it has nothing to decompress,
// transcode, cut or follow (net/http's client fails on a Location that it
// cannot parse).
type carrier struct{}

func (carrier) RoundTrip(req *http.Request) (*http.Response, error) {
	e, ok := req.Context().Value(errandKey{}).(*errand)
	if !ok {
		return nil, errors.New("fetch: request without an errand")
	}
	e.sent = true
	if err := e.run(req.Context()); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: e.x.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, Request: req, Uncompressed: true,
	}, nil
}

// workers keeps idle workers. A collector costs about fifteen allocations.
type workers struct {
	idle      chan *worker
	userAgent string
}

// maxIdleWorkers matches the default number of fetches at a time.
const maxIdleWorkers = 64

func newWorkers(userAgent string) *workers {
	return &workers{idle: make(chan *worker, maxIdleWorkers), userAgent: userAgent}
}

func (ws *workers) fetch(ctx context.Context, e *errand) error {
	var w *worker
	select {
	case w = <-ws.idle:
	default:
		w = newWorker(ws.userAgent)
	}
	err := w.fetch(ctx, e)
	if errors.Is(err, errPanic) {
		return err
	}
	select {
	case ws.idle <- w:
	default:
	}
	return err
}
