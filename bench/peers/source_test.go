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

// tenants lists the tenants of the source's series. The series of a sender about itself belong to
// nobody.
var tenants = []string{"alpha", "beta", "gamma"}

// nobody is the tenant of series without a tenant label.
const nobody = "anonymous"

// perTenant is the number of series that each tenant has in a family.
const perTenant = 50

// source is the target of scrapes. The value of each series identifies the scrape and the series:
//
//	counted_total  a counter, with an exemplar in its first series
//	dated          a gauge with its own timestamp, the time of the scrape
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

// fail makes all further scrapes fail, so that senders mark the series as stale.
func (s *source) fail() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.down = true
}

// scraped returns the times of all scrapes.
func (s *source) scraped() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.times)
}

// series returns the labels of a series in the format of senders.
func (s *source) series(name string, series int, tenant string) string {
	return fmt.Sprintf(`__name__="%s",instance="%s",job="source",series="%d",tenant="%s"`, name, strings.TrimPrefix(s.URL, "http://"), series, tenant)
}

// countedValue returns the value of a series of counted_total in a scrape. The first scrape is 1.
func countedValue(scrape, series int) float64 { return float64(scrape)*1000 + float64(series) + 0.1 }

// datedValue returns the value of a series of dated in a scrape.
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
