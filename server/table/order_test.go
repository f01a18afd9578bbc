package table

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/slipstream-go/slipstream/column"
)

// reference returns the expected result of order and gather: the rows of all pieces as values,
// sorted stably by time and split by hour.
func reference(pieces []piece, fields []Field) map[int64][][]any {
	var rows [][]any
	for _, p := range pieces {
		for i := range p.batch.Rows {
			r := make([]any, len(fields))
			for j, f := range fields {
				if c := p.batch.Find(f.Name); c != nil {
					r[j] = cellOf(c, i)
				}
				if v, ok := r[j].(int64); ok && f.Kind == column.Float64 {
					r[j] = float64(v)
				}
			}
			rows = append(rows, r)
		}
	}
	slices.SortStableFunc(rows, func(a, b []any) int {
		switch x, y := a[0].(int64), b[0].(int64); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	hours := make(map[int64][][]any)
	for _, r := range rows {
		h := hourOf(r[0].(int64))
		hours[h] = append(hours[h], r)
	}
	return hours
}

// checkOrder orders the pieces, gathers them in ranges of random length, and compares the rows with
// the reference.
func checkOrder(t *testing.T, rnd *rand.Rand, o *orderer, pieces []piece, sc *schema) {
	t.Helper()
	want := reference(pieces, sc.fields)
	absent := conform(pieces, sc)
	chunks, parts := o.order(pieces)
	if len(parts) != len(want) {
		t.Fatalf("%d hours instead of %d", len(parts), len(want))
	}
	for i, p := range parts {
		if i > 0 && p.hour <= parts[i-1].hour {
			t.Fatalf("hour %d after %d", p.hour, parts[i-1].hour)
		}
		rows := want[p.hour]
		if p.rows != len(rows) {
			t.Fatalf("hour %d: %d rows instead of %d", p.hour, p.rows, len(rows))
		}
		g := newGatherer(chunks, sc.fields, absent, p)
		var c column.Column
		for col, f := range sc.fields {
			for from := 0; from < p.rows; {
				to := min(from+1+rnd.IntN(1+rnd.IntN(p.rows)), p.rows)
				if err := g.gather(col, from, to, &c); err != nil {
					t.Fatal(err)
				}
				if c.Rows != to-from || c.Kind != f.Kind && !(c.Kind == column.Null && absent[col]) {
					t.Fatalf("%d rows of %s, of %d of %s", c.Rows, c.Kind, to-from, f.Kind)
				}
				for j := range c.Rows {
					if got := cellOf(&c, j); got != rows[from+j][col] {
						t.Fatalf("hour %d, column %s, row %d: %v instead of %v", p.hour, f.Name, from+j, got, rows[from+j][col])
					}
				}
				from = to
			}
		}
	}
}

// randomPiece returns a batch with columns of every kind, with nulls, absent columns, and integers
// where the schema has floats.
func randomPiece(rnd *rand.Rand, rows int, at func(i int) int64) piece {
	b := new(column.Batch)
	add := func(name string, kind column.Kind, cell func(c *column.Column, i int)) {
		c, err := b.Column([]byte(name))
		if err != nil {
			panic(err)
		}
		nulls := rnd.IntN(3)
		for i := range rows {
			if name != timeColumn && nulls == 1 && rnd.IntN(3) == 0 || nulls == 2 && name == "bool" {
				c.AppendNull()
				continue
			}
			c.Accepts(kind)
			cell(c, i)
		}
	}
	if rnd.IntN(4) > 0 {
		add("host", column.String, func(c *column.Column, _ int) {
			if err := c.AppendString(fmt.Appendf(nil, "%.*s", rnd.IntN(12), "a-long-name-for-a-host")); err != nil {
				panic(err)
			}
		})
	}
	add(timeColumn, column.Time, func(c *column.Column, i int) { c.AppendTime(at(i)) })
	add("int", column.Int64, func(c *column.Column, _ int) { c.AppendInt64(rnd.Int64()) })
	if rnd.IntN(2) == 0 {
		add("float", column.Int64, func(c *column.Column, _ int) { c.AppendInt64(rnd.Int64N(1000)) })
	} else {
		add("float", column.Float64, func(c *column.Column, _ int) { c.AppendFloat64(rnd.Float64()) })
	}
	add("bool", column.Bool, func(c *column.Column, _ int) { c.AppendBool(rnd.IntN(2) == 0) })
	b.Rows = rows
	return piece{batch: b, span: measure(b.Find(timeColumn).Ints, math.MaxInt)}
}

func allKinds() *schema {
	sc := newSchema(Name{"db", "t"})
	for _, f := range []Field{{Name: "bool", Kind: column.Bool}, {Name: "host", Kind: column.String}, {Name: "float", Kind: column.Float64}, {Name: "int", Kind: column.Int64}, {Name: "never", Kind: column.String}, {Name: "when", Kind: column.Time}} {
		sc.add(f)
	}
	return sc
}

func TestOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var o orderer
	// Each shape returns the time of row i of piece n.
	shapes := map[string]func(n, i int) int64{
		"one after the other":   func(n, i int) int64 { return int64(n*1000 + i) },
		"backwards":             func(n, i int) int64 { return int64(-n*1000 + i) },
		"touching":              func(n, i int) int64 { return int64(n*20 + min(i, 20)) },
		"touching, backwards":   func(n, i int) int64 { return int64(-n*20 + min(i, 20)) },
		"overlapping":           func(n, i int) int64 { return int64(n*30 + i) },
		"overlapping far apart": func(n, i int) int64 { return int64(n%5)*1e8 + int64(i) },
		"all the same":          func(n, i int) int64 { return 42 },
		"unsorted":              func(n, i int) int64 { return rnd.Int64N(1000) },
		"a whole hour":          func(n, i int) int64 { return rnd.Int64N(hour) },
		"hours":                 func(n, i int) int64 { return int64(i) * hour / 30 },
		"hours, unsorted":       func(n, i int) int64 { return rnd.Int64N(5*hour) - 2*hour },
		"hours, hostile":        func(n, i int) int64 { return int64((i*7919+n)%500) * hour },
		"before 1970":           func(n, i int) int64 { return -int64(i+n) * 1e6 },
		"all of time":           func(n, i int) int64 { return int64(rnd.Uint64()) },
		"the ends of time": func(n, i int) int64 {
			return []int64{math.MinInt64, math.MaxInt64, 0, -1, math.MinInt64 + 1}[rnd.IntN(5)]
		},
	}
	for name, at := range shapes {
		t.Run(name, func(t *testing.T) {
			for range 20 {
				var pieces []piece
				for n := range 1 + rnd.IntN(12) {
					pieces = append(pieces, randomPiece(rnd, 1+rnd.IntN(150), func(i int) int64 { return at(n, i) }))
				}
				checkOrder(t, rnd, &o, pieces, allKinds())
			}
		})
	}
}

// TestOrderLarge uses batches larger than a chunk, and enough rows for the radix sort.
func TestOrderLarge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var o orderer
	for name, at := range map[string]func(i int) int64{
		"a few seconds":   func(i int) int64 { return rnd.Int64N(1 << 21) },
		"an hour":         func(i int) int64 { return rnd.Int64N(hour) },
		"hours":           func(i int) int64 { return int64(i) * hour / 50_000 },
		"hours, unsorted": func(i int) int64 { return rnd.Int64N(3 * hour) },
	} {
		t.Run(name, func(t *testing.T) {
			checkOrder(t, rnd, &o, []piece{
				randomPiece(rnd, 1, at),
				randomPiece(rnd, chunkRows+1, at),
				randomPiece(rnd, 1000, at),
			}, allKinds())
		})
	}
}

