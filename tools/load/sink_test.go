package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// newSink starts a sink with default options, after change has modified them.
func newSink(t *testing.T, change func(*Sink)) *httptest.Server {
	t.Helper()
	s := &Sink{LookEvery: 1, TenantLabel: "tenant"}
	if change != nil {
		change(s)
	}
	h, err := s.handler()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func countsOf(t *testing.T, url string) *SinkCounts {
	t.Helper()
	d := delivery{url: url}
	c, err := d.ask(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// smallPush returns the options of a short Remote Write run.
func smallPush(url string) Options {
	o := Options{
		Protocol: "remote-write", URL: url, Duration: 200 * time.Millisecond, Requests: 8, Workers: 2, Pregenerate: 6, Timeout: patience, JSON: true,
		RemoteWrite: RemoteWrite{Series: 50, Tenants: 3, Version: 1, Histograms: 0.25, TenantLabel: "tenant", Settle: patience},
	}
	o.complete()
	return o
}

// post sends a body to a sink on behalf of a tenant.
func post(t *testing.T, url, tenant string, headers map[string]string, body []byte) *http.Response {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, url+"/api/v1/push", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	r.Header.Set("X-Scope-OrgID", tenant)
	for name, value := range headers {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reply.Body.Close() })
	return reply
}

func TestSinkCounts(t *testing.T) {
	for _, version := range []int{1, 2} {
		for _, name := range []string{"snappy", "zstd"} {
			o := smallPush("").RemoteWrite
			o.Version, o.Tenants = version, 1
			body := remotewrite.Append(nil, remotewrite.Version(version), newFleet(&o, 1).at(1_760_000_000_000))
			packing, err := newPacking(name)
			if err != nil {
				t.Fatal(err)
			}
			headers := map[string]string{"Content-Encoding": name}
			if version == 2 {
				headers["Content-Type"] = contentTypeV2
			}
			sink := newSink(t, nil)
			want := o.contents()["team-00"]
			if want != (Counts{Series: 50, Samples: 38, Histograms: 12, Exemplars: 12}) {
				t.Fatalf("a request holds %+v", want)
			}
			for range 3 {
				reply := post(t, sink.URL, "team-00", headers, packing.pack(nil, body))
				written := fmt.Sprint(reply.Header["X-Prometheus-Remote-Write-Samples-Written"],
					reply.Header["X-Prometheus-Remote-Write-Histograms-Written"], reply.Header["X-Prometheus-Remote-Write-Exemplars-Written"])
				if expect := map[int]string{1: "[] [] []", 2: "[38] [12] [12]"}[version]; reply.StatusCode != 204 || written != expect {
					t.Errorf("version %d, %s: answered %d, written %s", version, name, reply.StatusCode, written)
				}
			}
			post(t, sink.URL, "other", headers, packing.pack(nil, body))
			c := countsOf(t, sink.URL)
			thrice := Counts{}
			thrice.add(want, 3)
			if c.Requests != 4 || c.Looked != 4 || c.Refused != 0 || c.Tenants["team-00"] != thrice || c.Tenants["other"] != want || c.Misrouted != 50 {
				t.Errorf("version %d, %s: counted %+v", version, name, c)
			}
		}
	}
}

// Every body that is not a valid request is rejected, and none of its content is counted.
func TestSinkRefuses(t *testing.T) {
	o := smallPush("").RemoteWrite
	plain := remotewrite.Append(nil, remotewrite.V1, newFleet(&o, 1).at(1))
	good := s2.EncodeSnappy(nil, plain)
	sink := newSink(t, func(s *Sink) { s.Status = map[string]int{"down": 503} })
	strict := newSink(t, func(s *Sink) { s.RefuseV2 = true })
	two := map[string]string{"Content-Type": contentTypeV2}
	for name, c := range map[string]struct {
		url     string
		tenant  string
		headers map[string]string
		body    []byte
		want    int
	}{
		"no snappy":             {sink.URL, "a", nil, plain, 400},
		"nothing":               {sink.URL, "a", nil, nil, 400},
		"cut":                   {sink.URL, "a", nil, good[:len(good)/2], 400},
		"a bomb":                {sink.URL, "a", nil, []byte("\xff\xff\xff\xff\x0f\x00"), 400},
		"what s2 alone has":     {sink.URL, "a", nil, []byte("\x09\x0cabcd\x09\x00"), 400},
		"no zstd":               {sink.URL, "a", map[string]string{"Content-Encoding": "zstd"}, good, 400},
		"half a series":         {sink.URL, "a", nil, s2.EncodeSnappy(nil, plain[:len(plain)-1]), 400},
		"a phantom series":      {sink.URL, "a", nil, s2.EncodeSnappy(nil, []byte{0x0a}), 400},
		"a length of 2^64-1":    {sink.URL, "a", nil, s2.EncodeSnappy(nil, []byte("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")), 400},
		"version 1 as 2":        {sink.URL, "a", two, good, 400},
		"2.0, not wanted":       {strict.URL, "a", two, good, 415},
		"gzip":                  {sink.URL, "a", map[string]string{"Content-Encoding": "gzip"}, good, 415},
		"JSON":                  {sink.URL, "a", map[string]string{"Content-Type": "application/json"}, good, 415},
		"no type":               {sink.URL, "a", map[string]string{"Content-Type": ""}, good, 415},
		"another message":       {sink.URL, "a", map[string]string{"Content-Type": contentType + ";proto=io.prometheus.write.v3.Request"}, good, 415},
		"no tenant":             {sink.URL, "", map[string]string{"X-Scope-OrgID": ""}, good, 401},
		"a tenant that is down": {sink.URL, "down", nil, good, 503},
	} {
		if reply := post(t, c.url, c.tenant, c.headers, c.body); reply.StatusCode != c.want {
			text, _ := io.ReadAll(reply.Body)
			t.Errorf("%s: answered %d, want %d: %s", name, reply.StatusCode, c.want, text)
		}
	}
	reply, err := http.Get(sink.URL + "/api/v1/push")
	if err != nil || reply.StatusCode != 405 {
		t.Errorf("GET: %v, %v", reply, err)
	}
	reply.Body.Close()
	for url, refused := range map[string]int64{sink.URL: 17, strict.URL: 1} {
		if c := countsOf(t, url); c.Refused != refused || c.Requests != 0 || len(c.Tenants) != 0 {
			t.Errorf("counted %+v, want %d refused", c, refused)
		}
	}
}

// A sink that decodes only some bodies accepts the others without decoding them.
func TestSinkLooksIntoSome(t *testing.T) {
	sink := newSink(t, func(s *Sink) { s.LookEvery = 4 })
	o := smallPush("").RemoteWrite
	body := s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, newFleet(&o, 1).at(1)))
	for range 9 {
		post(t, sink.URL, "a", nil, body)
	}
	if c := countsOf(t, sink.URL); c.Requests != 9 || c.Looked != 3 || c.Tenants["a"].Series != 150 || c.Bytes != int64(9*len(body)) {
		t.Errorf("counted %+v", c)
	}
}

