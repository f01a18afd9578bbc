package ingest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/table"
)

const ms0 = t0 / 1000

// label returns labels, given as name, value, name, value …
func label(pairs ...string) []remotewrite.Label {
	var l []remotewrite.Label
	for i := 0; i < len(pairs); i += 2 {
		l = append(l, remotewrite.Label{Name: pairs[i], Value: pairs[i+1]})
	}
	return l
}

// everything returns a request with all kinds of data of Remote Write, and many values that senders
// should not send.
func everything() *remotewrite.Request {
	counter := remotewrite.Metadata{Type: remotewrite.MetricTypeCounter, MetricFamilyName: "up", Help: "Whether it is \"up\".\n", Unit: "s"}
	odd := remotewrite.Metadata{Type: 77, MetricFamilyName: "", Help: "é"}
	return &remotewrite.Request{
		Metadata: []remotewrite.Metadata{counter, odd, counter, {}},
		Series: []remotewrite.Series{
			{Labels: label("__name__", "up", "instance", "a:1", "job", "x"), Metadata: counter, Samples: []remotewrite.Sample{
				{Value: 1, Timestamp: ms0}, {Value: math.Float64frombits(remotewrite.StaleNaN), Timestamp: ms0 + 1}, {Value: math.NaN(), Timestamp: ms0 + 2},
				{Value: math.Copysign(0, -1), Timestamp: ms0 + 3, StartTimestamp: ms0 - 5}, {Value: math.Inf(-1), Timestamp: 0}, {Timestamp: -1}}},
			{Labels: label("job", "x", "__name__", "unsorted", "instance", "b"), Metadata: odd, Samples: []remotewrite.Sample{{Value: 2, Timestamp: ms0 + 4}}},
			{Labels: label("b", "2", "a", "1", "b", "3", "b", "2", "__name__", "twice", "__name__", "or more"), Metadata: counter, Samples: []remotewrite.Sample{{Value: 3, Timestamp: ms0 + 5}}},
			{Labels: label("", "", "Ünï", "日本\u2028", "q\"\\", "\x00\x1f\x7f</a>&", "z", "\U0010ffff"), Samples: []remotewrite.Sample{{Value: 4, Timestamp: ms0 + 6}}},
			{Samples: []remotewrite.Sample{{Value: 5, Timestamp: ms0 + 7}}},
			{Labels: label("__name__", "nothing"), Metadata: remotewrite.Metadata{Unit: "m"}},
			{Labels: label("__name__", "h", "le", strings.Repeat("long ", 100)),
				Histograms: []remotewrite.Histogram{
					{Count: remotewrite.IntCount(math.MaxUint64), Sum: math.Float64frombits(remotewrite.StaleNaN), Timestamp: ms0 + 8, ZeroCount: remotewrite.IntCount(1), ZeroThreshold: 1e-128},
					{Count: remotewrite.FloatCount(2.5), Sum: 7, Schema: -3, Timestamp: ms0 + 9, StartTimestamp: ms0, ResetHint: remotewrite.ResetHintGauge,
						Positive: remotewrite.Buckets{Spans: []remotewrite.BucketSpan{{Offset: -2, Length: 2}}, Counts: []float64{1, 1.5}}}},
				Exemplars: []remotewrite.Exemplar{
					{Labels: label("trace_id", "8f\"3", "span", "1"), Value: 0.25, Timestamp: ms0 + 10}, {Value: math.NaN(), Timestamp: ms0 + 11}}},
		},
	}
}

