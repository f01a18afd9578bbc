package column

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func (b *Batch) mustColumn(t *testing.T, name string) *Column {
	t.Helper()
	c, err := b.Column([]byte(name))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// checkBatch checks the invariants of a batch.
func checkBatch(t *testing.T, b *Batch) {
	t.Helper()
	for i, c := range b.Columns {
		if c.Rows != b.Rows || b.Find(c.Name) != c || b.spare[i] != c {
			t.Fatalf("column %d %q has %d rows of %d, found %v", i, c.Name, c.Rows, b.Rows, b.Find(c.Name) == c)
		}
	}
	if b.Bytes() > b.Footprint() {
		t.Fatalf("%d bytes in %d", b.Bytes(), b.Footprint())
	}
}

// The keys of a row can come in any order. The test uses numbers of columns below and above the
// limit for a linear search by name.
func TestBatchRows(t *testing.T) {
	var b Batch
	for _, columns := range []int{1, 7, 8, 9, 10, 40, 3, 9} {
		b.Reset()
		for row := range 50 {
			for k := range columns {
				k = (k*7 + row) % columns // another order in each row; if 7 divides columns, some keys repeat and others are missing
				if c := b.mustColumn(t, fmt.Sprint("key", k)); c.Rows == b.Rows && c.Accepts(Int64) {
					c.AppendInt64(int64(row*100 + k))
				}
			}
			if err := b.CloseRow(); err != nil {
				t.Fatal(err)
			}
			checkBatch(t, &b)
		}
		if columns%7 != 0 && len(b.Columns) != columns {
			t.Fatalf("%d columns, want %d", len(b.Columns), columns)
		}
		for _, c := range b.Columns {
			var k int
			fmt.Sscanf(c.Name, "key%d", &k)
			for row := range 50 {
				if !c.IsNull(row) && c.Ints[row] != int64(row*100+k) {
					t.Fatalf("%s[%d] = %d", c.Name, row, c.Ints[row])
				}
			}
		}
		if b.Find("nobody") != nil {
			t.Error("found a column that is not there")
		}
	}
}

// A column that is created after rows were closed starts with nulls.
func TestBatchLate(t *testing.T) {
	var b Batch
	for range 3 {
		if err := b.CloseRow(); err != nil {
			t.Fatal(err)
		}
	}
	c := b.mustColumn(t, "late")
	if c.Rows != 3 || c.Kind != Null {
		t.Fatal(c.Rows, c.Kind)
	}
	c.Accepts(Bool)
	c.AppendBool(true)
	if err := b.CloseRow(); err != nil {
		t.Fatal(err)
	}
	checkBatch(t, &b)
	if c.Nulls.Count() != 3 || c.IsNull(3) || !c.Bools[3] {
		t.Errorf("%+v", c)
	}
}

// A batch is filled with one set of columns, with another, and with the first again. It reuses the
// column objects, and contains none of the earlier cells.
func TestBatchReuse(t *testing.T) {
	var b Batch
	fill := func(kind Kind, names ...string) {
		b.Reset()
		for range 5 {
			for _, name := range names {
				c := b.mustColumn(t, name)
				if !c.Accepts(kind) {
					t.Fatalf("%s: %v does not accept %v", name, c.Kind, kind)
				}
				switch kind {
				case String:
					c.AppendString([]byte(name))
				case Float64:
					c.AppendFloat64(1.5)
				default:
					c.AppendInt64(7)
				}
			}
			if err := b.CloseRow(); err != nil {
				t.Fatal(err)
			}
		}
		checkBatch(t, &b)
	}
	fill(Int64, "a", "b", "c")
	first := b.Columns[0]
	fill(String, "x", "a")
	if b.Columns[0] != first || first.Name != "x" || len(first.Ints) != 0 || string(first.StringAt(4)) != "x" {
		t.Errorf("%+v", first)
	}
	fill(Float64, "a", "b", "c")
	if len(first.Ends) != 0 || len(first.Text) != 0 || first.Floats[4] != 1.5 {
		t.Errorf("%+v", first)
	}
	names := make([]string, 20)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	fill(Int64, names...)
	if got := testing.AllocsPerRun(20, func() { fillAgain(&b, names) }); got > 0 {
		t.Errorf("the same shape again: %v allocations", got)
	}
}

func fillAgain(b *Batch, names []string) {
	b.Reset()
	var room [8]byte
	for range 5 {
		for _, name := range names {
			if c, err := b.Column(append(room[:0], name...)); err == nil && c.Accepts(Int64) {
				c.AppendInt64(7)
			}
		}
		b.CloseRow()
	}
}

// Each limit is enforced. After a rejected call and Undo, the batch is unchanged.
func TestBatchLimits(t *testing.T) {
	b := Batch{MaxRows: 4}
	for range 4 {
		if err := b.CloseRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.CloseRow(); err == nil || err.Error() != TooManyRows(4).Error() || b.Rows != 4 {
		t.Error(b.Rows, err)
	}

	b = Batch{MaxColumns: 2}
	b.mustColumn(t, "a")
	b.mustColumn(t, "b")
	b.mustColumn(t, "a")
	if _, err := b.Column([]byte("c")); err == nil || err.Error() != "column: more than 2 columns" || len(b.Columns) != 2 {
		t.Error(len(b.Columns), err)
	}

	// MaxCells limits rows × columns when a column is created and when a row is closed.
	b = Batch{MaxCells: 12}
	for range 3 {
		for _, name := range []string{"a", "b", "c"} {
			c := b.mustColumn(t, name)
			c.Accepts(Int64)
			c.AppendInt64(1)
		}
		if err := b.CloseRow(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Column([]byte("d")); err == nil == (4*4 > 12) {
		t.Error(err)
	}
	if err := b.CloseRow(); err != nil {
		t.Fatal("12 cells are allowed:", err)
	}
	c := b.mustColumn(t, "a")
	c.AppendInt64(1)
	if err := b.CloseRow(); err == nil || b.Rows != 4 {
		t.Error(b.Rows, err)
	}
	b.Undo()
	checkBatch(t, &b)
	if b.Rows != 4 || c.Rows != 4 {
		t.Error(b.Rows, c.Rows)
	}
}

// If a float in a row widens a column of integers, undoing the row makes it a column of integers
// again.
func TestUndoWidening(t *testing.T) {
	const big = 1<<53 + 2
	var b Batch
	row := func(add func(c *Column)) {
		c, err := b.Column([]byte("n"))
		if err != nil {
			t.Fatal(err)
		}
		add(c)
	}
	for range 3 {
		row(func(c *Column) { c.Accepts(Int64); c.AppendInt64(big) })
		b.CloseRow()
	}
	row(func(c *Column) { c.Accepts(Float64); c.AppendFloat64(0.5) })
	b.Undo()
	c := b.Find("n")
	if c.Kind != Int64 || c.Rows != 3 || len(c.Ints) != 3 || c.Ints[2] != big || len(c.Floats) != 0 {
		t.Fatalf("after Undo: %+v", c)
	}
	row(func(c *Column) { c.Accepts(Float64); c.AppendFloat64(0.5) })
	b.CloseRow()
	row(func(c *Column) { c.AppendInt64(7) })
	b.Undo()
	if c.Kind != Float64 || c.Rows != 4 || c.Floats[3] != 0.5 {
		t.Fatalf("a row that stays was undone: %+v", c)
	}
}

// Undo removes the cells of an unfinished row from old and new columns.
func TestUndo(t *testing.T) {
	var b Batch
	a := b.mustColumn(t, "a")
	a.Accepts(String)
	a.AppendString([]byte("one"))
	if err := b.CloseRow(); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		b.mustColumn(t, "a").AppendString([]byte("two"))
		n := b.mustColumn(t, "n")
		if !n.Accepts(Bool) {
			t.Fatalf("a column whose only value was undone is a %v", n.Kind)
		}
		n.AppendBool(true)
		b.Undo()
		checkBatch(t, &b)
		if n.Kind != Null || a.Kind != String || string(a.Text) != "one" {
			t.Errorf("%+v, %+v", a, n)
		}
		n = b.mustColumn(t, "n")
		n.Accepts(Int64)
		n.AppendInt64(1)
		b.Undo()
	}
	b.Undo() // without an unfinished row, Undo changes nothing
	checkBatch(t, &b)
	n := b.mustColumn(t, "n")
	n.Accepts(Float64)
	n.AppendFloat64(2)
	if err := b.CloseRow(); err != nil {
		t.Fatal(err)
	}
	checkBatch(t, &b)
	if !n.IsNull(0) || n.Floats[1] != 2 || !a.IsNull(1) {
		t.Errorf("%+v, %+v", a, n)
	}
}

// Undo resets the kind of a column that accepted a kind but received no cell of it.
func TestUndoFreesKinds(t *testing.T) {
	var b Batch
	for range 3 {
		b.Column([]byte("nulls"))
		ints, _ := b.Column([]byte("ints"))
		if !ints.Accepts(Int64) {
			t.Fatal("not accepted")
		}
		ints.AppendInt64(1)
		b.CloseRow()
	}
	nulls, ints := b.Find("nulls"), b.Find("ints")
	empty, _ := b.Column([]byte("empty"))
	if !nulls.Accepts(String) || !ints.Accepts(Float64) || !empty.Accepts(Bool) {
		t.Fatal("not accepted")
	}
	b.Undo()
	if nulls.Kind != Null || ints.Kind != Int64 || empty.Kind != Null {
		t.Errorf("the kinds are %v, %v and %v", nulls.Kind, ints.Kind, empty.Kind)
	}
	if !nulls.Accepts(Time) || ints.Ints[2] != 1 || !empty.Accepts(Int64) {
		t.Error("a column accepts no other kind")
	}
}

// In a column of nulls, rows with different kinds are appended and undone. For each kind, the
// earlier nulls are written only once. They are also nulls in the final kind, regardless of the
// kinds before it.
func TestUndoneKindsCostOnce(t *testing.T) {
	add := map[Kind]func(c *Column){
		Bool:    func(c *Column) { c.AppendBool(true) },
		Int64:   func(c *Column) { c.AppendInt64(-1) },
		Float64: func(c *Column) { c.AppendFloat64(0.5) },
		String:  func(c *Column) { c.AppendString([]byte("text")) },
		Time:    func(c *Column) { c.AppendTime(-1) },
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b Batch
		for range 1 + r.IntN(6) {
			for range r.IntN(150) {
				b.CloseRow()
			}
			if r.IntN(3) == 0 {
				b.Rows = r.IntN(b.Rows + 1)
				b.Undo()
			}
			for range r.IntN(8) {
				kind := Kind(1 + r.IntN(5))
				c := b.mustColumn(t, "n")
				if c.Kind == Null {
					if !c.Accepts(kind) {
						t.Fatal(kind)
					}
					add[kind](c)
				}
				b.Undo()
				if c.Kind == Null && c.zeros[kind] != b.Rows && b.Rows > 0 {
					t.Fatalf("the %d nulls are written again for each %v", b.Rows, kind)
				}
			}
			c := b.mustColumn(t, "n")
			kind := Kind(1 + r.IntN(5))
			c.Accepts(kind)
			add[kind](c)
			b.CloseRow()
			checkBatch(t, &b)
			for i := range b.Rows - 1 {
				if !c.IsNull(i) || cellAt(c, i) != zeroOf(kind) {
					t.Fatalf("row %d of %d is %v, null is %v", i, b.Rows, cellAt(c, i), c.IsNull(i))
				}
			}
			b.Rows--
			b.Undo()
		}
	}
}

// Batches with few columns follow batches with many columns, so that Reset empties the index in
// both ways.
func TestResetForgetsNames(t *testing.T) {
	fill := func(b *Batch, prefix string, n int) {
		for i := range n {
			c, err := b.Column(fmt.Appendf(nil, "%s%d", prefix, i))
			if err != nil {
				t.Fatal(err)
			}
			c.AppendNull()
		}
	}
	for _, wide := range []int{linear + 1, 4 * linear, farMore * 4 * linear} {
		var b Batch
		fill(&b, "wide", wide)
		for _, narrow := range []int{linear + 1, 2, 2 * linear, linear + 2} {
			b.Reset()
			prefix := fmt.Sprint("narrow", narrow, "-")
			fill(&b, prefix, narrow)
			if len(b.Columns) != narrow || len(b.index) != narrow && narrow > linear {
				t.Fatalf("after %d columns: %d columns and %d in the index, want %d", wide, len(b.Columns), len(b.index), narrow)
			}
			for i, c := range b.Columns {
				if name := fmt.Sprint(prefix, i); c.Name != name || b.Find(name) != c {
					t.Fatalf("after %d columns: column %d is %s, want %s", wide, i, c.Name, name)
				}
			}
		}
	}
}