func TestSinkLatency(t *testing.T) {
	sink := newSink(t, func(s *Sink) { s.Latency = 50 * time.Millisecond })
	begin := time.Now()
	if reply := post(t, sink.URL, "a", nil, s2.EncodeSnappy(nil, nil)); reply.StatusCode != 204 || time.Since(begin) < 50*time.Millisecond {
		t.Errorf("answered %d after %v", reply.StatusCode, time.Since(begin))
	}
}

func TestSinkFlags(t *testing.T) {
	var s Sink
	p, err := kong.New(&s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Parse(nil); err != nil || s.check() != nil || s.Listen != "127.0.0.1:9009" || s.LookEvery != 1 || s.TenantLabel != "__tenant__" {
		t.Errorf("defaults %+v, %v, %v", s, err, s.check())
	}
	if _, err := p.Parse(strings.Fields("--status a=503 --status b=429 --latency 5ms --refuse-v2")); err != nil ||
		!maps.Equal(s.Status, map[string]int{"a": 503, "b": 429}) || !s.RefuseV2 || s.Latency != 5*time.Millisecond {
		t.Errorf("%+v, %v", s, err)
	}
	for want, change := range map[string]func(*Sink){
		"--status a=200": func(s *Sink) { s.Status = map[string]int{"a": 200} },
		"--latency":      func(s *Sink) { s.Latency = -1 },
		"--look-every":   func(s *Sink) { s.LookEvery = 0 },
		"--tenant-label": func(s *Sink) { s.TenantLabel = "" },
		"--listen":       func(s *Sink) { s.Listen = "nowhere" },
	} {
		s := Sink{Listen: "127.0.0.1:0", LookEvery: 1, TenantLabel: "a"}
		change(&s)
		if err := s.Run(context.Background(), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Run ends when its context is cancelled.
func TestSinkRun(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	told, tell := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- (&Sink{Listen: "127.0.0.1:0", LookEvery: 1, TenantLabel: "a"}).Run(ctx, tell) }()
	line := make([]byte, 200)
	n, _ := told.Read(line)
	_, url, _ := strings.Cut(strings.TrimSpace(string(line[:n])), " at ")
	countsOf(t, url)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestFleet(t *testing.T) {
	for _, o := range []RemoteWrite{
		{Series: 2000, Tenants: 10, Version: 1, TenantLabel: "__tenant__"},
		{Series: 2000, Tenants: 10, Version: 1, TenantLabel: "__tenant__", Grouped: true},
		{Series: 100, Tenants: 7, Version: 2, TenantLabel: "zone", Histograms: 1},
	} {
		f := newFleet(&o, 3)
		first := remotewrite.Append(nil, remotewrite.Version(o.Version), f.at(1_760_000_000_000))
		if again := remotewrite.Append(nil, remotewrite.Version(o.Version), newFleet(&o, 3).at(1_760_000_000_000)); !bytes.Equal(first, again) {
			t.Errorf("%+v: not the same twice", o)
		}
		if n := len(first) / o.Series; o.Version == 1 && (n < 330 || n > 345) {
			t.Errorf("%+v: %d bytes a series, want about 336", o, n)
		}
		got, changes, last := map[string]Counts{}, 0, ""
		for _, s := range f.request.Series {
			if len(s.Labels) != 12 || !slices.IsSortedFunc(s.Labels, func(a, b remotewrite.Label) int { return strings.Compare(a.Name, b.Name) }) {
				t.Fatalf("%+v: labels %v", o, s.Labels)
			}
			tenant := s.Labels[slices.IndexFunc(s.Labels, func(l remotewrite.Label) bool { return l.Name == o.TenantLabel })].Value
			if tenant != last {
				changes++
			}
			last = tenant
			sum := got[tenant]
			sum.add(Counts{1, int64(len(s.Samples)), int64(len(s.Histograms)), int64(len(s.Exemplars))}, 1)
			got[tenant] = sum
		}
		if !maps.Equal(got, o.contents()) || len(got) != o.Tenants {
			t.Errorf("%+v: holds %v, said to be %v", o, got, o.contents())
		}
		if o.Grouped != (changes == o.Tenants) {
			t.Errorf("%+v: the tenant changes %d times", o, changes)
		}
		next := remotewrite.Append(nil, remotewrite.Version(o.Version), f.at(1_760_000_001_000))
		if bytes.Equal(first, next) {
			t.Errorf("%+v: the next request is the same", o)
		}
	}
}

func TestSpending(t *testing.T) {
	text := func(gc, idle, total string) io.Reader {
		return strings.NewReader("# TYPE x counter\ngo_cpu_classes_gc_total_cpu_seconds_total " + gc + "\ngo_cpu_classes_idle_cpu_seconds_total " + idle +
			"\ngo_cpu_classes_total_cpu_seconds_total " + total + "\nother{a=\"b\"} 7\n")
	}
	before, after := parseSpending(text("1.5", "100", "200")), parseSpending(text("2.5", "110", "2.2e+02"))
	if before == nil || after == nil || *before != (spending{1.5, 100, 200}) {
		t.Fatalf("read %+v and %+v", before, after)
	}
	if share := before.gcShare(after); share == nil || *share != 0.1 {
		t.Errorf("share %v, want 0.1", share)
	}
	if share := before.gcShare(before); share != nil {
		t.Errorf("share %v of nothing", *share)
	}
	for _, r := range []io.Reader{strings.NewReader(""), text("many", "1", "1"), strings.NewReader("go_cpu_classes_total_cpu_seconds_total 3\n")} {
		if s := parseSpending(r); s != nil {
			t.Errorf("read %+v of what is not whole", s)
		}
	}
}

// Counts that cannot be fetched are an error that names the URL and the cause.
func TestSinkCountsErrors(t *testing.T) {
	for answer, want := range map[int]string{
		http.StatusNotFound: " answered 404 Not Found",
		http.StatusOK:       ": invalid character 'o' looking for beginning of value",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(answer)
			fmt.Fprint(w, "ok")
		}))
		t.Cleanup(server.Close)
		d := delivery{url: server.URL}
		if _, err := d.ask(t.Context()); err == nil || !strings.HasSuffix(err.Error(), want) || !strings.Contains(err.Error(), server.URL) {
			t.Errorf("%d: %v", answer, err)
		}
	}
}
