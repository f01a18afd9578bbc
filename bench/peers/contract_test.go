package peers

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/prometheus/prometheus/prompb"
	v2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
)

// request is a request of a sender, with the expected results. The cases include the requirements
// of Prometheus' compliance tests for receivers and senders.
type request struct {
	method  string // default POST
	path    string // default /api/v1/write
	body    []byte // compressed
	headers string // lines of the form "Name: value"

	answer func(r *http.Request, p *post) int // the target's response

	status  int
	says    string   // a part of the response body
	written string   // the three headers of written counts; empty if there are none
	posts   []string // series at the target, each with its tenant
}

const (
	v1Headers = "Content-Type: application/x-protobuf\nContent-Encoding: snappy\nX-Prometheus-Remote-Write-Version: 0.1.0"
	v2Headers = "Content-Type: " + v2Type + "\nContent-Encoding: snappy\nX-Prometheus-Remote-Write-Version: 2.0.0"
	vmHeaders = "Content-Type: application/x-protobuf\nContent-Encoding: zstd\nX-VictoriaMetrics-Remote-Write-Version: 1"
)

func with(headers, replace, by string) string { return strings.Replace(headers, replace, by, 1) }

func TestContract(t *testing.T) {
	t.Parallel()
	to := newSink(t)
	r := newRelay(t, to.URL)
	of := func(labels ...string) prompb.TimeSeries {
		return prompb.TimeSeries{Labels: pairs(labels...), Samples: []prompb.Sample{{Value: 1, Timestamp: 1000}}}
	}
	alpha, beta := of("__name__", "up", "tenant", "alpha"), of("__name__", "up", "tenant", "beta")
	both := v1Body(&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{alpha, beta}})
	// If a failed request is repeated, the data that was accepted is not posted again. So these
	// requests need points of their own.
	failing := func(time int64) []byte {
		alpha, beta := alpha, beta
		alpha.Samples, beta.Samples = []prompb.Sample{{Timestamp: time}}, []prompb.Sample{{Timestamp: time}}
		return v1Body(&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{alpha, beta}})
	}
	three := func(time int64) []byte {
		return v2Body(&v2.Request{Symbols: []string{"", "__name__", "up", "tenant", "alpha", "beta", "trace", "x"}, Timeseries: []v2.TimeSeries{
			{LabelsRefs: []uint32{1, 2, 3, 4}, Samples: []v2.Sample{{Value: 1, Timestamp: time}, {Value: 2, Timestamp: time + 1}}, Exemplars: []v2.Exemplar{{LabelsRefs: []uint32{6, 7}, Value: 1, Timestamp: time}}},
			{LabelsRefs: []uint32{1, 2, 3, 5}, Histograms: []v2.Histogram{{Timestamp: time, Sum: 1}}},
			{LabelsRefs: []uint32{1, 2, 3, 5}, Samples: []v2.Sample{{Value: 3, Timestamp: time + 1}}},
		}})
	}
	bothV2 := three(2000)
	const ofAlpha, ofBeta = `alpha __name__="up",tenant="alpha"`, `beta __name__="up",tenant="beta"`
	refusesBeta := func(status int) func(*http.Request, *post) int {
		return func(_ *http.Request, p *post) int {
			if p.tenant == "beta" {
				return status
			}
			return 0
		}
	}
	garbage := []byte("this was never compressed")
	for name, c := range map[string]request{
		"version 1":                     {body: both, headers: v1Headers, status: 204, posts: []string{ofAlpha, ofBeta}},
		"version 1 with no headers":     {body: both, headers: "Content-Encoding: snappy", status: 204, posts: []string{ofAlpha, ofBeta}},
		"version 1 by its full name":    {body: both, headers: with(v1Headers, "x-protobuf", "x-protobuf;proto=prometheus.WriteRequest"), status: 204, posts: []string{ofAlpha, ofBeta}},
		"version 2":                     {body: bothV2, headers: v2Headers, status: 204, written: "3 1 1", posts: []string{ofAlpha, ofBeta, ofBeta}},
		"version 2 with a space":        {body: bothV2, headers: with(v2Headers, ";", "; "), status: 204, written: "3 1 1", posts: []string{ofAlpha, ofBeta, ofBeta}},
		"another path":                  {path: "/api/v1/push", body: both, headers: v1Headers, status: 204, posts: []string{ofAlpha, ofBeta}},
		"a tenant that a client claims": {body: both, headers: v1Headers + "\nX-Scope-OrgID: gamma", status: 204, posts: []string{ofAlpha, ofBeta}},

		"labels that are not sorted": {
			body: v1Body(&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{of("z", "1", "tenant", "alpha", "__name__", "up", "a", "2"), beta}}), headers: v1Headers,
			status: 204, posts: []string{`alpha z="1",tenant="alpha",__name__="up",a="2"`, ofBeta},
		},
		"no tenant": {
			body: v1Body(&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{of("__name__", "up"), of("__name__", "down", "tenant", "")}}), headers: v1Headers,
			status: 204, posts: []string{nobody + ` __name__="up"`, nobody + ` __name__="down",tenant=""`},
		},
		"two tenants in one series": {
			body: v1Body(&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{of("__name__", "up", "tenant", "alpha", "tenant", "beta"), alpha}}), headers: v1Headers,
			status: 400, posts: []string{ofAlpha},
		},
		"a tenant that is none": {
			body: v1Body(&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{of("__name__", "up", "tenant", "a|b"), alpha}}), headers: v1Headers,
			status: 400, says: "a|b", posts: []string{ofAlpha},
		},
		"no name": {
			body: v1Body(&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{of("job", "j", "tenant", "alpha"), beta}}), headers: v1Headers,
			status: 400, says: "__name__", posts: []string{ofBeta},
		},
		"metadata alone": {
			body: v1Body(&prompb.WriteRequest{Metadata: []prompb.MetricMetadata{{Type: prompb.MetricMetadata_GAUGE, MetricFamilyName: "up", Help: "is it up"}}}), headers: v1Headers,
			status: 204, posts: []string{nobody + " help: is it up"},
		},
		"metadata and series": {
			body: v1Body(&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{alpha}, Metadata: []prompb.MetricMetadata{{Type: prompb.MetricMetadata_GAUGE, MetricFamilyName: "up", Help: "is it up"}}}), headers: v1Headers,
			status: 204, posts: []string{ofAlpha, nobody + " help: is it up"},
		},
		"exemplars alone": {
			body: v1Body(&prompb.WriteRequest{Timeseries: []prompb.TimeSeries{{Labels: alpha.Labels, Exemplars: []prompb.Exemplar{{Labels: pairs("trace", "x"), Value: 1, Timestamp: 1000}}}}}), headers: v1Headers,
			status: 204, posts: []string{ofAlpha},
		},
		"exemplars alone, version 2": {
			body: v2Body(&v2.Request{Symbols: []string{"", "__name__", "up", "tenant", "alpha", "trace", "x"}, Timeseries: []v2.TimeSeries{
				{LabelsRefs: []uint32{1, 2, 3, 4}, Exemplars: []v2.Exemplar{{LabelsRefs: []uint32{5, 6}, Value: 1, Timestamp: 1000}}}}}), headers: v2Headers,
			status: 204, written: "0 0 1", posts: []string{ofAlpha},
		},
		"metadata of version 2": {
			body: v2Body(&v2.Request{Symbols: []string{"", "__name__", "up", "tenant", "alpha", "beta", "is it up"}, Timeseries: []v2.TimeSeries{
				{LabelsRefs: []uint32{1, 2, 3, 5}, Samples: []v2.Sample{{Value: 1, Timestamp: 1000}}},
				{LabelsRefs: []uint32{1, 2, 3, 4}, Samples: []v2.Sample{{Value: 1, Timestamp: 1000}}, Metadata: v2.Metadata{Type: v2.Metadata_METRIC_TYPE_GAUGE, HelpRef: 6}}}}), headers: v2Headers,
			status: 204, written: "2 0 0", posts: []string{ofAlpha, ofBeta, "alpha help: is it up"},
		},
		"nothing":            {body: v1Body(&prompb.WriteRequest{}), headers: v1Headers, status: 204},
		"nothing, version 2": {body: v2Body(&v2.Request{Symbols: []string{""}}), headers: v2Headers, status: 204, written: "0 0 0"},

		"JSON":                      {body: garbage, headers: with(v1Headers, "x-protobuf", "json"), status: 415},
		"an image":                  {body: garbage, headers: with(v1Headers, "application/x-protobuf", "image/png"), status: 415},
		"a message of another kind": {body: garbage, headers: with(v1Headers, "x-protobuf", "x-protobuf;proto=prometheus.ReadRequest"), status: 415},
		"gzip":                      {body: garbage, headers: with(v1Headers, "snappy", "gzip"), status: 415},
		"deflate":                   {body: garbage, headers: with(v1Headers, "snappy", "deflate"), status: 415},
		"gzip, version 2":           {body: garbage, headers: with(v2Headers, "snappy", "gzip"), status: 415},
		"GET":                       {method: "GET", status: 405},
		"PUT":                       {method: "PUT", body: both, headers: v1Headers, status: 405},

		"not compressed":                     {body: garbage, headers: v1Headers, status: 400},
		"compressed, but nothing in it":      {body: s2.EncodeSnappy(nil, garbage), headers: v1Headers, status: 400},
		"an end that is missing":             {body: s2.EncodeSnappy(nil, plain(both)[:len(plain(both))-3]), headers: v1Headers, status: 400},
		"empty":                              {headers: v1Headers, status: 400},
		"not compressed, version 2":          {body: garbage, headers: v2Headers, status: 400, written: "0 0 0"},
		"version 1 under version 2":          {body: both, headers: v2Headers, status: 400, written: "0 0 0"},
		"version 2 under version 1":          {body: bothV2, headers: v1Headers, status: 400},
		"a symbol that is not there":         {body: v2Body(&v2.Request{Symbols: []string{"", "up"}, Timeseries: []v2.TimeSeries{{LabelsRefs: []uint32{1, 2}}}}), headers: v2Headers, status: 400, written: "0 0 0"},
		"a name without a value":             {body: v2Body(&v2.Request{Symbols: []string{"", "up"}, Timeseries: []v2.TimeSeries{{LabelsRefs: []uint32{1, 1, 1}}}}), headers: v2Headers, status: 400, written: "0 0 0"},
		"a bomb":                             {body: binary.AppendUvarint(nil, 1<<31), headers: v1Headers, status: 413},
		"a target that refuses one":          {body: both, headers: v1Headers, answer: refusesBeta(400), status: 400, says: "beta", posts: []string{ofAlpha}},
		"a target that does not know one":    {body: both, headers: v1Headers, answer: refusesBeta(404), status: 400, says: "beta", posts: []string{ofAlpha}},
		"a target that fails for one":        {body: three(3000), headers: v2Headers, answer: refusesBeta(500), status: 503, says: "beta", written: "2 0 1", posts: []string{ofAlpha}},
		"a target that has too much of one":  {body: failing(4000), headers: v1Headers, answer: refusesBeta(429), status: 503, says: "beta", posts: []string{ofAlpha}},
		"a target that refuses of version 2": {body: bothV2, headers: v2Headers, answer: refusesBeta(400), status: 400, says: "beta", written: "2 0 1", posts: []string{ofAlpha}},

		"vmagent's question":          {method: "GET", path: "/api/v1/write?get_vm_proto_version=1", status: 200, says: "1"},
		"vmagent":                     {body: zstdOf(plain(both)), headers: vmHeaders, status: 204, posts: []string{ofAlpha, ofBeta}},
		"vmagent, under its old name": {body: both, headers: vmHeaders, status: 204, posts: []string{ofAlpha, ofBeta}},
		"vmagent, not compressed":     {body: garbage, headers: vmHeaders, status: 409},
		"vmagent, and a refusal":      {body: zstdOf(plain(both)), headers: vmHeaders, answer: refusesBeta(400), status: 409, posts: []string{ofAlpha}},
		"vmagent, and a stranger":     {body: zstdOf(plain(both)), headers: vmHeaders, answer: refusesBeta(403), status: 409, posts: []string{ofAlpha}},
		"vmagent, and a failure":      {body: zstdOf(plain(failing(5000))), headers: vmHeaders, answer: refusesBeta(500), status: 503, posts: []string{ofAlpha}},
	} {
		t.Run(name, func(t *testing.T) { c.check(t, r, to) })
	}

	t.Run("a field of older versions", func(t *testing.T) {
		// The field TimeSeries.created_timestamp, number 6, no longer exists.
		series := v2.TimeSeries{LabelsRefs: []uint32{1, 2, 3, 4}, Samples: []v2.Sample{{Value: 1, Timestamp: 1000}}}
		text := must(series.Marshal())
		created := binary.AppendUvarint([]byte{6 << 3}, 1234567890123)
		body := plain(v2Body(&v2.Request{Symbols: []string{"", "__name__", "up", "tenant", "alpha", "beta"}, Timeseries: []v2.TimeSeries{{LabelsRefs: []uint32{1, 2, 3, 5}, Samples: series.Samples}}}))
		body = append(binary.AppendUvarint(append(body, 5<<3|2), uint64(len(text)+len(created))), append(text, created...)...)
		(&request{body: s2.EncodeSnappy(nil, body), headers: v2Headers, status: 204, written: "2 0 0", posts: []string{ofAlpha, ofBeta}}).check(t, r, to)
		posts, _ := to.had()
		for _, p := range posts {
			if has := bytes.Contains(p.body, created); has != (p.tenant == "alpha") {
				t.Errorf("tenant %s: it has the field: %v", p.tenant, has)
			}
		}
	})
}

