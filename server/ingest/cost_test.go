package ingest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// telemetry returns a body that is typical for services: time, a host of 9 characters, and three
// floats.
func telemetry(t testing.TB, rows int) []byte {
	times, hosts := make(list, rows), make(list, rows)
	var values [3]list
	for i := range rows {
		times[i], hosts[i] = t0+int64(i), fmt.Sprintf("server%03d", i%1000)
		for k := range values {
			values[k] = append(values[k], float64(i*37%10_000)/100)
		}
	}
	return pack(t, dict{"m", "cpu", "columns", dict{"time", times, "host", hosts, "value", values[0], "cpu_idle", values[1], "cpu_user", values[2]}})
}

func telemetryRows(t testing.TB, rows int) []byte {
	items := make(list, rows)
	for i := range rows {
		items[i] = dict{"m", "cpu", "t", t0 + int64(i), "h", fmt.Sprintf("server%03d", i%1000),
			"fields", dict{"value", float64(i), "cpu_idle", 0.25, "cpu_user", 0.5}}
	}
	return pack(t, dict{"batch", items})
}

// telemetryJSON returns the data of telemetry as JSON: as columns, as an array of rows, and as
// lines.
func telemetryJSON(t testing.TB, rows int) (columns, array, lines []byte) {
	items := make(list, rows)
	var cells [5]list
	for i := range rows {
		row := list{t0 + int64(i), fmt.Sprintf("server%03d", i%1000), float64(i*37%10_000) / 100, 0.25, 0.5}
		for k, v := range row {
			cells[k] = append(cells[k], v)
		}
		items[i] = dict{"time", row[0], "host", row[1], "value", row[2], "cpu_idle", row[3], "cpu_user", row[4]}
	}
	columns = toJSON(t, dict{"time", cells[0], "host", cells[1], "value", cells[2], "cpu_idle", cells[3], "cpu_user", cells[4]})
	return columns, toJSON(t, items), toLines(t, items)
}

// decoder returns a function that decodes one body in the same way as a request does.
func decoder(t testing.TB, f *rows.Format, body []byte) func() {
	h := New(Options{})
	q := &request{handler: h, held: h.flight.Own(), body: &admission.Buffer{B: body}, codec: codec{format: f}, record: wal.Record{Time: t0, DB: "default", Table: "t"}}
	return func() {
		writes, err := q.decode()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range writes {
			h.pool.Put(w.Batch)
		}
	}
}

// Decoding allocates memory per request, not per row or cell.
func TestAllocations(t *testing.T) {
	columns, array, lines := telemetryJSON(t, 1000)
	for name, c := range map[string]struct {
		format *rows.Format
		body   []byte
		most   float64
	}{
		"columnar":      {rows.Arc, telemetry(t, 1000), 2},
		"one row":       {rows.Arc, telemetry(t, 1), 2},
		"row envelopes": {rows.Arc, telemetryRows(t, 1000), 4},
		"JSON columns":  {rows.JSON, columns, 2},
		"JSON rows":     {rows.JSON, array, 2},
		"NDJSON":        {rows.NDJSON, lines, 2},
	} {
		decode := decoder(t, c.format, c.body)
		decode()
		if n := testing.AllocsPerRun(50, decode); n > c.most {
			t.Errorf("%s: %v allocations, want at most %v", name, n, c.most)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	columns, array, lines := telemetryJSON(b, 1000)
	for name, c := range map[string]struct {
		format *rows.Format
		body   []byte
	}{
		"columnar": {rows.Arc, telemetry(b, 1000)}, "rows": {rows.Arc, telemetryRows(b, 1000)},
		"JSON columns": {rows.JSON, columns}, "JSON rows": {rows.JSON, array}, "NDJSON": {rows.NDJSON, lines},
	} {
		b.Run(name, func(b *testing.B) {
			decode := decoder(b, c.format, c.body)
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			for b.Loop() {
				decode()
			}
		})
	}
}

// nowhere is a sink that discards rows at no cost.
type nowhere struct{}

func (nowhere) Land(context.Context, *table.File) (int64, error) { return 0, nil }
func (nowhere) Exists(string) (bool, error)                      { return false, nil }
func (nowhere) Remove(string) error                              { return nil }
func (nowhere) Rewrite(context.Context, string, []table.Field) (table.Rewritten, error) {
	return table.Rewritten{}, nil
}

// BenchmarkRequest measures a whole request over a connection, without landing. Its time includes
// the time of the client.
func BenchmarkRequest(b *testing.B) {
	r := newRig(b, Options{}, func(o *table.Options) { o.WAL.SegmentBytes, o.Sink = 64<<20, nowhere{} })
	server := httptest.NewServer(r.h)
	defer server.Close()
	body := telemetry(b, 1000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		resp, err := http.Post(server.URL+"/api/v1/write/msgpack", "application/msgpack", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if resp.StatusCode != 204 {
			b.Fatal(resp.Status)
		}
	}
}
