package peers

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/prometheus/prometheus/prompb"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
)

// Names of the Prometheus programs in .ci/peers: for version 1 of Remote Write, and for version 2.
const (
	prometheusV1 = "prometheus"
	prometheusV2 = "prometheus-v2"
)

// server is a Prometheus.
type server struct {
	*process
	url string
}

// object is a part of a configuration, and is written as JSON.
type object map[string]any

// newPrometheus runs a Prometheus with a configuration until the test ends. The Prometheus accepts
// Remote Write.
func newPrometheus(t *testing.T, program string, config object) *server {
	t.Helper()
	path, dir, address := peer(t, program), t.TempDir(), freeAddress(t)
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "prometheus.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &server{run(t, path, "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address,
		"--web.enable-remote-write-receiver", "--enable-feature=exemplar-storage,native-histograms"), "http://" + address}
	s.answers(s.url + "/-/ready")
	return s
}

// scraping returns the configuration for scraping a source at an interval.
func scraping(from *source, interval string) object {
	return object{
		"job_name": "source", "scrape_interval": interval, "scrape_timeout": interval,
		"static_configs": []object{{"targets": []string{strings.TrimPrefix(from.URL, "http://")}}},
	}
}

// sender returns the configuration of a Prometheus that scrapes a source and writes to URLs.
func sender(program string, from *source, to ...string) object {
	scrape := scraping(from, "250ms")
	if program == prometheusV2 {
		scrape["scrape_native_histograms"] = true
		scrape["always_scrape_classic_histograms"] = true
	}
	var writes []object
	for _, url := range to {
		write := object{
			"url": url, "send_exemplars": true, "send_native_histograms": true,
			"metadata_config": object{"send": true, "send_interval": "1s"},
			"queue_config":    object{"batch_send_deadline": "200ms", "max_backoff": "500ms"},
		}
		if program == prometheusV2 {
			write["protobuf_message"] = "io.prometheus.write.v2.Request"
		}
		writes = append(writes, write)
	}
	return object{"scrape_configs": []object{scrape}, "remote_write": writes}
}

// receiver returns the configuration of a Prometheus that only receives data.
func receiver() object {
	return object{"storage": object{"exemplars": object{"max_exemplars": 100_000}}}
}

// read returns all points that s has scraped or received. It requests chunks, because versions
// before 2.43 omit histograms from responses with samples.
func (s *server) read() (points, error) {
	query := prompb.ReadRequest{
		Queries: []*prompb.Query{{
			StartTimestampMs: 0, EndTimestampMs: math.MaxInt64 / 2,
			Matchers: []*prompb.LabelMatcher{{Type: prompb.LabelMatcher_RE, Name: "__name__", Value: ".+"}},
		}},
		AcceptedResponseTypes: []prompb.ReadRequest_ResponseType{prompb.ReadRequest_STREAMED_XOR_CHUNKS},
	}
	body, err := query.Marshal()
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest("POST", s.url+"/api/v1/read", bytes.NewReader(s2.EncodeSnappy(nil, body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Encoding", "snappy")
	req.Header.Set("Content-Type", "application/x-protobuf")
	req.Header.Set("X-Prometheus-Remote-Read-Version", "0.1.0")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if body, err = io.ReadAll(resp.Body); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s: %s", s.name, resp.Status, body)
	}
	p, err := s.exemplars()
	for len(body) > 0 && err == nil {
		body, err = readFrame(body, p)
	}
	return p, err
}

// readFrame reads a frame of a stream of chunks: its length, a checksum, and a message.
func readFrame(body []byte, into points) (rest []byte, err error) {
	size, n := binary.Uvarint(body)
	if n <= 0 || uint64(len(body)-n) < 4+size {
		return nil, io.ErrUnexpectedEOF
	}
	body = body[n+4:]
	var m prompb.ChunkedReadResponse
	if err := m.Unmarshal(body[:size]); err != nil {
		return nil, err
	}
	for _, series := range m.ChunkedSeries {
		name := labelsOf(series.Labels, ofV1)
		for _, c := range series.Chunks {
			chunk, err := chunkenc.FromData(chunkenc.Encoding(c.Type), c.Data)
			if err != nil {
				return nil, err
			}
			it := chunk.Iterator(nil)
			for kind := it.Next(); kind != chunkenc.ValNone; kind = it.Next() {
				switch kind {
				case chunkenc.ValFloat:
					time, v := it.At()
					into.put(name, time, floatText(v))
				case chunkenc.ValHistogram:
					time, h := it.AtHistogram(nil)
					into.put(name, time, histogramText(h))
				default:
					return nil, fmt.Errorf("a chunk of %v", kind)
				}
			}
			if err := it.Err(); err != nil {
				return nil, err
			}
		}
	}
	return body[size:], nil
}

// exemplars returns the exemplars that s holds.
func (s *server) exemplars() (points, error) {
	text, err := get(s.url + "/api/v1/query_exemplars?query=" + url.QueryEscape(`counted_total`) + fmt.Sprintf("&start=0&end=%d", time.Now().Unix()+60))
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data []struct {
			SeriesLabels map[string]string
			Exemplars    []struct {
				Labels    map[string]string
				Value     string
				Timestamp float64
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return nil, err
	}
	p := make(points)
	for _, series := range answer.Data {
		name := "exemplars of " + labelsOf(sorted(series.SeriesLabels), pairOf)
		for _, e := range series.Exemplars {
			v, err := strconv.ParseFloat(e.Value, 64)
			if err != nil {
				return nil, err
			}
			p.put(name, int64(math.Round(e.Timestamp*1000)), exemplarText(labelsOf(sorted(e.Labels), pairOf), v))
		}
	}
	return p, nil
}

// metric returns the value of a metric of s about a URL to which it writes.
func (s *server) metric(name, url string) (float64, error) {
	text, err := get(s.url + "/metrics")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, name+"{") && strings.Contains(line, strconv.Quote(url)) {
			return strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]), 64)
		}
	}
	return 0, fmt.Errorf("%s has no metric %s of %s", s.name, name, url)
}

// wantFailed checks the number of exemplars for a URL that s has given up. It must not have given
// up any other data.
func (s *server) wantFailed(url string, exemplars int) {
	s.t.Helper()
	for of, want := range map[string]int{"samples": 0, "histograms": 0, "exemplars": exemplars, "metadata": 0} {
		if v, err := s.metric("prometheus_remote_storage_"+of+"_failed_total", url); err != nil || v != float64(want) {
			s.t.Errorf("%s of %s given up: %v, want %d (%v)", of, url, v, want, err)
		}
		if v, err := s.metric("prometheus_remote_storage_"+of+"_total", url); err != nil || v == 0 && of != "metadata" {
			s.t.Errorf("%s to %s: %v (%v)", of, url, v, err)
		}
	}
}
