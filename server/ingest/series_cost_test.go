package ingest

import (
	"fmt"
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/table"
)

// scraped returns a request that resembles those of scrapers in Kubernetes: each series has 12
// labels and some samples.
func scraped(series, samples int) *remotewrite.Request {
	r := new(remotewrite.Request)
	for i := range series {
		s := remotewrite.Series{
			Metadata: remotewrite.Metadata{Type: remotewrite.MetricTypeCounter, Help: fmt.Sprintf("Cumulative count of bytes received, kind %d.", i%20)},
			Labels: []remotewrite.Label{
				{Name: "__name__", Value: fmt.Sprintf("container_network_receive_%d_total", i%20)},
				{Name: "cluster", Value: "prod-eu-west-1a"},
				{Name: "container", Value: fmt.Sprintf("application-%d", i%7)},
				{Name: "endpoint", Value: "https-metrics"},
				{Name: "image", Value: "registry.example/app:v1.24"},
				{Name: "instance", Value: fmt.Sprintf("10.42.%d.%d:10250", i%256, i%199)},
				{Name: "job", Value: "kubelet"},
				{Name: "namespace", Value: fmt.Sprintf("team-%03d", i%40)},
				{Name: "node", Value: fmt.Sprintf("ip-10-42-%d-%d.internal", i%16, i%64)},
				{Name: "pod", Value: fmt.Sprintf("application-%x-%05x", i%7*7919, i*40503%(1<<20))},
				{Name: "service", Value: "kubelet-metrics"},
				{Name: "service_id", Value: fmt.Sprintf("tenant-%04d", i%10)},
			},
		}
		for k := range samples {
			s.Samples = append(s.Samples, remotewrite.Sample{Value: float64(i*37%10_000) / 100, Timestamp: t0/1000 + int64(15_000*k)})
		}
		r.Series = append(r.Series, s)
	}
	return r
}

// seriesDecoder returns a function that decodes one request of a tenant.
func seriesDecoder(t testing.TB, version remotewrite.Version, body []byte) func() {
	h := New(Options{})
	q := &request{handler: h, held: h.flight.Own(), codec: codec{format: series.Format}}
	q.record.Time, q.record.DB = t0, series.Database
	return func() {
		if err := q.join([]series.Part{sent("team-a", version, body)}); err != nil {
			t.Fatal(err)
		}
		writes, err := q.decode()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range writes {
			h.pool.Put(w.Batch)
		}
		q.body.Free()
	}
}

func BenchmarkSeries(b *testing.B) {
	for _, version := range []remotewrite.Version{remotewrite.V1, remotewrite.V2} {
		for _, samples := range []int{1, 10} {
			body := remotewrite.Append(nil, version, scraped(2000, samples))
			rows := 2000 * samples
			run := func(name string, fn func()) {
				b.Run(fmt.Sprintf("V%d/samples=%d/%s", version, samples, name), func(b *testing.B) {
					b.SetBytes(int64(len(body)))
					b.ReportAllocs()
					for b.Loop() {
						fn()
					}
					b.ReportMetric(float64(b.N*rows)/b.Elapsed().Seconds(), "samples/s")
				})
			}
			run("decode", seriesDecoder(b, version, body))
			r := newRig(b, Options{}, func(o *table.Options) { o.WAL.SegmentBytes, o.Sink = 64<<20, nowhere{} })
			run("append", func() {
				if got := r.h.AppendSeries([]series.Part{sent("team-a", version, body)}); got.Err != nil {
					b.Fatal(got.Err)
				}
			})
		}
	}
}
