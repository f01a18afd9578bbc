package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// Sink receives Remote Write requests like Cortex or Mimir. It counts the series, but does not
// store them. The struct tags are for the command-line parser kong.
type Sink struct {
	Listen      string         `help:"Address on which the sink listens. The path /counts returns the counts; every other path accepts Remote Write." default:"127.0.0.1:9009" env:"-"`
	Latency     time.Duration  `help:"Delay of each response."`
	Status      map[string]int `help:"HTTP status for the requests of a tenant, for example team-03=503." placeholder:"TENANT=STATUS"`
	RefuseV2    bool           `help:"Respond with 415 to requests of Remote Write 2.0." name:"refuse-v2"`
	LookEvery   int            `help:"Number of version 1.0 bodies per decoded body: 1 decodes every body, 10 decodes every tenth. Of the other bodies, only the number and size are counted. All bodies of version 2.0 are decoded, because the responses contain counts." default:"1"`
	TenantLabel string         `help:"Name of the label that contains the tenant ID. If a received series has this label, its value must be the tenant of the request." default:"__tenant__"`
}

// countsPath is the path that returns the counts.
const countsPath = "/counts"

// SinkCounts contains the counts of a sink.
type SinkCounts struct {
	Requests  int64             `json:"requests"` // accepted requests
	Bytes     int64             `json:"bytes"`    // compressed size of these requests' bodies
	Looked    int64             `json:"looked"`   // number of accepted requests that were decoded; only decoded requests contribute to Misrouted and Tenants
	Refused   int64             `json:"refused"`
	Misrouted int64             `json:"misrouted"` // number of series whose label names another tenant than the request's header
	Tenants   map[string]Counts `json:"tenants"`
}

// check returns an error if an option is invalid.
func (s *Sink) check() error {
	for tenant, status := range s.Status {
		if status < 400 || status > 599 {
			return fmt.Errorf("--status %s=%d: must be a status from 400 to 599", tenant, status)
		}
	}
	switch {
	case s.Latency < 0:
		return fmt.Errorf("--latency %v: must not be negative", s.Latency)
	case s.LookEvery < 1:
		return fmt.Errorf("--look-every %d: must be 1 or more", s.LookEvery)
	case s.TenantLabel == "":
		return errors.New("--tenant-label: must not be empty")
	}
	return nil
}

// Run serves until ctx is done.
func (s *Sink) Run(ctx context.Context, out io.Writer) error {
	h, err := s.handler()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return fmt.Errorf("--listen %s: %w", s.Listen, err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: dialTimeout}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	fmt.Fprintf(out, "a sink for Remote Write listens at http://%s\n", l.Addr())
	if err := server.Serve(l); ctx.Err() == nil {
		return err
	}
	return nil
}

// intake contains the buffers and the scanner for reading a request.
type intake struct {
	packed  bytes.Buffer
	plain   []byte
	scanner remotewrite.Scanner
}

type sinkHandler struct {
	*Sink
	zstd    *packing
	intakes sync.Pool

	mu     sync.Mutex
	counts SinkCounts
}

func (s *Sink) handler() (*sinkHandler, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	h := &sinkHandler{Sink: s, counts: SinkCounts{Tenants: map[string]Counts{}}}
	h.intakes.New = func() any {
		in := new(intake)
		in.scanner.Find(s.TenantLabel)
		return in
	}
	var err error
	h.zstd, err = newPacking("zstd")
	return h, err
}

// sinkRefusal is an unsuccessful response.
type sinkRefusal struct {
	status int
	text   string
}

func (h *sinkHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == countsPath && r.Method == http.MethodGet {
		h.tell(w)
		return
	}
	in := h.intakes.Get().(*intake)
	defer h.intakes.Put(in)
	if no := h.receive(w, r, in); no != nil {
		io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxPlain)) // otherwise the connection could not be reused
		h.mu.Lock()
		h.counts.Refused++
		h.mu.Unlock()
		http.Error(w, no.text, no.status)
	}
}

func (h *sinkHandler) tell(w http.ResponseWriter) {
	h.mu.Lock()
	text, err := json.Marshal(&h.counts)
	h.mu.Unlock()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(text)
}

