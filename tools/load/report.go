package load

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// Report contains the results of a run. Pointers are nil for results that were not measured.
type Report struct {
	Protocol   string    `json:"protocol"`
	Unit       string    `json:"unit"` // unit of the counts: rows or series
	URL        string    `json:"url"`
	Compress   string    `json:"compress"`
	Workers    int       `json:"workers"`
	PerRequest int       `json:"per_request,omitempty"` // rows or series per request; 0 for the source proc, where the number varies
	Started    time.Time `json:"started"`

	// These fields are set only for the ingest protocol.
	Source     string `json:"source,omitempty"`
	Endpoint   string `json:"endpoint,omitempty"`
	Format     string `json:"format,omitempty"`
	Durability string `json:"durability,omitempty"`
	Tables     int    `json:"tables,omitempty"`

	Seconds               float64       `json:"seconds"` // time from the first request to the last reply
	Interrupted           bool          `json:"interrupted,omitempty"`
	Acknowledged          int64         `json:"acknowledged"`
	AcknowledgedPerSecond float64       `json:"acknowledged_per_second"`
	BytesPerSecond        float64       `json:"bytes_per_second"` // for acknowledged requests, with head and compressed body
	InDoubt               int64         `json:"in_doubt"`
	Requests              int64         `json:"requests"`
	RequestsPerSecond     float64       `json:"requests_per_second"`
	Statuses              map[int]int64 `json:"statuses"`
	Retries               int64         `json:"retries"`
	Connections           int64         `json:"connections"`
	Errors                int64         `json:"errors"`
	FirstError            string        `json:"first_error,omitempty"`
	Latency               Latency       `json:"latency_ms"`
	PerSecond             []int64       `json:"acknowledged_each_second"`
	Degradation           *float64      `json:"degradation"` // a fraction: 0.01 means 1 %
	PatchSeconds          *float64      `json:"time_patch_seconds_per_request"`
	OwnCPU                *float64      `json:"generator_cpu_seconds_per_million"`

	Server *ServerReport `json:"server"`
	Landed *LandedReport `json:"landed,omitempty"`

	RemoteWrite *PushReport `json:"remote_write,omitempty"`
}