// wantSeries returns the rows that must result from the parts. It uses Decode for the data and
// encoding/json for labels.
func wantSeries(t testing.TB, received int64, parts ...series.Part) map[string][]row {
	t.Helper()
	all := make(map[string][]row)
	for _, p := range parts {
		var r remotewrite.Request
		if err := remotewrite.Decode(p.Body, p.Version, &r); err != nil {
			t.Fatal(err)
		}
		messages := messagesOf(p)
		base := series.Database + "." + series.TableOf(p.Tenant)
		add := func(suffix string, of *remotewrite.Series, ms int64, more row) {
			if more["start_time"] == int64(0) {
				delete(more, "start_time")
			}
			more["time"] = ms * 1000
			more["metric"], more["labels"] = wantLabels(t, of.Labels)
			all[base+suffix] = append(all[base+suffix], more)
		}
		said := make(map[remotewrite.Metadata]bool)
		note := func(metric string, m remotewrite.Metadata) {
			if m.MetricFamilyName = metric; !said[m] {
				kind := strconv.Itoa(int(m.Type))
				if names := strings.Fields("unknown counter gauge histogram gaugehistogram summary info stateset"); uint(m.Type) < uint(len(names)) {
					kind = names[m.Type]
				}
				all[base+"-metadata"] = append(all[base+"-metadata"], row{"time": received, "metric": metric, "type": kind, "help": m.Help, "unit": m.Unit})
			}
			said[m] = true
		}
		for i := range r.Series {
			s := &r.Series[i]
			for _, v := range s.Samples {
				add("", s, v.Timestamp, row{"value": v.Value, "start_time": v.StartTimestamp * 1000})
			}
			for _, h := range s.Histograms {
				add("-histograms", s, h.Timestamp, row{"count": numberOf(h.Count), "sum": h.Sum, "zero_count": numberOf(h.ZeroCount), "zero_threshold": h.ZeroThreshold,
					"schema": int64(h.Schema), "start_time": h.StartTimestamp * 1000, "message": messages[0], "buckets": bucketsOf(&h)})
				messages = messages[1:]
			}
			for _, e := range s.Exemplars {
				text, err := wantObject(t, e.Labels)
				if err != nil {
					t.Fatal(err)
				}
				add("-exemplars", s, e.Timestamp, row{"value": e.Value, "exemplar": text})
			}
			if m := s.Metadata; m != (remotewrite.Metadata{}) {
				metric, _ := wantLabels(t, s.Labels)
				note(metric, m)
			}
		}
		for _, m := range r.Metadata {
			note(m.MetricFamilyName, m)
		}
	}
	return all
}

// messagesOf returns the messages of all histograms in a part, in base64.
func messagesOf(p series.Part) (texts []string) {
	var s remotewrite.Scanner
	s.Reset(p.Body, p.Version)
	for v := range s.Series {
		for h := range v.Histograms {
			texts = append(texts, base64.StdEncoding.EncodeToString(h.Raw()))
		}
	}
	return texts
}

func wantLabels(t testing.TB, labels []remotewrite.Label) (metric, text string) {
	named := false
	labels = slices.DeleteFunc(slices.Clone(labels), func(l remotewrite.Label) bool {
		if named || l.Name != "__name__" {
			return false
		}
		metric, named = l.Value, true
		return true
	})
	text, err := wantObject(t, labels)
	if err != nil {
		t.Fatal(err)
	}
	return metric, text
}

