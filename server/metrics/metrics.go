// Package metrics exports the counters of the service to Prometheus. Each package maintains its own
// counters. The counters are only read when Prometheus requests the metrics, so this package adds
// no cost to other requests.
package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/ingest"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
	"github.com/slipstream-go/slipstream/server/watch"
)

// Collector collects the statistics of ingest, tables, log and configuration.
type Collector struct {
	Ingest func() ingest.Stats
	Guard  func() [access.Reasons]int64
	Store  func() *table.Store // the function returns nil before recovery begins
	Watch  func() watch.Stats
}

var _ prometheus.Collector = Collector{}

// metric describes a metric. Its function `read` returns the metric's value from the statistics of
// type S.
type metric[S any] struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(S) float64
}

func counter[S any](name, help string, read func(S) float64) metric[S] {
	return metric[S]{describe(name, help), prometheus.CounterValue, read}
}

func gauge[S any](name, help string, read func(S) float64) metric[S] {
	return metric[S]{describe(name, help), prometheus.GaugeValue, read}
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("slipstream_"+name, help, labels, nil)
}

var requestsDesc = describe("requests_total", "Write requests by outcome.", "outcome", "code")

var refusedDesc = describe("access_refusals_total", "Requests that access control rejected, by reason.", "reason")

var requestSeconds = describe("request_seconds", "Time from the headers of a request to its response, by route and body format.", "route", "format")

var syncDesc = describe("wal_sync_seconds", "Number and total duration of the syncs of the write-ahead log.")

var failingDesc = describe("table_land_failing", "1 for each table whose flushes currently fail.", "db", "table")

var ofIngest = []metric[ingest.Stats]{
	counter("rows_accepted_total", "Rows of successful requests.", func(s ingest.Stats) float64 { return float64(s.Rows) }),
	counter("rows_rejected_total", "Rows that were rejected in partially accepted requests.", func(s ingest.Stats) float64 { return float64(s.Rejected) }),
	counter("repeated_requests_total", "Requests that were not stored again, because their Idempotency-Key was already stored.", func(s ingest.Stats) float64 { return float64(s.Again) }),
	gauge("idempotency_keys", "Number of idempotency keys that are remembered.", func(s ingest.Stats) float64 { return float64(s.Keys) }),
	counter("idempotency_keys_forgotten_total", "Idempotency keys that were evicted before the end of --idempotency-window, because there were too many keys.", func(s ingest.Stats) float64 { return float64(s.Forgotten) }),
	counter("received_bytes_total", "Bytes of the bodies of successful requests, before decompression.", func(s ingest.Stats) float64 { return float64(s.Bytes) }),
	gauge("in_flight_bytes", "Bytes of the request bodies that are being received, decoded or written.", func(s ingest.Stats) float64 { return float64(s.InFlight) }),
	gauge("schema_versions", "Number of registered schema versions.", func(s ingest.Stats) float64 { return float64(s.Versions) }),
	counter("schema_write_failures_total", "Failed attempts to write the file of the schema registry.", func(s ingest.Stats) float64 { return float64(s.Unsaved) }),
	gauge("ready", "1 while /ready returns 200.", func(s ingest.Stats) float64 { return oneIf(s.Ready) }),
}

var ofStore = []metric[table.Stats]{
	counter("rows_committed_total", "Rows committed to the log, including replayed rows. The number is the sum of landed and pending rows.", func(s table.Stats) float64 { return float64(s.Accepted) }),
	counter("rows_landed_total", "Rows that were written to Parquet files.", func(s table.Stats) float64 { return float64(s.Landed) }),
	gauge("rows_pending", "Rows that are not yet in Parquet files.", func(s table.Stats) float64 { return float64(s.Pending) }),
	gauge("oldest_pending_seconds", "Age of the oldest row that is not yet in a Parquet file.", func(s table.Stats) float64 { return s.Oldest.Seconds() }),
	gauge("buffered_bytes", "Bytes of memory used by the rows that are not yet in Parquet files.", func(s table.Stats) float64 { return float64(s.Buffered) }),
	gauge("tables", "Number of tables in the catalog.", func(s table.Stats) float64 { return float64(s.Tables) }),
	counter("landed_units_total", "Completed flushes of tables to Parquet files.", func(s table.Stats) float64 { return float64(s.Units) }),
	counter("landed_files_total", "Parquet files that were written.", func(s table.Stats) float64 { return float64(s.Files) }),
	counter("landed_bytes_total", "Bytes of the Parquet files that were written.", func(s table.Stats) float64 { return float64(s.Bytes) }),
	gauge("aside_files", "Parquet files in the aside directory, because the directories of their tables cannot be written. The files are moved to these directories as soon as possible.", func(s table.Stats) float64 { return float64(s.Aside) }),
	counter("land_failures_total", "Failed attempts to flush a table. Every failed attempt is repeated.", func(s table.Stats) float64 { return float64(s.LandFailures) }),
	gauge("replayed_rows", "Rows replayed from the log at the last start.", func(s table.Stats) float64 { return float64(s.Replayed) }),
	gauge("replay_seconds", "Duration of the last replay of the log.", func(s table.Stats) float64 { return s.ReplayTime.Seconds() }),
}

