package ingest

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// FuzzBody decodes arbitrary bytes in every form. Decoding does not panic, accepted rows are valid,
// and a replay from the log returns the same rows.
func FuzzBody(f *testing.F) {
	for _, v := range []any{
		dict{"time", list{t0, t1}, "host", list{"a", nil}, "v", list{1, 2.5}},
		list{dict{"time", t0, "v", 1}, dict{"time", t1, "v", "x", "w", nil}},
		dict{"m", "cpu", "columns", dict{"time", list{t0}, "v", list{true}}},
		dict{"batch", list{dict{"m", 1, "t", t0, "h", 2, "tags", dict{"a", "b"}, "fields", dict{"v", 1}}, dict{"m", "a", "columns", dict{"v", list{1}}}, dict{"m", "a", "columns", dict{"v", list{2.5}}}}},
		list{dict{"m", "a", "f", list{1, 2}}, 5, dict{"columns", nil}},
	} {
		for flags := range 8 {
			f.Add(pack(f, v), uint8(flags))
		}
	}
	for _, text := range []string{
		`{"time":[1700000000,1700000001],"host":["a",null],"v":[1,2.5]}`,
		`[{"time":1,"v":1}, {"time":2,"v":"x","w":null},{"v":[{}]},5]`,
		"{\"v\":1}\n\n{\"v\":\"\\ud800\",\"\":true}\r\n{\"v\":2.5",
	} {
		for flags := range 8 {
			f.Add([]byte(text), uint8(64+flags))
			f.Add([]byte(text), uint8(128+flags))
		}
	}
	f.Add(testkit.Gzipped(pack(f, dict{"v", list{1}})), uint8(16))
	f.Add(testkit.Zstded(pack(f, dict{"v", list{1}})), uint8(32))
	pool := table.NewPool(1 << 20)
	h := New(Options{Limits: Limits{Decompressed: 1 << 20, Limits: rows.Limits{Rows: 1000, Columns: 100, Tables: 20}}, Pool: pool})
	f.Fuzz(func(t *testing.T, body []byte, flags uint8) {
		q := &request{handler: h, held: h.flight.Own(), body: &admission.Buffer{B: body}, partial: flags&2 != 0}
		q.codec = codec{format: rows.MessagePack, unit: rows.Unit(flags >> 2 & 3), compression: min(admission.Compression(flags>>4&3), admission.Zstd)}
		switch {
		case flags&64 != 0:
			q.codec.format = rows.JSON
		case flags&128 != 0:
			q.codec.format = rows.NDJSON
		case flags&1 != 0:
			q.codec.format = rows.Arc
		}
		checkFuzzed(t, pool, q, bytes.Clone(body))
	})
}

// checkFuzzed decodes q. The result must be an error with a text, or rows that package table
// accepts. A replay of payload from the log must return the same rows.
func checkFuzzed(t *testing.T, pool *table.Pool, q *request, payload []byte) {
	t.Helper()
	q.record = wal.Record{Time: t1, DB: "db", Table: "t"}
	writes, err := q.decode()
	defer q.job.Free()
	if err != nil {
		if r := refusal.Of(err); r.Text == "" || r.Outcome.Status() < 400 || len(r.Text) > 2000 {
			t.Errorf("refusal %+v", r)
		}
		return
	}
	for _, w := range writes {
		checkWrite(t, w)
	}
	if len(writes) == 0 {
		return
	}
	q.record.Payload = payload
	if q.codec.rejected = len(q.job.Rejected.Rows) > 0; q.codec.rejected {
		q.record.Payload = appendRejected(payload, q.job.Rejected.Rows)
	}
	q.record.Codec = q.codec.bits()
	again, err := Replay(pool)(&q.record)
	if err != nil {
		t.Fatalf("replay: %v", err)
	}
	if a, b := contents(writes), contents(again); !slices.EqualFunc(a, b, maps.Equal[row, row]) {
		t.Errorf("replay gives other rows:\n%v\n%v", a, b)
	}
}

// checkWrite checks that a write meets the requirements of package table.
func checkWrite(t *testing.T, w table.Write) {
	b := w.Batch
	if err := names.CheckTable(w.Name.Table); err != nil || w.Name.DB != "db" && w.Name.DB != series.Database || b.Rows == 0 {
		t.Fatalf("%v: %d rows: %v", w.Name, b.Rows, err)
	}
	c := b.Find(rows.TimeColumn)
	if c == nil || c.Kind != column.Time || c.HasNulls() {
		t.Fatalf("time: %+v", c)
	}
	for _, us := range c.Ints {
		if us < rows.MinTime || us > rows.MaxTime {
			t.Fatalf("time %d", us)
		}
	}
	for _, c := range b.Columns {
		if c.Kind != column.Null && names.CheckColumn(c.Name) != nil || c.Rows != b.Rows || c.InvalidText(0) >= 0 {
			t.Fatalf("column %q: %d rows of %d, text %d", c.Name, c.Rows, b.Rows, c.InvalidText(0))
		}
		if n := map[column.Kind]int{column.Bool: len(c.Bools), column.Int64: len(c.Ints), column.Time: len(c.Ints), column.Float64: len(c.Floats), column.String: len(c.Ends)}[c.Kind]; c.Kind != column.Null && n != c.Rows {
			t.Fatalf("column %q of %v: %d cells in %d rows", c.Name, c.Kind, n, c.Rows)
		}
	}
}

