package relay

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/series"
)

// Tests of the requirements that the receiver tests of github.com/prometheus/compliance check, in
// each mode of the relay.

// receiver is a relay in one mode, and a function that counts what arrived.
type receiver struct {
	*rig
	came func() counts // forwarded or landed
}

var receivers = map[string]func(t *testing.T) receiver{
	"passed on": func(t *testing.T) receiver { return passing(t, Options{}) },
	"passed on, by tenants": func(t *testing.T) receiver {
		return passing(t, Options{Tenants: Tenants{Labels: []string{"series", "z"}, Remove: true, Default: "d", Missing: Fallback}})
	},
	"replicated": func(t *testing.T) receiver { return replicating(t, Options{}) },
	"replicated by a queue": func(t *testing.T) receiver {
		return replicating(t, Options{Queue: &QueueOptions{Dir: t.TempDir()}})
	},
	"queued": func(t *testing.T) receiver { return passing(t, Options{Queue: &QueueOptions{Dir: t.TempDir()}}) },
	"landed": func(t *testing.T) receiver {
		var mu sync.Mutex
		var n counts
		o := Options{Tenants: Tenants{Default: "d", Missing: Fallback}}
		o.Land = func(parts []series.Part) series.Result {
			mu.Lock()
			defer mu.Unlock()
			for _, part := range parts {
				p := post{version: part.Version}
				if err := remotewrite.Decode(part.Body, part.Version, &p.request); err != nil {
					return series.Result{Verdict: series.Failed, Err: err}
				}
				n.add(p.counts())
			}
			return series.Result{}
		}
		return receiver{newRig(t, o), func() counts {
			mu.Lock()
			defer mu.Unlock()
			return n
		}}
	},
}

// replicating returns a relay with two targets. It counts only what both targets got.
func replicating(t *testing.T, o Options) receiver {
	first, second := newSink(t), newSink(t)
	o.Targets, o.Replicate = []string{first.URL, second.URL}, true
	o.Tenants = Tenants{Default: "d", Missing: Fallback}
	return receiver{newRig(t, o), func() counts {
		if n := first.came(); n == second.came() {
			return n
		}
		return counts{Series: -1}
	}}
}

func passing(t *testing.T, o Options) receiver {
	s := newSink(t)
	o.Targets = []string{s.URL}
	if o.Tenants.Missing == 0 {
		o.Tenants = Tenants{Default: "d", Missing: Fallback}
	}
	return receiver{newRig(t, o), s.came}
}

// came returns the counts of all posts that the sink got.
func (s *sink) came() (n counts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.posts {
		n.add(p.counts())
	}
	return n
}

// native returns a native histogram. Each requested side has two buckets with counts.
func native(positive, negative, zero, custom bool) remotewrite.Histogram {
	h := remotewrite.Histogram{Sum: 1.5, Timestamp: 1000}
	n := uint64(0)
	buckets := func() remotewrite.Buckets {
		n += 5
		return remotewrite.Buckets{Spans: []remotewrite.BucketSpan{{Length: 2}}, Deltas: []int64{2, 1}}
	}
	if positive {
		h.Positive = buckets()
	}
	if negative {
		h.Negative = buckets()
	}
	if zero {
		h.ZeroCount, h.ZeroThreshold = remotewrite.IntCount(1), 1e-128
		n++
	}
	if custom {
		h.Schema, h.CustomValues = -53, []float64{0.1, 1, 10}
	}
	h.Count = remotewrite.IntCount(n)
	return h
}