func TestGatherRefuses(t *testing.T) {
	pieces := []piece{randomPiece(rand.New(rand.NewPCG(5, 6)), 3, func(i int) int64 { return 0 })}
	sc := allKinds()
	absent := conform(pieces, sc)
	chunks, parts := new(orderer).order(pieces)
	g := newGatherer(chunks, sc.fields, absent, parts[0])
	for _, args := range [][3]int{{-1, 0, 1}, {len(sc.fields), 0, 1}, {0, -1, 1}, {0, 2, 1}, {0, 0, 4}} {
		if err := g.gather(args[0], args[1], args[2], new(column.Column)); err == nil {
			t.Errorf("gather%v: no error", args)
		}
	}
	if err := g.gather(0, 3, 3, new(column.Column)); err != nil {
		t.Errorf("no rows at the end: %v", err)
	}
}

func TestMeasure(t *testing.T) {
	for _, test := range []struct {
		times []int64
		want  span
	}{
		{[]int64{5}, span{5, 5, true, 1}},
		{[]int64{1, 1, 2}, span{1, 2, true, 1}},
		{[]int64{2, 1, 3}, span{1, 3, false, 1}},
		{[]int64{-1, 0}, span{-1, 0, true, 2}},
		{[]int64{-hour, -1}, span{-hour, -1, true, 1}},
		{[]int64{0, 9 * hour, 1, 9 * hour}, span{0, 9 * hour, false, 2}},
		{[]int64{math.MinInt64, math.MaxInt64}, span{math.MinInt64, math.MaxInt64, true, 2}},
		{[]int64{0, hour, 2 * hour, 3 * hour, 4 * hour}, span{0, 4 * hour, true, 4}}, // the count stops at one more than the limit
	} {
		if got := measure(test.times, 3); got != test.want {
			t.Errorf("measure(%v) = %+v, want %+v", test.times, got, test.want)
		}
	}
}
