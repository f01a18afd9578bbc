package peers

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/prometheus/prometheus/prompb"
	v2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
)

// sink is a target that keeps its requests, decoded by Prometheus' own code.
type sink struct {
	*httptest.Server
	mu      sync.Mutex
	posts   []*post
	arrived map[string]points // by tenant
	refused map[string]points // points that were rejected
	newest  map[string]int64  // newest time of each tenant's series
	helps   map[string]bool   // texts of metadata, as "tenant: text"
	again   int               // number of points that had arrived before
	wrong   []string          // descriptions of faults

	refusesV2   bool
	noExemplars bool                               // exemplars are not written
	answer      func(r *http.Request, p *post) int // returns a status, or 0 to accept the post
}

// post is a request.
type post struct {
	tenant  string
	header  http.Header
	v2      bool
	raw     []byte
	body    []byte // decompressed
	points  points
	series  []string // in the order of the request
	helps   []string // texts of metadata
	written [3]int   // numbers of samples, histograms and exemplars
}

func newSink(t *testing.T) *sink {
	s := &sink{}
	s.reset()
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// answers sets the function that chooses the status of posts. If fn is nil, all posts are accepted.
func (s *sink) answers(fn func(r *http.Request, p *post) int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = fn
}

// reset forgets everything that has arrived.
func (s *sink) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.posts, s.wrong, s.again = nil, nil, 0
	s.arrived, s.refused = make(map[string]points), make(map[string]points)
	s.newest, s.helps = make(map[string]int64), make(map[string]bool)
}

const v2Type = "application/x-protobuf;proto=io.prometheus.write.v2.Request"

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := &post{tenant: r.Header.Get("X-Scope-OrgID"), header: r.Header, v2: r.Header.Get("Content-Type") == v2Type, points: make(points)}
	if p.v2 && s.refusesV2 {
		http.Error(w, "only version 1", http.StatusUnsupportedMediaType)
		return
	}
	err := p.read(r)
	s.mu.Lock()
	answer := s.answer
	s.mu.Unlock()
	status := 0
	if answer != nil && err == nil {
		status = answer(r, p) // may take some time
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		s.wrong = append(s.wrong, fmt.Sprintf("tenant %s: %v", p.tenant, err))
		http.Error(w, err.Error(), http.StatusBadRequest)
	case status != 0:
		keep(s.refused, p)
		http.Error(w, "because of a test", status)
	default:
		s.take(p)
		if s.noExemplars {
			p.written[2] = 0
		}
		if p.v2 {
			for i, what := range []string{"Samples", "Histograms", "Exemplars"} {
				w.Header().Set("X-Prometheus-Remote-Write-"+what+"-Written", strconv.Itoa(p.written[i]))
			}
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

// take stores an accepted post.
func (s *sink) take(p *post) {
	s.posts = append(s.posts, p)
	had := s.arrived[p.tenant]
	for series, at := range p.points {
		for time, text := range at {
			before, there := had[series][time]
			newest := s.newest[p.tenant+"/"+series]
			switch {
			case there && before != text:
				s.wrong = append(s.wrong, fmt.Sprintf("tenant %s: %s at %d: %s, and then %s", p.tenant, series, time, before, text))
			case there:
				s.again++
			case time < newest:
				s.wrong = append(s.wrong, fmt.Sprintf("tenant %s: %s at %d comes after %d", p.tenant, series, time, newest))
			}
		}
		for time := range at {
			s.newest[p.tenant+"/"+series] = max(s.newest[p.tenant+"/"+series], time)
		}
	}
	keep(s.arrived, p)
	for _, text := range p.helps {
		s.helps[p.tenant+": "+text] = true
	}
}

func keep(all map[string]points, p *post) {
	if all[p.tenant] == nil {
		all[p.tenant] = make(points)
	}
	for series, at := range p.points {
		for time, text := range at {
			all[p.tenant].put(series, time, text)
		}
	}
}

// all returns copies of the points that have arrived, and of the rejected points.
func (s *sink) all() (arrived, refused map[string]points) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return copyOf(s.arrived), copyOf(s.refused)
}

func copyOf(from map[string]points) map[string]points {
	to := make(map[string]points)
	for tenant, p := range from {
		to[tenant] = make(points)
		for series, at := range p {
			to[tenant][series] = maps.Clone(at)
		}
	}
	return to
}

// had returns the accepted posts, and the number of their points that had arrived before.
func (s *sink) had() (posts []*post, again int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.posts), s.again
}