func TestReceiver(t *testing.T) {
	sample := func(value float64, labels ...string) remotewrite.Series { return seriesWith(value, labels...) }
	histogram := func(h remotewrite.Histogram) remotewrite.Series {
		s := seriesWith(0, "__name__", "test_histogram", "job", "test")
		s.Samples, s.Histograms = nil, []remotewrite.Histogram{h}
		return s
	}
	miscounted := native(true, false, false, false)
	miscounted.Count = remotewrite.IntCount(1)
	unspanned := native(true, false, false, false)
	unspanned.Positive.Spans[0].Length = 3
	negative := native(true, false, false, false)
	negative.Positive.Deltas[1] = -3
	nan := native(true, false, false, false)
	nan.Sum, nan.Count = math.NaN(), remotewrite.IntCount(9)
	floats := native(false, false, false, false)
	floats.Count, floats.ZeroCount = remotewrite.FloatCount(2.5), remotewrite.FloatCount(0.5)
	floats.Positive = remotewrite.Buckets{Spans: []remotewrite.BucketSpan{{Offset: -3, Length: 2}}, Counts: []float64{1, 1}}
	with := func(s remotewrite.Series, change func(*remotewrite.Series)) remotewrite.Series { change(&s); return s }
	exemplar := func(s *remotewrite.Series) {
		s.Exemplars = []remotewrite.Exemplar{{Labels: []remotewrite.Label{{Name: "trace_id", Value: "ä-1"}}, Value: 1, Timestamp: 1000}}
	}
	metadata := func(s *remotewrite.Series) {
		s.Metadata = remotewrite.Metadata{Type: remotewrite.MetricTypeHistogram, Help: "Hilfe \"ä\"\n", Unit: "special/units"}
	}
	up := sample(1, "__name__", "up", "job", "testjob", "instance", "localhost:9090")
	both := func(s *remotewrite.Series) { exemplar(s); metadata(s) }
	bare := func(s *remotewrite.Series) { s.Samples = nil }
	var types []remotewrite.Series
	for kind := remotewrite.MetricTypeUnknown; kind <= remotewrite.MetricTypeStateset; kind++ {
		types = append(types, with(sample(1, "__name__", fmt.Sprint("of_type_", kind)), func(s *remotewrite.Series) {
			s.Metadata = remotewrite.Metadata{Type: kind, Help: "help"}
		}))
	}
	times := with(up, func(s *remotewrite.Series) {
		s.Samples = []remotewrite.Sample{{Value: 1, Timestamp: 1000}, {Value: 2, Timestamp: 60_000}, {Value: 3, Timestamp: 3_600_000}}
		for _, v := range s.Samples {
			s.Exemplars = append(s.Exemplars, remotewrite.Exemplar{Labels: []remotewrite.Label{{Name: "trace_id", Value: "t"}}, Value: v.Value, Timestamp: v.Timestamp})
		}
	})
	started := native(true, true, true, false)
	started.StartTimestamp = 500
	var many []remotewrite.Series
	for i := range 50 {
		many = append(many, with(sample(float64(i), "__name__", fmt.Sprint("counter_", i), "series", fmt.Sprint(i)), exemplar), histogram(native(true, i%2 == 0, true, false)))
	}
	for name, c := range map[string]struct {
		send []remotewrite.Series
		good counts // counts that should be written; unless bad, these are the counts of send
		bad  bool
	}{
		"a name alone":                  {send: []remotewrite.Series{sample(1, "__name__", "up")}},
		"labels":                        {send: []remotewrite.Series{up}},
		"new lines":                     {send: []remotewrite.Series{sample(1, "__name__", "up", "job", "test\njob\n")}},
		"dots":                          {send: []remotewrite.Series{sample(1, "__name__", "resource.cpu.usage", "job.name", "testjob")}},
		"blanks":                        {send: []remotewrite.Series{sample(1, "__name__", "resource cpu usage", "job name", "testjob")}},
		"unsorted labels":               {send: []remotewrite.Series{sample(1, "z", "1", "job", "testjob", "__name__", "up")}},
		"special values":                {send: []remotewrite.Series{sample(math.NaN(), "__name__", "a"), sample(math.Inf(1), "__name__", "b"), sample(math.Inf(-1), "__name__", "c"), sample(math.Float64frombits(remotewrite.StaleNaN), "__name__", "d")}},
		"no name":                       {send: []remotewrite.Series{sample(1, "job", "testjob", "instance", "localhost:9090")}, bad: true},
		"an empty name":                 {send: []remotewrite.Series{sample(1, "__name__", "", "job", "testjob")}, bad: true},
		"no labels":                     {send: []remotewrite.Series{sample(1)}, bad: true},
		"one of four without a name":    {send: []remotewrite.Series{sample(1, "job", "testjob"), up, up, up}, good: counts{3, 3, 0, 0}, bad: true},
		"all without a name":            {send: []remotewrite.Series{sample(1, "job", "testjob"), sample(2, "job", "testjob")}, bad: true},
		"a start time":                  {send: []remotewrite.Series{with(up, func(s *remotewrite.Series) { s.Samples[0].StartTimestamp = 500 })}},
		"histograms":                    {send: []remotewrite.Series{histogram(native(true, true, true, false)), histogram(native(true, false, true, false)), histogram(native(false, true, false, false)), histogram(native(false, false, true, false)), histogram(native(false, false, false, false))}},
		"custom buckets":                {send: []remotewrite.Series{histogram(native(true, false, false, true))}},
		"a histogram of floats":         {send: []remotewrite.Series{histogram(floats)}},
		"a histogram with NaN":          {send: []remotewrite.Series{histogram(nan)}},
		"a bad count":                   {send: []remotewrite.Series{histogram(miscounted)}, bad: true},
		"a bad count beside a good one": {send: []remotewrite.Series{histogram(miscounted), histogram(native(true, true, true, false)), up}, good: counts{2, 1, 1, 0}, bad: true},
		"spans without buckets":         {send: []remotewrite.Series{up, histogram(unspanned)}, good: counts{1, 1, 0, 0}, bad: true},
		"a negative bucket":             {send: []remotewrite.Series{up, histogram(negative)}, good: counts{1, 1, 0, 0}, bad: true},
		"exemplars":                     {send: []remotewrite.Series{with(up, exemplar), with(histogram(native(true, true, true, false)), exemplar)}},
		"metadata":                      {send: []remotewrite.Series{with(histogram(native(true, false, false, false)), metadata), with(up, func(s *remotewrite.Series) { exemplar(s); metadata(s) })}},
		"an exemplar without labels":    {send: []remotewrite.Series{with(up, func(s *remotewrite.Series) { s.Exemplars = []remotewrite.Exemplar{{Value: 1, Timestamp: 1000}} })}},
		"exemplars alone":               {send: []remotewrite.Series{with(up, func(s *remotewrite.Series) { bare(s); exemplar(s) })}},
		"metadata alone":                {send: []remotewrite.Series{with(up, func(s *remotewrite.Series) { bare(s); metadata(s) })}},
		"several times":                 {send: []remotewrite.Series{times}},
		"exemplars without a name":      {send: []remotewrite.Series{with(sample(1, "job", "test"), exemplar)}, bad: true},
		"exemplars of an empty name":    {send: []remotewrite.Series{with(sample(1, "__name__", ""), exemplar), up}, good: counts{1, 1, 0, 0}, bad: true},
		"metadata without a name":       {send: []remotewrite.Series{with(sample(1, "job", "test"), metadata)}, bad: true},
		"metadata of an empty name":     {send: []remotewrite.Series{with(sample(1, "__name__", ""), both), up}, good: counts{1, 1, 0, 0}, bad: true},
		"types of metadata":             {send: types},
		"custom buckets without counts": {send: []remotewrite.Series{with(histogram(native(false, false, false, true)), exemplar)}},
		"a histogram's start time":      {send: []remotewrite.Series{histogram(started)}},
		"characters":                    {send: []remotewrite.Series{with(sample(42, "__name__", "test_metric", "environment", "test🚀", "job", "test-job_with.special@chars"), exemplar)}},
		"many":                          {send: many},
	} {
		for way, open := range receivers {
			for _, version := range versions {
				t.Run(fmt.Sprintf("%s, %s, version %d", name, way, version), func(t *testing.T) {
					r := open(t)
					good := c.good
					if !c.bad {
						sent := post{request: remotewrite.Request{Series: c.send}}
						good = sent.counts()
					}
					a := r.send(t, version, c.send...)
					if c.bad {
						a.want(t, 400, "refused")
					} else {
						a.want(t, 204)
					}
					if version == remotewrite.V2 {
						for header, want := range map[string]int64{samplesHeader: good.Samples, histogramsHeader: good.Histograms, exemplarsHeader: good.Exemplars} {
							if got := a.header.Get(header); got != strconv.FormatInt(want, 10) {
								t.Errorf("%s: %q, want %d", header, got, want)
							}
						}
					}
					waitFor(t, "what is good", func() bool { return r.came() == good })
				})
			}
		}
	}
}

