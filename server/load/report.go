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

// Report is what came of a run. The pointers are nil for what was not measured.
type Report struct {
	URL        string    `json:"url"`
	Source     string    `json:"source"`
	Endpoint   string    `json:"endpoint"`
	Format     string    `json:"format"`
	Compress   string    `json:"compress"`
	Durability string    `json:"durability"`
	Workers    int       `json:"workers"`
	Rows       int       `json:"rows_per_request,omitempty"` // 0 for proc, where they vary
	Tables     int       `json:"tables"`
	Started    time.Time `json:"started"`

	Seconds               float64       `json:"seconds"` // from the first request to the last reply
	Interrupted           bool          `json:"interrupted,omitempty"`
	Acknowledged          int64         `json:"acknowledged_rows"`
	AcknowledgedPerSecond float64       `json:"acknowledged_rows_per_second"`
	BytesPerSecond        float64       `json:"bytes_per_second"` // of acknowledged requests, as sent
	InDoubt               int64         `json:"in_doubt_rows"`
	Requests              int64         `json:"requests"`
	Statuses              map[int]int64 `json:"statuses"`
	Retries               int64         `json:"retries"`
	Connections           int64         `json:"connections"`
	Errors                int64         `json:"errors"`
	FirstError            string        `json:"first_error,omitempty"`
	Latency               Latency       `json:"latency_ms"`
	PerSecond             []int64       `json:"acknowledged_rows_each_second"`
	Degradation           *float64      `json:"degradation"` // a share: 0.01 is 1 %
	PatchSeconds          *float64      `json:"time_patch_seconds_per_request"`
	OwnCPU                *float64      `json:"generator_cpu_seconds_per_million_rows"`

	Server *ServerReport `json:"server"`
	Landed *LandedReport `json:"landed"`
}

// Latency is how long acknowledged requests took, in milliseconds.
type Latency struct {
	P50  float64 `json:"p50"`
	P99  float64 `json:"p99"`
	P999 float64 `json:"p999"`
	Max  float64 `json:"max"`
}

// ServerReport is what the run cost the server, landing included where it was waited for.
type ServerReport struct {
	PID             int      `json:"pid"`
	CPUSeconds      float64  `json:"cpu_seconds"`
	PerMillion      *float64 `json:"cpu_seconds_per_million_rows"`
	PeakBytes       int64    `json:"peak_bytes"` // since the process began
	LastBytes       int64    `json:"last_bytes"`
	GrowthPerMinute *float64 `json:"growth_bytes_per_minute"` // in the second half of the run
	Problem         string   `json:"problem,omitempty"`       // why the figures are not whole
}

// LandedReport is what was found in the Parquet files.
type LandedReport struct {
	Rows      int64   `json:"rows"`
	PerSecond float64 `json:"rows_per_second"` // until the last row had landed
	Missing   int64   `json:"acknowledged_minus_landed"`
	Drain     float64 `json:"drain_seconds"`
	How       string  `json:"drained_by"` // flush, or wait when the server has no flush
}

// verdict is an error when rows were lost, or more landed than were sent and may have.
func (r *Report) verdict() error {
	switch l := r.Landed; {
	case l == nil:
		return nil
	case l.Missing > 0:
		return fmt.Errorf("%s acknowledged rows have not landed", grouped(l.Missing))
	case -l.Missing > r.InDoubt:
		return fmt.Errorf("%s rows landed beyond those acknowledged, of which %s may be of requests in doubt: "+
			"rows were stored twice, or someone else is writing", grouped(-l.Missing), grouped(r.InDoubt))
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
	lines := []line{{"sent to", []string{fmt.Sprintf("%s, %s %s, compression %s, %s; %s source, %d tables, %d workers",
		r.URL, r.Endpoint, r.Format, r.Compress, r.Durability, r.Source, r.Tables, r.Workers)}}}
	add := func(name string, values ...string) { lines = append(lines, line{name, values}) }

	sent := fmt.Sprintf("%.1f s", r.Seconds)
	if r.Interrupted {
		sent += ", interrupted"
	}
	if r.Rows > 0 {
		sent += fmt.Sprintf(", %s rows a request", grouped(int64(r.Rows)))
	}
	add("sent for", sent)
	add("acknowledged", rows(r.Acknowledged), perSecond(r.AcknowledgedPerSecond), fmt.Sprintf("%.1f MB/s", r.BytesPerSecond/1e6))
	var statuses []string
	for _, status := range slices.Sorted(maps.Keys(r.Statuses)) {
		statuses = append(statuses, fmt.Sprintf("%d: %s", status, grouped(r.Statuses[status])))
	}
	add("requests", append([]string{grouped(r.Requests)}, statuses...)...)
	add("in doubt", rows(r.InDoubt))
	add("errors", append([]string{grouped(r.Errors)}, nonEmpty(r.FirstError)...)...)
	add("latency", fmt.Sprintf("p50 %.2f ms", r.Latency.P50), fmt.Sprintf("p99 %.2f ms", r.Latency.P99),
		fmt.Sprintf("p99.9 %.2f ms", r.Latency.P999), fmt.Sprintf("max %.2f ms", r.Latency.Max))
	if r.Degradation != nil {
		add("degradation", fmt.Sprintf("%.1f %%", 100**r.Degradation), "last 5 s against the best 5 s")
	} else {
		add("degradation", "not measured", "needs 10 s of acknowledged rows")
	}
	if r.PatchSeconds != nil {
		add("times", "unique", fmt.Sprintf("patched in place, %.2f µs a request", 1e6**r.PatchSeconds))
	}
	if r.OwnCPU != nil {
		add("generator", fmt.Sprintf("%.3f CPU-s per million rows", *r.OwnCPU))
	}
	if s := r.Server; s != nil {
		cost := fmt.Sprintf("%.2f CPU-s", s.CPUSeconds)
		if s.PerMillion != nil {
			cost = fmt.Sprintf("%.3f CPU-s per million rows", *s.PerMillion)
		}
		memory := []string{cost, fmt.Sprintf("peak %s MB", megabytes(s.PeakBytes)), fmt.Sprintf("last %s MB", megabytes(s.LastBytes))}
		if s.GrowthPerMinute != nil {
			memory = append(memory, fmt.Sprintf("growing %+.1f MB/min", *s.GrowthPerMinute/1e6))
		}
		add("server", append(memory, nonEmpty(s.Problem)...)...)
	}
	if l := r.Landed; l != nil {
		add("landed", rows(l.Rows), perSecond(l.PerSecond), fmt.Sprintf("drained by %s in %.1f s", l.How, l.Drain))
		add("acknowledged − landed", rows(l.Missing))
	}
	return lines
}

func rows(n int64) string { return grouped(n) + " rows" }

func perSecond(n float64) string { return grouped(int64(n+0.5)) + " rows/s" }

func megabytes(n int64) string { return grouped((n + 5e5) / 1e6) }

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// grouped is n with a comma after each three digits.
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
