package peers

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/prometheus/prompb"
	v2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
)

// A queue is emptied by any target that accepts its requests, whether the target is slow or fails
// in between. No data that the target has accepted arrives again.
func TestBacklog(t *testing.T) {
	t.Parallel()
	slow := func(r *http.Request, p *post) int {
		time.Sleep(20 * time.Millisecond)
		return 0
	}
	flaky := func() func(r *http.Request, p *post) int {
		var posts atomic.Int64
		return func(r *http.Request, p *post) int {
			if posts.Add(1)%4 == 0 {
				return http.StatusServiceUnavailable
			}
			return 0
		}
	}
	v1 := func(i int) []byte {
		return v1Body(&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{{Labels: pairs("__name__", "up", "tenant", "alpha"), Samples: []prompb.Sample{{Timestamp: int64(i)}}}}})
	}
	inV2 := func(i int) []byte {
		return v2Body(&v2.Request{Symbols: []string{"", "__name__", "up", "tenant", "alpha"}, Timeseries: []v2.TimeSeries{{LabelsRefs: []uint32{1, 2, 3, 4}, Samples: []v2.Sample{{Timestamp: int64(i)}}}}})
	}
	inZstd := func(i int) []byte { return zstdOf(plain(v1(i))) }
	for name, c := range map[string]struct {
		body    func(i int) []byte
		headers string
		answer  func(r *http.Request, p *post) int
	}{
		"slow, version 1":  {v1, v1Headers, slow},
		"slow, version 2":  {inV2, v2Headers, slow},
		"slow, zstd":       {inZstd, vmHeaders, slow},
		"flaky, version 1": {v1, v1Headers, flaky()},
		"flaky, version 2": {inV2, v2Headers, flaky()},
		"flaky, zstd":      {inZstd, vmHeaders, flaky()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			to := newSink(t)
			to.answers(func(r *http.Request, p *post) int { return http.StatusServiceUnavailable })
			args := []string{"--relay.queue=" + t.TempDir(), "--relay.timeout=1m"}
			if c.headers == vmHeaders {
				args = append(args, "--relay.encoding=zstd")
			}
			r := newRelay(t, to.URL, args...)
			const requests = 100
			for i := range requests {
				req := must(http.NewRequest("POST", r.push(), bytes.NewReader(c.body(i))))
				setHeaders(req, c.headers)
				resp := must(http.DefaultClient.Do(req))
				said := must(io.ReadAll(resp.Body))
				resp.Body.Close()
				if resp.StatusCode != http.StatusNoContent {
					t.Fatalf("%s: %s", resp.Status, said)
				}
			}
			to.answers(c.answer)
			eventually(t, func() error {
				arrived, _ := to.all()
				if n := arrived["alpha"].count(requests); n != requests {
					return fmt.Errorf("%d of %d requests have arrived", n, requests)
				}
				return nil
			})
			to.check(t)
			if _, again := to.had(); again > 0 {
				t.Errorf("%d requests came again", again)
			}
		})
	}
}

// setHeaders sets headers from lines of the form "Name: value".
func setHeaders(r *http.Request, lines string) {
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		r.Header.Set(name, value)
	}
}
