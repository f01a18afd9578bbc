package peers

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// tenants are those that the source's series belong to, besides what a sender says of itself, which
// is nobody's.
var tenants = []string{"alpha", "beta", "gamma"}

// nobody is the tenant of series that have no label of one.
const nobody = "anonymous"

// perTenant is how many series there are of each family.
const perTenant = 50

// source is what is scraped. The value of each series tells the scrape and the series:
//
//	counted_total  a counter, with an exemplar in its first series
//	dated          a gauge with a time of its own, that of the scrape
//	spread         a histogram, classic and native
type source struct {
	*httptest.Server
	mu    sync.Mutex
	times []int64 // of scrapes
	down  bool
}

func newSource(t *testing.T) *source {
	s := &source{}
	registry := prometheus.NewRegistry()
	registry.MustRegister(s)
	handler := promhttp.HandlerFor(registry, promhttp.HandlerOpts{EnableOpenMetrics: true})
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.down {
			http.Error(w, "it is down", http.StatusServiceUnavailable)
			return
		}
		s.times = append(s.times, time.Now().UnixMilli())
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// fail has scrapes fail from now on, so that senders mark the series as stale.
func (s *source) fail() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = true
}

// scraped is when it was scraped.
func (s *source) scraped() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.times)
}

// series are the labels of a series as senders write them.
func (s *source) series(name string, series int, tenant string) string {
	return fmt.Sprintf(`__name__="%s",instance="%s",job="source",series="%d",tenant="%s"`, name, strings.TrimPrefix(s.URL, "http://"), series, tenant)
}

// countedValue is what a series of counted_total has in a scrape, from the first.
func countedValue(scrape, series int) float64 { return float64(scrape)*1000 + float64(series) + 0.1 }

// datedValue is the same for dated.
func datedValue(scrape, series int) float64 { return -countedValue(scrape, series) }

var (
	countedDesc = prometheus.NewDesc("counted_total", "Counts.", []string{"tenant", "series"}, nil)
	datedDesc   = prometheus.NewDesc("dated", "Tells when.", []string{"tenant", "series"}, nil)
	spreadDesc  = prometheus.NewDesc("spread", "Spreads.", []string{"tenant"}, nil)
)

// Describe implements prometheus.Collector.
func (s *source) Describe(descs chan<- *prometheus.Desc) {
	descs <- countedDesc
	descs <- datedDesc
	descs <- spreadDesc
}

// Collect implements prometheus.Collector. It is called during a scrape only.
func (s *source) Collect(metrics chan<- prometheus.Metric) {
	n := len(s.times)
	now := time.UnixMilli(s.times[n-1])
	for _, tenant := range tenants {
		for i := range perTenant {
			counted := prometheus.MustNewConstMetric(countedDesc, prometheus.CounterValue, countedValue(n, i), tenant, strconv.Itoa(i))
			if i == 0 {
				counted = prometheus.MustNewMetricWithExemplars(counted, prometheus.Exemplar{
					Value: countedValue(n, 0), Labels: prometheus.Labels{"trace": fmt.Sprint(tenant, n)}, Timestamp: now,
				})
			}
			metrics <- counted
			metrics <- prometheus.NewMetricWithTimestamp(now, prometheus.MustNewConstMetric(datedDesc, prometheus.GaugeValue, datedValue(n, i), tenant, strconv.Itoa(i)))
		}
		metrics <- prometheus.MustNewConstNativeHistogram(spreadDesc, uint64(3*n+4), float64(n)/3, map[int]int64{1: int64(n), 2: 3, 7: int64(n)},
			map[int]int64{-1: int64(n)}, 1, 3, 0.001, now, tenant)
	}
}