func wantObject(t testing.TB, labels []remotewrite.Label) (string, error) {
	values := make(map[string]any)
	for _, l := range labels {
		switch have := values[l.Name].(type) {
		case nil:
			values[l.Name] = l.Value
		case string:
			values[l.Name] = []string{have, l.Value}
		case []string:
			values[l.Name] = append(have, l.Value)
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(values)
	return strings.TrimSuffix(b.String(), "\n"), err
}

// bits replaces floats by their bits, so that a NaN equals only the same NaN.
func bits(all map[string][]row) map[string][]row {
	for _, rows := range all {
		for _, r := range rows {
			for name, v := range r {
				if f, ok := v.(float64); ok {
					r[name] = fmt.Sprintf("%016x", math.Float64bits(f))
				}
			}
		}
	}
	return all
}

func (r *rig) series(parts ...series.Part) {
	r.t.Helper()
	if got := r.h.AppendSeries(parts); got != (series.Result{}) {
		r.t.Fatal(got)
	}
}

// All kinds of data of both versions land, and a replay from the log returns the same rows.
func TestSeries(t *testing.T) {
	v1 := remotewrite.Append(nil, remotewrite.V1, everything())
	v2 := remotewrite.Append(nil, remotewrite.V2, everything())
	for name, parts := range map[string][]series.Part{
		"V1":                  {sent("team-a", remotewrite.V1, v1)},
		"V2":                  {sent("team-a", remotewrite.V2, v2)},
		"tenants":             {sent("team-a", remotewrite.V1, v1), sent("12", remotewrite.V2, v2), sent("team-a-metadata", remotewrite.V2, v2), sent("none", remotewrite.V1, nil)},
		"a tenant of 2 parts": {sent("t", remotewrite.V2, v2), sent("u", remotewrite.V1, v1), sent("t", remotewrite.V1, remotewrite.Append(nil, remotewrite.V1, scraped(100, 3)))},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{})
			r.series(parts...)
			got := r.landed()
			wantRows(t, bits(got), bits(wantSeries(t, r.now.Load(), parts...)))
			r.series(parts...)
			got = r.replayed()
			wantRows(t, bits(got), bits(wantSeries(t, r.now.Load(), parts...)))
			if s := r.h.Stats(); s.Outcomes[refusal.Stored] != 2 || s.InFlight != 0 || s.Rows == 0 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// A request without data stores nothing.
func TestSeriesWithoutData(t *testing.T) {
	r := newRig(t, Options{})
	r.series()
	r.series(sent("a", remotewrite.V1, nil), sent("b", remotewrite.V2, remotewrite.Append(nil, remotewrite.V2,
		&remotewrite.Request{Series: []remotewrite.Series{{Labels: label("__name__", "up")}}})))
	if got := r.landed(); len(got) > 0 {
		t.Error(got)
	}
	if s := r.store.Log(); s.LastSeq != 0 {
		t.Errorf("%+v", s)
	}
}

// Parquet files contain the exact bits of every value, and columns of the documented types.
func TestSeriesInParquet(t *testing.T) {
	dir := t.TempDir()
	sink, err := parquet.New(dir, parquet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, Options{}, func(o *table.Options) { o.Sink = sink })
	parts := []series.Part{sent("team.a", remotewrite.V2, remotewrite.Append(nil, remotewrite.V2, everything()))}
	r.series(parts...)
	if err := r.store.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	got := make(map[string][]row)
	eachFile(t, dir, func(path string, b *column.Batch) {
		name := strings.Join(strings.Split(path, "/")[:2], ".")
		for i := range b.Rows {
			cells := row{}
			for _, c := range b.Columns {
				if v := cell(c, i); v != nil {
					cells[c.Name] = v
				}
			}
			got[name] = append(got[name], cells)
		}
		_, suffix, _ := strings.Cut(name, "x--team-2ea")
		var columns []string
		for _, c := range b.Columns {
			columns = append(columns, c.Name+" "+c.Kind.String())
		}
		const common = "time time, metric string, labels string, "
		want := map[string]string{
			"": common + "value float64, start_time time",
			"-histograms": common + "count float64, sum float64, zero_count float64, zero_threshold float64, schema int64, " +
				"buckets string, message string, start_time time",
			"-exemplars": common + "value float64, exemplar string",
			"-metadata":  "time time, metric string, type string, help string, unit string",
		}[suffix]
		if got := strings.Join(columns, ", "); got != want {
			t.Errorf("%s: columns %s, want %s", name, got, want)
		}
	})
	wantRows(t, bits(got), bits(wantSeries(t, r.now.Load(), parts...)))
}

// refusedSeries checks that a request is rejected, and that nothing of it is stored.
func (r *rig) refusedSeries(verdict series.Verdict, pause time.Duration, text string, parts ...series.Part) {
	r.t.Helper()
	before := r.store.Log().LastSeq
	got := r.h.AppendSeries(parts)
	if got.Err == nil || got.Verdict != verdict || got.RetryAfter != pause || !strings.Contains(got.Err.Error(), text) {
		r.t.Errorf("%+v; want %d, %v, … %s", got, verdict, pause, text)
	}
	if now := r.store.Log().LastSeq; now != before {
		r.t.Errorf("record %d was written", now)
	}
	if s := r.h.Stats(); s.InFlight != 0 {
		r.t.Errorf("%d bytes are in flight", s.InFlight)
	}
}

func TestSeriesRefused(t *testing.T) {
	r := newRig(t, Options{Limits: Limits{Decompressed: 1 << 20, Limits: rows.Limits{Rows: 100, Columns: 20, Tables: 5}}})
	ok := sent("fine", remotewrite.V1, remotewrite.Append(nil, remotewrite.V1, scraped(2, 1)))
	bad := func(s ...remotewrite.Series) (one, two series.Part) {
		q := &remotewrite.Request{Series: append(scraped(2, 1).Series, s...)}
		return sent("bad", remotewrite.V1, remotewrite.Append(nil, remotewrite.V1, q)), sent("bad", remotewrite.V2, remotewrite.Append(nil, remotewrite.V2, q))
	}
	at := func(ms int64) []remotewrite.Sample { return []remotewrite.Sample{{Timestamp: ms}} }
	labels := label("__name__", "up", "job", "x")
	many := make([]remotewrite.Label, 21)
	for i := range many {
		many[i].Name = fmt.Sprintf("l%02d", i)
	}
	for _, c := range []struct {
		text   string
		series remotewrite.Series
	}{
		{`tenant "bad": series 2, up{"job":"x"}: the time 253402300800000 in milliseconds is not in the years 1 to 9999`, remotewrite.Series{Labels: labels, Samples: at(253402300800000)}},
		{`tenant "bad": series 2, up{"job":"x"}: the time -62135596800001 in`, remotewrite.Series{Labels: labels, Samples: at(-62135596800001)}},
		{`the time 9223372036854775807 in`, remotewrite.Series{Labels: labels, Exemplars: []remotewrite.Exemplar{{Timestamp: math.MaxInt64}}}},
		{`the time -9223372036854775808 in`, remotewrite.Series{Labels: labels, Histograms: []remotewrite.Histogram{{Timestamp: math.MinInt64}}}},
		{`tenant "bad": series 2: label "job" is not UTF-8: send UTF-8`, remotewrite.Series{Labels: label("job", "\xff"), Samples: at(0)}},
		{`label "\xc3" is not UTF-8`, remotewrite.Series{Labels: label("\xc3", ""), Samples: at(0)}},
		{`label "__name__" is not UTF-8`, remotewrite.Series{Labels: label("__name__", "a\xed\xa0\x80"), Samples: at(0)}},
		{`series 2, up{"job":"x"}: label "t" is not UTF-8`, remotewrite.Series{Labels: labels, Exemplars: []remotewrite.Exemplar{{Labels: label("t", "\x80")}}}},
		{`more than 20 labels`, remotewrite.Series{Labels: many, Samples: at(0)}},
		{`more than 20 labels in an exemplar`, remotewrite.Series{Labels: labels, Exemplars: []remotewrite.Exemplar{{Labels: many}}}},
		{`more than 100 rows`, remotewrite.Series{Labels: labels, Samples: make([]remotewrite.Sample, 99)}},
	} {
		one, two := bad(c.series)
		r.refusedSeries(series.Invalid, 0, c.text, ok, one)
		r.refusedSeries(series.Invalid, 0, c.text, two, ok)
	}
	_, two := bad(remotewrite.Series{Labels: labels, Metadata: remotewrite.Metadata{Help: "\xff"}})
	r.refusedSeries(series.Invalid, 0, `tenant "bad": the metadata of "up" is not UTF-8`, two)
	_, two = bad(remotewrite.Series{Labels: labels, Samples: []remotewrite.Sample{{StartTimestamp: math.MaxInt64}}})
	r.refusedSeries(series.Invalid, 0, "the time 9223372036854775807 in", two)

	r.refusedSeries(series.Invalid, 0, `tenant "b": remotewrite: the body contains only fields of the other protocol version`, ok, sent("b", remotewrite.V2, ok.Body))
	r.refusedSeries(series.Invalid, 0, `tenant "b": remotewrite: timeseries[1]: unexpected EOF`, sent("b", remotewrite.V1, ok.Body[:len(ok.Body)-1]))
	r.refusedSeries(series.Invalid, 0, `the version is neither`, sent("b", 3, ok.Body))
	r.refusedSeries(series.Invalid, 0, "more than 1048576 bytes when decompressed", ok, sent("big", remotewrite.V1, make([]byte, 1<<20)))
	var parts []series.Part
	for i := range 6 {
		parts = append(parts, sent(fmt.Sprint("t", i), remotewrite.V1, ok.Body))
	}
	r.refusedSeries(series.Invalid, 0, "more than 5 tables", parts...)

	wantStatus(t, r.do("POST", "/v1/write/metrics/taken", toJSON(t, dict{"v", 1, "value", "text"}), "Content-Type", "application/json"), 400)
	wantStatus(t, r.do("POST", "/v1/write/metrics/taken", toJSON(t, list{dict{"value", "text"}}), "Content-Type", "application/json"), 204)
	r.refusedSeries(series.Invalid, 0, `table metrics.taken: column "value" contains string values`, sent("taken", remotewrite.V1, ok.Body))

	if err := r.store.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	r.refusedSeries(series.Failed, time.Second, "stopping", ok)
	r.h.failed.Store(true)
	r.refusedSeries(series.Failed, time.Second, "not ready", ok)
}

// If the log is full, a request is rejected temporarily.
func TestSeriesOverload(t *testing.T) {
	r := newRig(t, Options{}, func(o *table.Options) { o.WAL.MaxBytes = 1 })
	r.refusedSeries(series.Busy, time.Second, "the log is full", sent("a", remotewrite.V1, remotewrite.Append(nil, remotewrite.V1, scraped(1, 1))))
	if s := r.h.Stats(); s.Outcomes[refusal.LogFull] != 1 || s.Rows != 0 {
		t.Errorf("%+v", s)
	}
}

// The text that a few bytes can repeat is limited by the size of the body, in the same way as its
// decompressed size. It counts as memory in use.
func TestSeriesText(t *testing.T) {
	h := newRig(t, Options{Limits: Limits{InFlight: 4 << 20}})
	long := strings.Repeat("x", 40<<10)
	scrape := func(samples int) *remotewrite.Request {
		return &remotewrite.Request{Series: []remotewrite.Series{{Labels: label("a", long), Samples: make([]remotewrite.Sample, samples)}}}
	}
	send := func(q *remotewrite.Request, version remotewrite.Version) series.Part {
		return sent("t", version, remotewrite.Append(nil, version, q))
	}
	h.series(send(scrape(80), remotewrite.V1))
	h.refusedSeries(series.Invalid, 0, "bytes of text", send(scrape(300), remotewrite.V1)) // 12 MB from 41 KB
	many := scrape(1)
	for range 500 {
		many.Series = append(many.Series, remotewrite.Series{Labels: label("a", long, "b", long), Samples: make([]remotewrite.Sample, 1)})
	}
	h.refusedSeries(series.Invalid, 0, "bytes of text", send(many, remotewrite.V2))
	one := &remotewrite.Request{Series: []remotewrite.Series{{Samples: make([]remotewrite.Sample, 1)}}}
	for i := range 4000 {
		one.Series[0].Labels = append(one.Series[0].Labels, remotewrite.Label{Name: fmt.Sprint(i), Value: long})
	}
	h.refusedSeries(series.Invalid, 0, "bytes of text", send(one, remotewrite.V2))
	for i := range one.Series[0].Labels {
		one.Series[0].Labels[i].Name = "a"
	}
	h.refusedSeries(series.Invalid, 0, "bytes of text", send(one, remotewrite.V2))
	told := &remotewrite.Request{}
	for i := range 500 {
		told.Series = append(told.Series, remotewrite.Series{Labels: label("__name__", fmt.Sprint(i%2)), Metadata: remotewrite.Metadata{Help: long}})
	}
	h.refusedSeries(series.Invalid, 0, "bytes of text", send(told, remotewrite.V2))

	for i := range told.Series { // labels that no row uses
		s := &told.Series[i]
		s.Labels, s.Metadata.Help = append(s.Labels, label("a", long)...), "short"
	}
	h.series(send(told, remotewrite.V2))

	others := h.h.flight.Own()
	others.Take(2 << 20)
	got := h.h.AppendSeries([]series.Part{send(scrape(80), remotewrite.V1)})
	if got.Verdict != series.Busy || got.RetryAfter != time.Second || got.Err == nil || got.Err.Error() != `tenant "t": `+admission.ErrFull.Error() {
		t.Error(got)
	}
	if others.Release(); h.h.flight.Used() != 0 {
		t.Errorf("%d bytes are in flight", h.h.flight.Used())
	}
	if got, want := len(h.landed()["metrics.t"]), 80; got != want {
		t.Errorf("%d rows landed, not %d", got, want)
	}

	h = newRig(t, Options{Limits: Limits{Decompressed: 1 << 20}})
	deep := scrape(0)
	for _, histogram := range []remotewrite.Histogram{
		{Positive: remotewrite.Buckets{Deltas: make([]int64, 40<<10)}},
		{Count: remotewrite.FloatCount(0), Negative: remotewrite.Buckets{Counts: make([]float64, 40<<10)}},
	} {
		deep.Series[0].Histograms = []remotewrite.Histogram{histogram}
		h.refusedSeries(series.Invalid, 0, "bytes of text", send(deep, remotewrite.V1))
	}
}