// contents returns the rows of writes. It converts floats to text, because NaN is not equal to
// itself. It converts ints to floats, because a column of ints may be widened.
func contents(writes []table.Write) []row {
	var rows []row
	for _, w := range writes {
		for i := range w.Batch.Rows {
			r := row{"": w.Name}
			for _, c := range w.Batch.Columns {
				switch v := cell(c, i).(type) {
				case nil:
				case int64:
					if r[c.Name] = v; c.Kind == column.Int64 {
						r[c.Name] = strconv.FormatFloat(float64(v), 'g', -1, 64)
					}
				case float64:
					r[c.Name] = strconv.FormatFloat(v, 'g', -1, 64)
				default:
					r[c.Name] = v
				}
			}
			rows = append(rows, r)
		}
	}
	return rows
}

// FuzzSeries appends arbitrary bytes as parts of two tenants. Nothing panics, accepted rows are the
// rows that Decode returns, and a replay from the log returns the same rows.
func FuzzSeries(f *testing.F) {
	for _, request := range []*remotewrite.Request{everything(), scraped(3, 2)} {
		v1, v2 := remotewrite.Append(nil, remotewrite.V1, request), remotewrite.Append(nil, remotewrite.V2, request)
		f.Add(v1, v1, uint8(0))
		f.Add(v2, v2, uint8(3))
		f.Add(v1, v2, uint8(2|4))
	}
	pool := table.NewPool(1 << 20)
	h := New(Options{Limits: Limits{Decompressed: 1 << 20, Limits: rows.Limits{Rows: 1000, Columns: 100, Tables: 20}}, Pool: pool})
	f.Fuzz(func(t *testing.T, one, two []byte, flags uint8) {
		parts := []series.Part{sent("a", remotewrite.V1+remotewrite.Version(flags&1), one), sent("b.", remotewrite.V1+remotewrite.Version(flags>>1&1), two)}
		if flags&4 != 0 {
			parts[1].Tenant = "a"
		}
		q := &request{handler: h, held: h.flight.Own(), codec: codec{format: series.Format}, record: wal.Record{Time: t1, DB: series.Database}}
		if err := q.join(parts); err != nil {
			t.Fatal(err)
		}
		writes, err := q.decode()
		defer q.job.Free()
		for _, p := range parts {
			if remotewrite.Decode(p.Body, p.Version, new(remotewrite.Request)) != nil && err == nil {
				t.Fatal("what Decode refuses is accepted")
			}
		}
		if err != nil {
			if r := refusal.Of(err); r.Text == "" || r.Outcome.Status() < 400 || len(r.Text) > 2000 {
				t.Errorf("refusal %+v", r)
			}
			return
		}
		for _, w := range writes {
			checkWrite(t, w)
		}
		got := exact(writes)
		if want := bits(wantSeries(t, t1, parts...)); !maps.EqualFunc(got, want, sameRows) {
			t.Errorf("rows\n got %v\nwant %v", got, want)
		}
		q.compress()
		q.record.Payload, q.record.Codec = q.body.B, q.codec.bits()
		again, err := Replay(pool)(&q.record)
		if err != nil {
			t.Fatalf("replay: %v", err)
		}
		if again := exact(again); !maps.EqualFunc(got, again, sameRows) {
			t.Errorf("replay gives other rows\n got %v\nwant %v", again, got)
		}
	})
}

func sameRows(a, b []row) bool { return slices.EqualFunc(a, b, maps.Equal[row, row]) }

// exact returns the rows of writes, by table. Floats are represented by their bits.
func exact(writes []table.Write) map[string][]row {
	rows := make(map[string][]row)
	for _, w := range writes {
		for i := range w.Batch.Rows {
			r := row{}
			for _, c := range w.Batch.Columns {
				if v := cell(c, i); v != nil {
					r[c.Name] = v
				}
			}
			rows[w.Name.String()] = append(rows[w.Name.String()], r)
		}
	}
	return bits(rows)
}

// FuzzPayload replays arbitrary bytes as a Remote Write record. Replay either returns valid rows or
// an error.
func FuzzPayload(f *testing.F) {
	part := sent("t", remotewrite.V2, remotewrite.Append(nil, remotewrite.V2, everything()))
	body := series.Append(nil, &part)
	f.Add(s2.EncodeSnappy(nil, body), false)
	f.Add(body, true)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f}, false)
	pool := table.NewPool(1 << 20)
	f.Fuzz(func(t *testing.T, payload []byte, compress bool) {
		if compress {
			payload = s2.EncodeSnappy(nil, payload)
		}
		writes, err := Replay(pool)(&wal.Record{Codec: codec{format: series.Format, compression: admission.Snappy}.bits(), Payload: payload, DB: "db", Time: t1})
		if err != nil {
			return
		}
		for _, w := range writes {
			checkWrite(t, w)
			pool.Put(w.Batch)
		}
	})
}
