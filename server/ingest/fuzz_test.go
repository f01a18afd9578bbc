package ingest

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// FuzzBody decodes arbitrary bytes in every shape. Nothing panics, what is accepted is sound, and the log gives the same rows
// back.
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
	f.Add(gzipped(pack(f, dict{"v", list{1}})), uint8(16))
	f.Add(zstded(pack(f, dict{"v", list{1}})), uint8(32))
	pool := table.NewPool(1 << 20)
	h := New(Options{Limits: Limits{Rows: 1000, Columns: 100, Tables: 20, Decompressed: 1 << 20}, Pool: pool})
	f.Fuzz(func(t *testing.T, body []byte, flags uint8) {
		q := &request{handler: h, body: body, partial: flags&2 != 0}
		q.codec = codec{format: MessagePack, unit: Unit(flags >> 2 & 3), compression: min(Compression(flags>>4&3), Zstd)}
		switch {
		case flags&64 != 0:
			q.codec.format = JSON
		case flags&128 != 0:
			q.codec.format = NDJSON
		case flags&1 != 0:
			q.codec.format = Arc
		}
		q.record = wal.Record{Time: t1, DB: "db", Table: "t"}
		writes, err := q.decode()
		defer q.job.free()
		if err != nil {
			if r := asRefusal(err); r.text == "" || r.outcome.Status() < 400 || len(r.text) > 2000 {
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
		q.record.Payload = body
		if q.codec.rejected = len(q.job.rejected.rows) > 0; q.codec.rejected {
			q.record.Payload = appendRejected(bytes.Clone(body), q.job.rejected.rows)
		}
		q.record.Codec = q.codec.bits()
		again, err := Replay(pool)(&q.record)
		if err != nil {
			t.Fatalf("replay: %v", err)
		}
		if a, b := contents(writes), contents(again); !slices.EqualFunc(a, b, maps.Equal[row, row]) {
			t.Errorf("replay gives other rows:\n%v\n%v", a, b)
		}
	})
}

// checkWrite wants what package table asks of a write.
func checkWrite(t *testing.T, w table.Write) {
	b := w.Batch
	if err := checkTable(w.Name.Table); err != nil || w.Name.DB != "db" || b.Rows == 0 {
		t.Fatalf("%v: %d rows: %v", w.Name, b.Rows, err)
	}
	c := b.Find(timeColumn)
	if c == nil || c.Kind != column.Time || c.HasNulls() {
		t.Fatalf("time: %+v", c)
	}
	for _, us := range c.Ints {
		if us < minMicros || us > maxMicros {
			t.Fatalf("time %d", us)
		}
	}
	for _, c := range b.Columns {
		if c.Kind != column.Null && checkColumn(c.Name) != nil || c.Rows != b.Rows || checkText(c) >= 0 {
			t.Fatalf("column %q: %d rows of %d, text %d", c.Name, c.Rows, b.Rows, checkText(c))
		}
		if n := map[column.Kind]int{column.Bool: len(c.Bools), column.Int64: len(c.Ints), column.Time: len(c.Ints), column.Float64: len(c.Floats), column.String: len(c.Ends)}[c.Kind]; c.Kind != column.Null && n != c.Rows {
			t.Fatalf("column %q of %v: %d cells in %d rows", c.Name, c.Kind, n, c.Rows)
		}
	}
}

// contents are the rows of writes. Floats are told apart by their text, because NaN is not equal to itself, and a column of
// ints that would be widened is one of floats.
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
						r[c.Name] = textOf(&column.Column{Kind: column.Float64, Floats: []float64{float64(v)}}, 0)
					}
				case float64:
					r[c.Name] = textOf(c, i)
				default:
					r[c.Name] = v
				}
			}
			rows = append(rows, r)
		}
	}
	return rows
}