// check fails the test if the sink has found faults.
func (s *sink) check(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.wrong); n > 0 {
		t.Errorf("%d things are wrong at the sink:\n%s", n, strings.Join(s.wrong[:min(n, 10)], "\n"))
	}
	for tenant := range s.arrived {
		if tenant != nobody && !slices.Contains(tenants, tenant) {
			t.Errorf("there is a tenant %q", tenant)
		}
	}
	t.Logf("%d posts, %d points came again", len(s.posts), s.again)
}

var unzstd = must(zstd.NewReader(nil))

// read decodes a request.
func (p *post) read(r *http.Request) (err error) {
	if p.raw, err = io.ReadAll(r.Body); err != nil {
		return err
	}
	switch e := r.Header.Get("Content-Encoding"); e {
	case "snappy":
		p.body, err = s2.Decode(nil, p.raw)
	case "zstd":
		p.body, err = unzstd.DecodeAll(p.raw, nil)
	default:
		err = fmt.Errorf("Content-Encoding %q", e)
	}
	if err != nil {
		return err
	}
	if p.v2 {
		return p.readV2()
	}
	return p.readV1()
}

func (p *post) readV1() error {
	var m prompb.WriteRequest
	if err := m.Unmarshal(p.body); err != nil {
		return err
	}
	for i := range m.Timeseries {
		s := &m.Timeseries[i]
		name := labelsOf(s.Labels, ofV1)
		p.series = append(p.series, name)
		for _, v := range s.Samples {
			p.points.put(name, v.Timestamp, floatText(v.Value))
		}
		for j := range s.Histograms {
			p.points.put(name, s.Histograms[j].Timestamp, histogramText(s.Histograms[j].ToIntHistogram()))
		}
		for _, e := range s.Exemplars {
			p.points.put("exemplars of "+name, e.Timestamp, exemplarText(labelsOf(e.Labels, ofV1), e.Value))
		}
		p.count(len(s.Samples), len(s.Histograms), len(s.Exemplars))
	}
	for _, md := range m.Metadata {
		p.helps = append(p.helps, md.Help)
	}
	return nil
}

func (p *post) readV2() error {
	var m v2.Request
	if err := m.Unmarshal(p.body); err != nil {
		return err
	}
	if len(m.Symbols) == 0 || m.Symbols[0] != "" {
		return fmt.Errorf("the first symbol is not empty: %q", m.Symbols)
	}
	text := func(refs []uint32) (string, error) {
		var pairs [][2]string
		for i := 0; i+1 < len(refs); i += 2 {
			if int(max(refs[i], refs[i+1])) >= len(m.Symbols) {
				return "", fmt.Errorf("refs %v of %d symbols", refs, len(m.Symbols))
			}
			pairs = append(pairs, [2]string{m.Symbols[refs[i]], m.Symbols[refs[i+1]]})
		}
		return labelsOf(pairs, pairOf), nil
	}
	for i := range m.Timeseries {
		s := &m.Timeseries[i]
		name, err := text(s.LabelsRefs)
		if err != nil {
			return err
		}
		p.series = append(p.series, name)
		for _, v := range s.Samples {
			p.points.put(name, v.Timestamp, floatText(v.Value))
		}
		for j := range s.Histograms {
			p.points.put(name, s.Histograms[j].Timestamp, histogramText(s.Histograms[j].ToIntHistogram()))
		}
		for _, e := range s.Exemplars {
			labels, err := text(e.LabelsRefs)
			if err != nil {
				return err
			}
			p.points.put("exemplars of "+name, e.Timestamp, exemplarText(labels, e.Value))
		}
		if s.Metadata.HelpRef != 0 {
			p.helps = append(p.helps, m.Symbols[s.Metadata.HelpRef])
		}
		p.count(len(s.Samples), len(s.Histograms), len(s.Exemplars))
	}
	return nil
}

func (p *post) count(samples, histograms, exemplars int) {
	p.written[0] += samples
	p.written[1] += histograms
	p.written[2] += exemplars
}
