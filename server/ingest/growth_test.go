package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/growth"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/table"
)

// similar returns column names that differ only in the last bytes.
func similar(i int) string { return strings.Repeat("n", names.Max-6) + fmt.Sprintf("%06d", i) }

// The time to decode a body grows linearly with its size, even if rows are checked one by one.
func TestGrowth(t *testing.T) {
	limits := new(Limits)
	limits.setDefaults()
	decode := func(f *rows.Format, partial, judged bool) func() func([]byte) {
		return func() func([]byte) {
			j := &rows.Job{Limits: &limits.Limits, Pool: table.NewPool(64 << 20), Partial: partial, Judged: judged,
				Target: table.Name{DB: "d", Table: "t"}, Received: t0}
			return func(body []byte) {
				j.Body, j.MaxText = body, limits.decompressed(len(body))
				writes, _ := j.Decode(f)
				for _, w := range writes {
					j.Pool.Put(w.Batch)
				}
			}
		}
	}
	items := func(n, size int, item func(i int) any) list {
		l := make(list, n/size)
		for i := range l {
			l[i] = item(i)
		}
		return l
	}
	bad := func(i int) any { return dict{"time", t0, "v", list{i}} }
	wide := func(i int) any { return dict{"time", t0, similar(i), i} }
	tables := func(i int) any {
		return dict{"m", fmt.Sprintf("t%03d", i%900), "columns", dict{"time", list{t0}, "v", list{i}}}
	}
	cases := []growth.Case{
		{Name: "labels of long symbols in turn", Most: 128 << 10, Alloc: 300},
		// Nulls count as cells. If each row adds a column, the number of cells is the square of the
		// number of rows. The limit of cells exists for that, but in this test the body must stay
		// below it.
		{Name: "each row a new column", Most: 64 << 10, Alloc: 40, OnlyAlloc: true},
		{Name: "wrong rows, JSON", Alloc: 100},
		{Name: "wrong rows, NDJSON", Alloc: 100},
		{Name: "wrong rows, MessagePack", Alloc: 100},
		{Name: "columns of many tables", Alloc: 100},
	}
	for i, of := range []struct {
		format  *rows.Format
		judged  bool
		partial bool
		body    func(n int) []byte
	}{
		{series.Format, false, false, func(n int) []byte {
			return series.Append(nil, &series.Part{Tenant: "t", Version: remotewrite.V2, Body: symbolsInTurn(n)})
		}},
		{rows.MessagePack, true, true, func(n int) []byte { return pack(t, items(n, 150, wide)) }},
		{rows.JSON, false, true, func(n int) []byte { return toJSON(t, items(n, 40, bad)) }},
		{rows.NDJSON, false, true, func(n int) []byte { return toLines(t, items(n, 40, bad)) }},
		{rows.MessagePack, false, true, func(n int) []byte { return pack(t, items(n, 20, bad)) }},
		{rows.Arc, false, false, func(n int) []byte { return pack(t, items(n, 40, tables)) }},
	} {
		cases[i].Prepare = func(n int) func() {
			body, run := of.body(n), decode(of.format, of.partial, of.judged)()
			return func() { run(body) }
		}
	}
	growth.Check(t, cases)
}

// symbolsInTurn returns a version 2 request of about n bytes. It contains two symbols that differ
// only in the last byte, and a series whose labels alternate between the two as their names.
func symbolsInTurn(n int) []byte {
	s := remotewrite.Series{Samples: []remotewrite.Sample{{Timestamp: t0 / 1000, Value: 1}}}
	names := [2]string{strings.Repeat("x", n/4) + "b", strings.Repeat("x", n/4) + "a"}
	for i := range n / 16 {
		s.Labels = append(s.Labels, remotewrite.Label{Name: names[i%2], Value: "v"})
	}
	return remotewrite.Append(nil, remotewrite.V2, &remotewrite.Request{Series: []remotewrite.Series{s}})
}

// Many envelopes with columns that the table already has in the body cause few allocations, because
// the names of these columns are not checked again.
func TestMergedColumns(t *testing.T) {
	body := func(envelopes int) []byte {
		columns := dict{"time", list{t0}}
		for i := range 200 {
			columns = append(columns, similar(i), list{i})
		}
		items := list{dict{"m", "t", "columns", columns}}
		for range envelopes {
			items = append(items, dict{"m", "t", "columns", dict{"time", list{t0}, similar(3), list{4}}})
		}
		return pack(t, items)
	}
	few := testing.AllocsPerRun(5, decoder(t, rows.Arc, body(1)))
	many := testing.AllocsPerRun(5, decoder(t, rows.Arc, body(200)))
	if many > few+2000 {
		t.Errorf("%v allocations for 200 envelopes more, %v for one", many, few)
	}
}