// Invalid requests are rejected with the right status.
func TestReceiverRefuses(t *testing.T) {
	for way, open := range receivers {
		t.Run(way, func(t *testing.T) {
			r := open(t)
			for _, version := range versions {
				good := s2.EncodeSnappy(nil, remotewrite.Append(nil, version, &remotewrite.Request{Series: []remotewrite.Series{seriesWith(1, "__name__", "up")}}))
				corrupt, headless := append([]byte{'0'}, good[1:]...), append([]byte{0xff}, good[1:]...)
				if a := r.post(t, headless, "Content-Type", contentTypes[version], "Content-Encoding", "snappy"); a.status != 400 {
					t.Errorf("a damaged head: %d: %s", a.status, a.body)
				}
				for header, status := range map[[2]string]int{
					{"Content-Type", "application/json"}: 415, {"Content-Type", "image/png"}: 415,
					{"Content-Encoding", "gzip"}: 415, {"Content-Encoding", "deflate"}: 415, {"X-Any", "thing"}: 400,
				} {
					headers := []string{"Content-Type", contentTypes[version], "Content-Encoding", "snappy", header[0], header[1]}
					if a := r.post(t, corrupt, headers...); a.status != status {
						t.Errorf("%v: %d, want %d: %s", header, a.status, status, a.body)
					}
				}
			}
			if n := r.came(); n != (counts{}) {
				t.Errorf("%+v came", n)
			}
		})
	}
}