// receive accepts a request, or returns the response that rejects it.
func (h *sinkHandler) receive(w http.ResponseWriter, r *http.Request, in *intake) *sinkRefusal {
	if r.Method != http.MethodPost {
		return &sinkRefusal{http.StatusMethodNotAllowed, "only POST is allowed"}
	}
	tenants := r.Header.Values("X-Scope-OrgID")
	if len(tenants) != 1 || tenants[0] == "" {
		return &sinkRefusal{http.StatusUnauthorized, "exactly one X-Scope-OrgID header is required"}
	}
	tenant := tenants[0]
	version, ok := versionOf(r.Header.Get("Content-Type"))
	if !ok || version == remotewrite.V2 && h.RefuseV2 {
		return &sinkRefusal{http.StatusUnsupportedMediaType, "Content-Type is not supported"}
	}
	unpack := unpackStrictly
	switch r.Header.Get("Content-Encoding") {
	case "snappy", "":
	case "zstd":
		unpack = h.zstd.unpack
	default:
		return &sinkRefusal{http.StatusUnsupportedMediaType, "Content-Encoding must be snappy or zstd"}
	}
	in.packed.Reset()
	if _, err := in.packed.ReadFrom(http.MaxBytesReader(w, r.Body, maxPlain)); err != nil {
		return &sinkRefusal{http.StatusBadRequest, "reading the body: " + err.Error()}
	}
	if h.Latency > 0 && sleep(r.Context(), h.Latency) != nil {
		return &sinkRefusal{http.StatusServiceUnavailable, "the sender closed the connection"}
	}
	if status := h.Status[tenant]; status != 0 {
		return &sinkRefusal{status, "this tenant is refused because of --status"}
	}
	look := version == remotewrite.V2 || h.next()
	var found Counts
	var misrouted int64
	if look {
		var err error
		if in.plain, err = unpack(in.plain, in.packed.Bytes()); err == nil {
			found, misrouted, err = in.count(version, tenant)
		}
		if err != nil {
			return &sinkRefusal{http.StatusBadRequest, err.Error()}
		}
	}
	h.take(tenant, in.packed.Len(), look, found, misrouted)
	if version == remotewrite.V2 {
		w.Header().Set("X-Prometheus-Remote-Write-Samples-Written", strconv.FormatInt(found.Samples, 10))
		w.Header().Set("X-Prometheus-Remote-Write-Histograms-Written", strconv.FormatInt(found.Histograms, 10))
		w.Header().Set("X-Prometheus-Remote-Write-Exemplars-Written", strconv.FormatInt(found.Exemplars, 10))
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// versionOf returns the protocol version that a Content-Type specifies.
func versionOf(contentType string) (remotewrite.Version, bool) {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/x-protobuf" {
		return 0, false
	}
	switch params["proto"] {
	case "", "prometheus.WriteRequest":
		return remotewrite.V1, true
	case "io.prometheus.write.v2.Request":
		return remotewrite.V2, true
	}
	return 0, false
}

// next reports whether the handler must decode the next body.
func (h *sinkHandler) next() bool {
	if h.LookEvery == 1 {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.counts.Requests%int64(h.LookEvery) == 0
}

// count decodes the body. It returns the body's counts, and the number of series that belong to
// another tenant.
func (in *intake) count(version remotewrite.Version, tenant string) (c Counts, misrouted int64, err error) {
	in.scanner.Reset(in.plain, version)
	for s := range in.scanner.Series {
		c.Series++
		for range s.Samples {
			c.Samples++
		}
		for range s.Histograms {
			c.Histograms++
		}
		for range s.Exemplars {
			c.Exemplars++
		}
		if name, n := s.Found(0); n > 0 && string(name) != tenant {
			misrouted++
		}
	}
	return c, misrouted, in.scanner.Err()
}

func (h *sinkHandler) take(tenant string, size int, looked bool, found Counts, misrouted int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counts.Requests++
	h.counts.Bytes += int64(size)
	if looked {
		h.counts.Looked++
		h.counts.Misrouted += misrouted
		sum := h.counts.Tenants[tenant]
		sum.add(found, 1)
		h.counts.Tenants[tenant] = sum
	}
}
