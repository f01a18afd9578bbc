package remotewrite_test

import (
	"errors"
	"fmt"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// series returns a series with one sample. Its arguments alternate between label names and values.
func series(labels ...string) (s remotewrite.Series) {
	for i := 0; i < len(labels); i += 2 {
		s.Labels = append(s.Labels, remotewrite.Label{Name: labels[i], Value: labels[i+1]})
	}
	s.Samples = []remotewrite.Sample{{Value: 1, Timestamp: 1760000000000}}
	return s
}

func ExampleScanner() {
	body := remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{
		series("__name__", "up", "job", "api"),
		series("__name__", "up", "job", "db"),
	}})

	var s remotewrite.Scanner // reuse it for all requests
	s.Reset(body, remotewrite.V1)
	for series := range s.Series {
		for name, value := range series.Labels {
			fmt.Printf("%s=%s ", name, value)
		}
		for sample := range series.Samples {
			fmt.Println(sample.Value, sample.Timestamp)
		}
	}
	fmt.Println(s.Err())
	// Output:
	// __name__=up job=api 1 1760000000000
	// __name__=up job=db 1 1760000000000
	// <nil>
}

// This is how a relay splits a request. Each tenant receives a request with its own series, without
// the label that identifies the tenant.
func ExampleSplitter() {
	body := remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{
		series("__name__", "up", "tenant", "red"),
		series("__name__", "up", "tenant", "blue"),
		series("__name__", "up", "tenant", "black"),
		series("__name__", "errors_total", "tenant", "red"),
		series("__name__", "errors_total"),
	}})
	known := map[string]bool{"red": true, "blue": true}
	unknown := errors.New("no such tenant")

	var p remotewrite.Splitter // reuse it for all requests
	err := p.Split(body, remotewrite.V1, remotewrite.By{
		Labels:  []string{"tenant"},
		Remove:  true,
		Default: "blue",
		Accept: func(tenant []byte, _ *remotewrite.SeriesView) error {
			if !known[string(tenant)] {
				return unknown
			}
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var out []byte
	for part := range p.Parts {
		out = part.Append(out[:0]) // the request to send
		fmt.Printf("%s: %d series in %d bytes\n", part.Key(), part.Series, len(out))
	}
	n, first := p.Rejected()
	fmt.Printf("rejected: %d, series %d: %v\n", n, first[0].Series, first[0].Cause)
	// Output:
	// red: 2 series in 82 bytes
	// blue: 2 series in 82 bytes
	// rejected: 1, series 2: no such tenant
}

func ExampleHistogramView() {
	body := remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{{
		Labels: []remotewrite.Label{{Name: "__name__", Value: "request_seconds"}},
		Histograms: []remotewrite.Histogram{{
			Count: remotewrite.IntCount(10), Sum: 4.5, Schema: 0,
			Positive: remotewrite.Buckets{Spans: []remotewrite.BucketSpan{{Offset: -2, Length: 2}, {Offset: 3, Length: 1}}, Deltas: []int64{4, 1, -4}},
		}},
	}}})

	var s remotewrite.Scanner
	s.Reset(body, remotewrite.V1)
	for series := range s.Series {
		for h := range series.Histograms {
			n, _ := h.Count.Int()
			fmt.Println(n, "observations, in all", h.Sum)
			for span := range h.Positive().Spans {
				fmt.Println("after", span.Offset, "buckets", span.Length)
			}
			count := int64(0)
			for delta := range h.Positive().Deltas {
				count += delta
				fmt.Println("a bucket of", count)
			}
		}
	}
	// Output:
	// 10 observations, in all 4.5
	// after -2 buckets 2
	// after 3 buckets 1
	// a bucket of 4
	// a bucket of 5
	// a bucket of 1
}
