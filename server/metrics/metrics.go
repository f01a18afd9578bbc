// Package metrics shows the state of the service to Prometheus. The rooms count for themselves; what they have counted is read
// when it is asked for, so nothing here runs while rows are taken.
package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/ingest"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
	"github.com/slipstream-go/slipstream/server/watch"
)

// Collector reads the rooms' statistics.
type Collector struct {
	Ingest func() ingest.Stats
	Guard  func() [access.Reasons]int64
	Store  func() *table.Store // nil before recovery begins
	Watch  func() watch.Stats
}

var _ prometheus.Collector = Collector{}

// metric is one that is read from the statistics S.
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

var requestsDesc = describe("requests_total", "Write requests by how they ended.", "outcome", "code")

var refusedDesc = describe("access_refusals_total", "Requests refused by their token: none, an unknown one, one without the right or not for the database.", "reason")

var requestSeconds = describe("request_seconds", "From the head of a request to its answer, by route and by the format of its body.", "route", "format")

var syncDesc = describe("wal_sync_seconds", "Syncs of the log to the disk: how many, and how long they took together.")

var failingDesc = describe("table_land_failing", "1 for each table whose rows do not land where they belong at present.", "db", "table")

var ofIngest = []metric[ingest.Stats]{
	counter("rows_accepted_total", "Rows of requests that were answered with success.", func(s ingest.Stats) float64 { return float64(s.Rows) }),
	counter("rows_rejected_total", "Rows that partial requests were told were not taken.", func(s ingest.Stats) float64 { return float64(s.Rejected) }),
	counter("repeated_requests_total", "Requests that were stored before, as their Idempotency-Key said, and were not stored again.", func(s ingest.Stats) float64 { return float64(s.Again) }),
	gauge("idempotency_keys", "Keys of stored requests that are remembered.", func(s ingest.Stats) float64 { return float64(s.Keys) }),
	counter("idempotency_keys_forgotten_total", "Keys that were forgotten before --idempotency-window ended, since there were too many.", func(s ingest.Stats) float64 { return float64(s.Forgotten) }),
	counter("received_bytes_total", "Bytes of bodies, as received, whose rows were taken.", func(s ingest.Stats) float64 { return float64(s.Bytes) }),
	gauge("in_flight_bytes", "Bytes of the bodies that are being received, decoded or written.", func(s ingest.Stats) float64 { return float64(s.InFlight) }),
	gauge("schema_versions", "Versions of schemas that are registered.", func(s ingest.Stats) float64 { return float64(s.Versions) }),
	counter("schema_write_failures_total", "Changes of the registered schemas that could not be written.", func(s ingest.Stats) float64 { return float64(s.Unsaved) }),
	gauge("ready", "1 when /ready says yes.", func(s ingest.Stats) float64 { return oneIf(s.Ready) }),
}

var ofStore = []metric[table.Stats]{
	counter("rows_committed_total", "Rows taken over from the log, replayed ones included: landed and pending ones together.", func(s table.Stats) float64 { return float64(s.Accepted) }),
	counter("rows_landed_total", "Rows in Parquet files.", func(s table.Stats) float64 { return float64(s.Landed) }),
	gauge("rows_pending", "Rows that wait to land.", func(s table.Stats) float64 { return float64(s.Pending) }),
	gauge("oldest_pending_seconds", "How long the oldest pending row has waited.", func(s table.Stats) float64 { return s.Oldest.Seconds() }),
	gauge("buffered_bytes", "Memory of rows from their append until they have landed.", func(s table.Stats) float64 { return float64(s.Buffered) }),
	gauge("tables", "Tables in the catalog.", func(s table.Stats) float64 { return float64(s.Tables) }),
	counter("landed_units_total", "Units that have landed.", func(s table.Stats) float64 { return float64(s.Units) }),
	counter("landed_files_total", "Parquet files made.", func(s table.Stats) float64 { return float64(s.Files) }),
	counter("landed_bytes_total", "Bytes of the Parquet files made.", func(s table.Stats) float64 { return float64(s.Bytes) }),
	gauge("aside_files", "Parquet files of tables that cannot have them where they belong; they return when they can.", func(s table.Stats) float64 { return float64(s.Aside) }),
	counter("land_failures_total", "Attempts to land that failed; each is tried again.", func(s table.Stats) float64 { return float64(s.LandFailures) }),
	gauge("replayed_rows", "Rows that the last start found in the log.", func(s table.Stats) float64 { return float64(s.Replayed) }),
	gauge("replay_seconds", "How long the last start read the log.", func(s table.Stats) float64 { return s.ReplayTime.Seconds() }),
}

var ofWatch = []metric[watch.Stats]{
	counter("config_loads_total", "Files that were read, at the start or because they had changed: rules, certificates, secrets.", func(s watch.Stats) float64 { return float64(s.Loads) }),
	counter("config_load_failures_total", "Changed files that could not be used: what they said before holds.", func(s watch.Stats) float64 { return float64(s.Failures) }),
	gauge("config_failed", "Sets of files that cannot be used as they are now.", func(s watch.Stats) float64 { return float64(s.Failed) }),
	gauge("config_last_load_timestamp_seconds", "When files were last read and put to use.", func(s watch.Stats) float64 { return unixSeconds(s.Last) }),
}

var ofLog = []metric[wal.Stats]{
	counter("wal_records_total", "Records written to the log.", func(s wal.Stats) float64 { return float64(s.Records) }),
	counter("wal_written_bytes_total", "Bytes written to the log.", func(s wal.Stats) float64 { return float64(s.Bytes) }),
	counter("wal_refused_total", "Appends that the log refused or that failed.", func(s wal.Stats) float64 { return float64(s.Refused) }),
	counter("wal_lost_total", "Records of durability=async that were acknowledged and could not be written.", func(s wal.Stats) float64 { return float64(s.Lost) }),
	gauge("wal_waiting", "Appends that wait for the disk.", func(s wal.Stats) float64 { return float64(s.Waiting) }),
	gauge("wal_segments", "Segments of the log.", func(s wal.Stats) float64 { return float64(s.Segments) }),
	gauge("wal_size_bytes", "Bytes of records in the log.", func(s wal.Stats) float64 { return float64(s.Size) }),
	gauge("wal_disk_free_bytes", "Free bytes of the log's file system at the last look.", func(s wal.Stats) float64 { return float64(s.Free) }),
	gauge("wal_disk_wanted_bytes", "Free bytes at which writes are taken.", func(s wal.Stats) float64 { return float64(s.Wanted) }),
	gauge("wal_low_disk", "1 while writes are refused because the disk is nearly full.", func(s wal.Stats) float64 { return oneIf(s.LowDisk) }),
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
		o := ingest.Outcome(i)
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

// unixSeconds is a time as Prometheus has them; 0 if there was none.
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