// A target that supports version 2, but keeps no exemplars, may write nothing of a request. The
// target reports this, and so does the relay. The relay continues to send version 2.
func TestNothingWritten(t *testing.T) {
	t.Parallel()
	to := newSink(t)
	to.noExemplars = true
	r := newRelay(t, to.URL)
	symbols := []string{"", "__name__", "up", "tenant", "alpha", "trace", "x"}
	labels := []uint32{1, 2, 3, 4}
	for _, c := range []request{
		{body: v2Body(&v2.Request{Symbols: symbols, Timeseries: []v2.TimeSeries{{LabelsRefs: labels, Exemplars: []v2.Exemplar{{LabelsRefs: []uint32{5, 6}, Timestamp: 1000}}}}}), status: 400, written: "0 0 0"},
		{body: v2Body(&v2.Request{Symbols: symbols, Timeseries: []v2.TimeSeries{{LabelsRefs: labels, Samples: []v2.Sample{{Timestamp: 1000}}}}}), status: 204, written: "1 0 0"},
	} {
		c.headers, c.posts = v2Headers, []string{`alpha __name__="up",tenant="alpha"`}
		c.check(t, r, to)
		posts, _ := to.had()
		for _, p := range posts {
			if !p.v2 {
				t.Error("the target gets version 1")
			}
		}
	}
}