var ofWatch = []metric[watch.Stats]{
	counter("config_loads_total", "Successful loads of rules, certificates and secrets, including the loads at startup.", func(s watch.Stats) float64 { return float64(s.Loads) }),
	counter("config_load_failures_total", "Failed reloads of rules, certificates and secrets. After a failure, the previous version stays in effect.", func(s watch.Stats) float64 { return float64(s.Failures) }),
	gauge("config_failed", "Sets of files whose current version cannot be loaded.", func(s watch.Stats) float64 { return float64(s.Failed) }),
	gauge("config_last_load_timestamp_seconds", "Time of the last successful load of rules, certificates or secrets.", func(s watch.Stats) float64 { return unixSeconds(s.Last) }),
}

var ofLog = []metric[wal.Stats]{
	counter("wal_records_total", "Records written to the log.", func(s wal.Stats) float64 { return float64(s.Records) }),
	counter("wal_written_bytes_total", "Bytes written to the log.", func(s wal.Stats) float64 { return float64(s.Bytes) }),
	counter("wal_refused_total", "Appends to the log that were rejected or failed.", func(s wal.Stats) float64 { return float64(s.Refused) }),
	counter("wal_lost_total", "Records that were acknowledged with durability=async, but could not be written.", func(s wal.Stats) float64 { return float64(s.Lost) }),
	gauge("wal_waiting", "Number of appends to the log that wait for the disk.", func(s wal.Stats) float64 { return float64(s.Waiting) }),
	gauge("wal_segments", "Number of log segments.", func(s wal.Stats) float64 { return float64(s.Segments) }),
	gauge("wal_size_bytes", "Bytes of records in the log.", func(s wal.Stats) float64 { return float64(s.Size) }),
	gauge("wal_disk_free_bytes", "Free bytes of the log's file system at the last measurement.", func(s wal.Stats) float64 { return float64(s.Free) }),
	gauge("wal_disk_wanted_bytes", "Free bytes of the log's file system at which writes are accepted again.", func(s wal.Stats) float64 { return float64(s.Wanted) }),
	gauge("wal_low_disk", "1 while writes are refused because free disk space is below the minimum.", func(s wal.Stats) float64 { return oneIf(s.LowDisk) }),
}

// Describe implements prometheus.Collector.
func (c Collector) Describe(out chan<- *prometheus.Desc) {
	out <- requestsDesc
	out <- refusedDesc
	out <- requestSeconds
	out <- syncDesc
	out <- failingDesc
	describeAll(out, ofIngest)
	describeAll(out, ofStore)
	describeAll(out, ofLog)
	describeAll(out, ofWatch)
}

func describeAll[S any](out chan<- *prometheus.Desc, metrics []metric[S]) {
	for _, m := range metrics {
		out <- m.desc
	}
}

// Collect implements prometheus.Collector.
func (c Collector) Collect(out chan<- prometheus.Metric) {
	s := c.Ingest()
	for i, n := range s.Outcomes {
		o := refusal.Outcome(i)
		out <- prometheus.MustNewConstMetric(requestsDesc, prometheus.CounterValue, float64(n), o.String(), strconv.Itoa(o.Status()))
	}
	for i, n := range c.Guard() {
		out <- prometheus.MustNewConstMetric(refusedDesc, prometheus.CounterValue, float64(n), access.Reason(i).String())
	}
	for _, l := range s.Latencies {
		out <- prometheus.MustNewConstHistogram(requestSeconds, l.Count, l.Sum.Seconds(), l.Buckets, l.Route, l.Format)
	}
	collectAll(out, ofIngest, s)
	collectAll(out, ofWatch, c.Watch())
	store := c.Store()
	if store == nil {
		return
	}
	collectAll(out, ofStore, store.Stats())
	for _, name := range store.Failing() {
		out <- prometheus.MustNewConstMetric(failingDesc, prometheus.GaugeValue, 1, name.DB, name.Table)
	}
	log := store.Log()
	collectAll(out, ofLog, log)
	out <- prometheus.MustNewConstSummary(syncDesc, log.Commits, log.SyncTime.Seconds(), nil)
}

func collectAll[S any](out chan<- prometheus.Metric, metrics []metric[S], s S) {
	for _, m := range metrics {
		out <- prometheus.MustNewConstMetric(m.desc, m.kind, m.read(s))
	}
}

// unixSeconds returns t in seconds since 1970, or 0 for the zero time.
func unixSeconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
