package app

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"heed/registry"
)

// metrics are the figures at /metrics of the socket and the address for
// administration. None is labelled by domain, publisher or reader.
type metrics struct {
	gatherer *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  prometheus.Histogram
}

func newMetrics(stats func() registry.Stats) (*metrics, error) {
	m := &metrics{
		gatherer: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "heed_registry_http_requests_total",
			Help: "Requests at the public address."}, []string{"method", "status"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "heed_registry_http_seconds",
			Help: "Time to answer a request at the public address.", Buckets: []float64{.0001, .0005, .001, .005, .01, .05, .1, .5, 1, 5, 30}}),
	}
	for _, c := range []prometheus.Collector{m.requests, m.seconds, newFigures(stats), collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})} {
		if err := m.gatherer.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// handler serves /metrics.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.gatherer, promhttp.HandlerOpts{EnableOpenMetrics: true})
}

// watch counts the answers of next.
func (m *metrics) watch(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		timer := prometheus.NewTimer(m.seconds)
		next.ServeHTTP(seen, r)
		timer.ObserveDuration()
		m.requests.WithLabelValues(methodLabel(r.Method), strconv.Itoa(seen.status)).Inc()
	})
}

// methodLabel keeps a stranger's methods from becoming labels.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// statusWriter notes the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap serves http.ResponseController.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// figures turns a snapshot of the registry into metrics, once for each scrape.
type figures struct {
	stats func() registry.Stats
	list  []figure
}

// figure is one metric, or one value of a labelled one.
type figure struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	label string
	value func(registry.Stats) float64
}

func newFigures(stats func() registry.Stats) *figures {
	f := &figures{stats: stats}
	gauge := func(name, help string, value func(registry.Stats) float64) {
		f.list = append(f.list, figure{prometheus.NewDesc("heed_registry_"+name, help, nil, nil), prometheus.GaugeValue, "", value})
	}
	gauge("cards", "Stored cards.", func(s registry.Stats) float64 { return float64(s.Cards) })
	gauge("cards_listed", "Cards that were proven once.", func(s registry.Stats) float64 { return float64(s.Listed) })
	gauge("checks_due", "Proof checks that are due.", func(s registry.Stats) float64 { return float64(s.ChecksDue) })
	gauge("publishers", "Publishers.", func(s registry.Stats) float64 { return float64(s.Publishers) })
	gauge("cache_bytes", "Memory of prepared answers.", func(s registry.Stats) float64 { return float64(s.CacheBytes) })
	gauge("change_sequence", "Number of the last change.", func(s registry.Stats) float64 { return float64(s.Head) })
	gauge("failed", "1 if no writes are taken any more.", func(s registry.Stats) float64 {
		if s.Failure != nil {
			return 1
		}
		return 0
	})
	labelled := func(name, help, label string, kind prometheus.ValueType, values map[string]func(registry.Stats) float64) {
		desc := prometheus.NewDesc("heed_registry_"+name, help, []string{label}, nil)
		for of, value := range values {
			f.list = append(f.list, figure{desc, kind, of, value})
		}
	}
	type by = map[string]func(registry.Stats) float64
	labelled("cards_by_proof", "Stored cards by proof state.", "state", prometheus.GaugeValue, by{
		"fresh":      func(s registry.Stats) float64 { return float64(s.Fresh) },
		"stale":      func(s registry.Stats) float64 { return float64(s.Stale) },
		"unverified": func(s registry.Stats) float64 { return float64(s.Unverified) },
		"pending":    func(s registry.Stats) float64 { return float64(s.Pending) },
	})
	labelled("reads_total", "Anonymous reads.", "outcome", prometheus.CounterValue, by{
		"full":         func(s registry.Stats) float64 { return float64(s.Reads) },
		"not-modified": func(s registry.Stats) float64 { return float64(s.NotModified) },
		"limited":      func(s registry.Stats) float64 { return float64(s.Limited) },
	})
	labelled("writes_total", "Writes of publishers.", "outcome", prometheus.CounterValue, by{
		"accepted": func(s registry.Stats) float64 { return float64(s.WritesAccepted) },
		"refused":  func(s registry.Stats) float64 { return float64(s.WritesRefused) },
	})
	labelled("checks_total", "Proof checks.", "outcome", prometheus.CounterValue, by{
		"passed":       func(s registry.Stats) float64 { return float64(s.Passed) },
		"failed":       func(s registry.Stats) float64 { return float64(s.Failed) },
		"inconclusive": func(s registry.Stats) float64 { return float64(s.Inconclusive) },
	})
	f.list = append(f.list, figure{prometheus.NewDesc("heed_registry_tokens_granted_total", "Access tokens granted.", nil, nil),
		prometheus.CounterValue, "", func(s registry.Stats) float64 { return float64(s.TokensGranted) }})
	return f
}

// Describe implements prometheus.Collector.
func (f *figures) Describe(out chan<- *prometheus.Desc) {
	for _, one := range f.list {
		out <- one.desc
	}
}

// Collect implements prometheus.Collector.
func (f *figures) Collect(out chan<- prometheus.Metric) {
	s := f.stats()
	for _, one := range f.list {
		var labels []string
		if one.label != "" {
			labels = []string{one.label}
		}
		out <- prometheus.MustNewConstMetric(one.desc, one.kind, one.value(s), labels...)
	}
}