// check sends the request through the relay.
func (c *request) check(t *testing.T, r *relay, to *sink) {
	to.answers(c.answer)
	to.reset()
	method, path := "POST", "/api/v1/write"
	if c.method != "" {
		method = c.method
	}
	if c.path != "" {
		path = c.path
	}
	req := must(http.NewRequest(method, r.url+path, bytes.NewReader(c.body)))
	setHeaders(req, c.headers)
	resp := must(http.DefaultClient.Do(req))
	defer resp.Body.Close()
	text := string(must(io.ReadAll(resp.Body)))
	if resp.StatusCode != c.status || !strings.Contains(text, c.says) || len(text) > 1024 {
		t.Errorf("status %d, want %d: %s", resp.StatusCode, c.status, text)
	}
	var written []string
	for _, what := range []string{"Samples", "Histograms", "Exemplars"} {
		written = append(written, resp.Header.Get("X-Prometheus-Remote-Write-"+what+"-Written"))
	}
	if got := strings.TrimSpace(strings.Join(written, " ")); got != c.written {
		t.Errorf("written %q, want %q", got, c.written)
	}
	if retry := resp.Header.Get("Retry-After"); (retry != "") != (resp.StatusCode == http.StatusServiceUnavailable) {
		t.Errorf("status %d with Retry-After %q", resp.StatusCode, retry)
	}
	to.mu.Lock()
	defer to.mu.Unlock()
	var posts []string
	for _, p := range to.posts {
		for _, s := range p.series {
			posts = append(posts, p.tenant+" "+s)
		}
		for _, text := range p.helps {
			posts = append(posts, p.tenant+" help: "+text)
		}
		p.wantHeaders(t)
	}
	slices.Sort(posts)
	want := slices.Sorted(slices.Values(c.posts))
	if !slices.Equal(posts, want) {
		t.Errorf("at the target:\n%s\nwant:\n%s", strings.Join(posts, "\n"), strings.Join(want, "\n"))
	}
	if len(to.wrong) > 0 {
		t.Errorf("at the target: %q", to.wrong)
	}
}

// wantHeaders checks the headers that the relay sends.
func (p *post) wantHeaders(t *testing.T) {
	want := v1Headers
	if p.v2 {
		want = v2Headers
	}
	for line := range strings.Lines(want) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if got := p.header.Get(name); got != value {
			t.Errorf("the relay sends %s: %s, want %s", name, got, value)
		}
	}
	if got := p.header.Get("User-Agent"); !strings.HasPrefix(got, "slipstream/") {
		t.Errorf("the relay sends User-Agent: %s", got)
	}
}

func pairs(labels ...string) (list []prompb.Label) {
	for i := 0; i < len(labels); i += 2 {
		list = append(list, prompb.Label{Name: labels[i], Value: labels[i+1]})
	}
	return list
}

func v1Body(r *prompb.WriteRequest) []byte { return s2.EncodeSnappy(nil, must(r.Marshal())) }
func v2Body(r *v2.Request) []byte          { return s2.EncodeSnappy(nil, must(r.Marshal())) }
func plain(body []byte) []byte             { return must(s2.Decode(nil, body)) }
func zstdOf(text []byte) []byte            { return must(zstd.NewWriter(nil)).EncodeAll(text, nil) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