func TestStatusesOfTheProtocol(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	plain := remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a", 1)}})
	good := s2.EncodeSnappy(nil, plain)
	for _, c := range []struct {
		encoding, contentType string
		status                int
	}{
		{"snappy", "application/x-protobuf", 204}, {"", "application/x-protobuf", 204}, {"snappy", "", 204}, {"", "", 204},
		{"snappy", "application/x-protobuf;proto=prometheus.WriteRequest", 204},
		{"snappy", "application/x-protobuf; proto=prometheus.WriteRequest", 204},
		{"snappy", `Application/X-Protobuf; Proto="prometheus.WriteRequest"; q=1`, 204},
		{"gzip", "application/x-protobuf", 415}, {"deflate", "", 415}, {"identity", "", 415}, {"snappy, zstd", "", 415}, {"br", "", 415},
		{"snappy", "application/json", 415}, {"snappy", "image/png", 415}, {"snappy", "application/x-protobuf;proto=io.prometheus.write.v3.Request", 415},
		{"snappy", "application/x-protobuf;proto", 415}, {"snappy", "application/x-protobuf;proto=a;proto=b", 415}, {"snappy", ";", 415}, {"snappy", "text/plain; charset=utf-8", 415},
		{"gzip", "application/json", 415},
	} {
		header := []string{"Content-Encoding", c.encoding, "Content-Type", c.contentType}
		a := r.post(t, good, header...)
		a.want(t, c.status)
		if c.status == 415 {
			r.post(t, []byte("corrupt"), header...).want(t, 415) // checked before the body is decoded
		}
		if c.encoding == "gzip" && !strings.Contains(a.body, "Content-Encoding") {
			t.Errorf("the encoding is not what is told first: %s", a.body)
		}
	}
	for _, method := range []string{"GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"} {
		req, _ := http.NewRequest(method, r.server.URL+"/api/v1/write", nil)
		if a := r.do(t, req); a.status != 405 || a.header.Get("Allow") != "POST" {
			t.Errorf("%s: %d, Allow: %q", method, a.status, a.header.Get("Allow"))
		}
	}
	for _, version := range versions {
		for _, status := range []int{204, 400} {
			list := []remotewrite.Series{of("a", 1)}
			if status == 400 {
				list = append(list, of("a|b", 1))
			}
			a := r.send(t, version, list...)
			a.want(t, status)
			for _, name := range []string{samplesHeader, histogramsHeader, exemplarsHeader} {
				if _, there := a.header[name]; there != (version == remotewrite.V2) {
					t.Errorf("version %d, %d: %v", version, status, a.header)
				}
			}
			if version == remotewrite.V2 && a.header.Get(samplesHeader) != "1" {
				t.Errorf("%d: %v", status, a.header)
			}
		}
	}
}