// Latency contains the latency of acknowledged requests, in milliseconds.
type Latency struct {
	P50  float64 `json:"p50"`
	P90  float64 `json:"p90"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// ServerReport contains the cost of the run on the server. The cost includes writing the rows to
// files, if the run waited for that.
type ServerReport struct {
	PID             int      `json:"pid"`
	CPUSeconds      float64  `json:"cpu_seconds"`
	PerMillion      *float64 `json:"cpu_seconds_per_million"`
	GCShare         *float64 `json:"gc_share_of_cpu"` // as reported by the server
	PeakBytes       int64    `json:"peak_bytes"`      // maximum since the start of the process
	LastBytes       int64    `json:"last_bytes"`
	GrowthPerMinute *float64 `json:"growth_bytes_per_minute"` // memory growth in the second half of the run
	Problem         string   `json:"problem,omitempty"`       // the reason if the figures are incomplete
}

// LandedReport contains the counts of rows in the Parquet files.
type LandedReport struct {
	Rows      int64   `json:"rows"`
	PerSecond float64 `json:"rows_per_second"` // rate until the last row was in a file
	Missing   int64   `json:"acknowledged_minus_landed"`
	Drain     float64 `json:"drain_seconds"`
	How       string  `json:"drained_by"` // "flush", or "wait" if the server has no flush
}

// verdict returns an error if rows or series were lost. It also returns an error if more rows or
// series arrived than were acknowledged. Repeated requests, and requests with an unknown outcome,
// can explain such a difference; in this case there is no error.
func (r *Report) verdict() error {
	if w := r.RemoteWrite; w != nil && w.Delivered != nil {
		return w.Delivered.verdict(r.Retries + r.InDoubt + r.Errors)
	}
	switch l := r.Landed; {
	case l == nil:
		return nil
	case l.Missing > 0:
		return fmt.Errorf("%s acknowledged rows are not in files", grouped(l.Missing))
	case -l.Missing > r.InDoubt:
		return fmt.Errorf("%s more rows are in files than were acknowledged, and requests with unknown results explain at most %s: "+
			"rows were stored twice, or another client is writing", grouped(-l.Missing), grouped(r.InDoubt))
	}
	return nil
}

// write writes the report as text or as JSON.
func (r *Report) write(out io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range r.lines() {
		fmt.Fprintf(t, "%s\t%s\n", l.name, strings.Join(l.values, "\t"))
	}
	return t.Flush()
}

// line is a line of the text report.
type line struct {
	name   string
	values []string
}

func (r *Report) lines() []line {
	what := fmt.Sprintf("%s %s, compression %s, %s; %s source, %d tables", r.Endpoint, r.Format, r.Compress, r.Durability, r.Source, r.Tables)
	if r.RemoteWrite != nil {
		what = r.RemoteWrite.what(r.Compress)
	}
	lines := []line{{"sent to", []string{fmt.Sprintf("%s, %s, %d workers", r.URL, what, r.Workers)}}}
	add := func(name string, values ...string) { lines = append(lines, line{name, values}) }

	sent := fmt.Sprintf("%.1f s", r.Seconds)
	if r.Interrupted {
		sent += ", interrupted"
	}
	if r.PerRequest > 0 {
		sent += fmt.Sprintf(", %s %s a request", grouped(int64(r.PerRequest)), r.Unit)
	}
	add("sent for", sent)
	add("acknowledged", r.many(r.Acknowledged), perSecond(r.AcknowledgedPerSecond, r.Unit), fmt.Sprintf("%.1f MB/s", r.BytesPerSecond/1e6))
	var statuses []string
	for _, status := range slices.Sorted(maps.Keys(r.Statuses)) {
		statuses = append(statuses, fmt.Sprintf("%d: %s", status, grouped(r.Statuses[status])))
	}
	add("requests", append([]string{grouped(r.Requests), perSecond(r.RequestsPerSecond, "requests")}, statuses...)...)
	add("in doubt", r.many(r.InDoubt))
	add("errors", append([]string{grouped(r.Errors)}, nonEmpty(r.FirstError)...)...)
	add("latency", fmt.Sprintf("p50 %.2f ms", r.Latency.P50), fmt.Sprintf("p90 %.2f ms", r.Latency.P90),
		fmt.Sprintf("p99 %.2f ms", r.Latency.P99), fmt.Sprintf("p99.9 %.2f ms", r.Latency.P999), fmt.Sprintf("max %.2f ms", r.Latency.Max))
	if r.Degradation != nil {
		add("degradation", fmt.Sprintf("%.1f %%", 100**r.Degradation), "last 5 s against the best 5 s")
	} else {
		add("degradation", "not measured", "needs 10 s of acknowledged "+r.Unit)
	}
	if r.PatchSeconds != nil {
		add("times", "unique", fmt.Sprintf("patched in place, %.2f µs a request", 1e6**r.PatchSeconds))
	}
	if r.OwnCPU != nil {
		add("generator", fmt.Sprintf("%.3f CPU-s per million %s", *r.OwnCPU, r.Unit))
	}
	if s := r.Server; s != nil {
		cost := fmt.Sprintf("%.2f CPU-s", s.CPUSeconds)
		if s.PerMillion != nil {
			cost = fmt.Sprintf("%.3f CPU-s per million %s", *s.PerMillion, r.Unit)
		}
		memory := []string{cost, fmt.Sprintf("peak %s MB", megabytes(s.PeakBytes)), fmt.Sprintf("last %s MB", megabytes(s.LastBytes))}
		if s.GrowthPerMinute != nil {
			memory = append(memory, fmt.Sprintf("growing %+.1f MB/min", *s.GrowthPerMinute/1e6))
		}
		if s.GCShare != nil {
			memory = append(memory, fmt.Sprintf("garbage collection %.1f %% of its CPU", 100**s.GCShare))
		}
		add("server", append(memory, nonEmpty(s.Problem)...)...)
	}
	if l := r.Landed; l != nil {
		add("landed", r.many(l.Rows), perSecond(l.PerSecond, r.Unit), fmt.Sprintf("drained by %s in %.1f s", l.How, l.Drain))
		add("acknowledged − landed", r.many(l.Missing))
	}
	if r.RemoteWrite != nil {
		lines = append(lines, r.RemoteWrite.lines()...)
	}
	return lines
}

// many formats a number of rows or series, followed by their unit.
func (r *Report) many(n int64) string { return grouped(n) + " " + r.Unit }

func perSecond(n float64, unit string) string { return grouped(int64(n+0.5)) + " " + unit + "/s" }

func megabytes(n int64) string { return grouped((n + 5e5) / 1e6) }

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// grouped formats n with a comma between groups of three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
