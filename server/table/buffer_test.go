package table

import (
	"math/rand/v2"
	"testing"
)

func TestPool(t *testing.T) {
	p := NewPool(1 << 20)
	rnd := rand.New(rand.NewPCG(1, 2))
	full := func(rows int) *piece { x := randomPiece(rnd, rows, func(i int) int64 { return int64(i) }); return &x }

	a := full(1000).batch
	a.MaxCells, a.MaxColumns = 1, 1
	p.Put(a)
	if p.held != a.Footprint() {
		t.Errorf("holds %d, want %d", p.held, a.Footprint())
	}
	if b := p.Get(); b != a || b.Rows != 0 || len(b.Columns) != 0 || b.MaxCells != 0 || b.MaxColumns != 0 {
		t.Errorf("%+v", b)
	}
	if p.held != 0 {
		t.Errorf("empty, and holds %d", p.held)
	}
	p.Put(full(20_000).batch)
	if p.held != 0 {
		t.Error("an oversized batch was kept")
	}
	for range 100 {
		p.Put(full(1000).batch)
	}
	if p.held > p.max || p.held < p.max/2 {
		t.Errorf("holds %d of %d", p.held, p.max)
	}
}

// TestUnitAdd adds batches of many sizes to a unit, and compares the rows of the unit with the
// separate batches.
func TestUnitAdd(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	var o orderer
	for range 30 {
		pool := NewPool(16 << 20)
		u := &unit{from: 1}
		var apart []piece
		held := int64(0)
		for n := range 1 + rnd.IntN(200) {
			rows := 1 + rnd.IntN(3)
			if rnd.IntN(20) == 0 {
				rows = 1 + rnd.IntN(smallRows*2)
			}
			p := randomPiece(rnd, rows, func(i int) int64 { return int64(n/3+i) * 1e9 })
			copied := piece{batch: newBatch(), span: p.span}
			if !appendBatch(copied.batch, p.batch) {
				t.Fatal("the copy failed")
			}
			apart = append(apart, copied)
			p.held = int64(p.batch.Footprint())
			held += p.held
			held += u.add(uint64(n+1), p, pool)
			if held != u.held {
				t.Fatalf("held %d, and the unit says %d", held, u.held)
			}
		}
		rows, bytes, footprint := 0, 0, int64(0)
		for _, p := range u.pieces {
			rows += p.batch.Rows
			bytes += p.batch.Bytes()
			footprint += int64(p.batch.Footprint())
			if got := measure(p.batch.Find(timeColumn).Ints, 1<<30); got.min != p.span.min || got.max != p.span.max || p.span.sorted && !got.sorted {
				t.Fatalf("span %+v, measured %+v", p.span, got)
			}
		}
		if rows != u.rows || footprint != u.held || u.to != uint64(len(apart)) {
			t.Fatalf("%d rows in %d bytes, and the unit says %d in %d; to %d", rows, footprint, u.rows, u.held, u.to)
		}
		if max := len(apart)/10 + 2; len(u.pieces) > max {
			t.Fatalf("%d pieces of %d batches", len(u.pieces), len(apart))
		}

		// The rows are unchanged, including nulls and widened integers.
		sc := allKinds()
		want := reference(apart, sc.fields)
		for h, rows := range reference(u.pieces, sc.fields) {
			if len(rows) != len(want[h]) {
				t.Fatalf("hour %d: %d rows, want %d", h, len(rows), len(want[h]))
			}
			for i := range rows {
				for j := range rows[i] {
					if rows[i][j] != want[h][i][j] {
						t.Fatalf("hour %d, row %d, %s: %v, want %v", h, i, sc.fields[j].Name, rows[i][j], want[h][i][j])
					}
				}
			}
		}
		checkOrder(t, rnd, &o, u.pieces, sc)
	}
}

// A few rows in large buffers are copied, and the buffers return to the pool.
func TestThin(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	pool := NewPool(64 << 20)
	large := randomPiece(rnd, 50_000, func(i int) int64 { return 0 })
	pool.Put(large.batch)
	b := pool.Get()
	few := randomPiece(rnd, smallRows+10, func(i int) int64 { return int64(i) })
	if !appendBatch(b, few.batch) {
		t.Fatal("the copy failed")
	}
	few.batch, few.held = b, int64(b.Footprint())
	u := new(unit)
	u.add(1, few, pool)
	if u.held > few.held/thin || u.pieces[0].batch == b || u.pieces[0].batch.Rows != smallRows+10 {
		t.Errorf("%d bytes are held", u.held)
	}
	if pool.Get() != b {
		t.Error("the large buffers did not go back")
	}
}

// If a column does not fit, appendBatch leaves the batch unchanged.
func TestAppendBatchFails(t *testing.T) {
	dst, src := shapeOf("a:int64", "b:string"), shapeOf("a:int64", "c:bool", "b:bool")
	if appendBatch(dst, src) {
		t.Fatal("a bool was appended to strings")
	}
	for _, c := range dst.Columns {
		if c.Rows != 1 {
			t.Errorf("column %s has %d rows", c.Name, c.Rows)
		}
	}
	if !appendBatch(dst, shapeOf("a:int64")) || dst.Rows != 2 {
		t.Errorf("%d rows", dst.Rows)
	}
}
