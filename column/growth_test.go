package column

// These tests measure how the cost of every function grows with its input.

import (
	"slices"
	"strconv"
	"testing"

	"github.com/slipstream-go/slipstream/internal/growth"
)

func TestGrowth(t *testing.T) {
	names := func(n int) [][]byte {
		var all [][]byte
		for i := range n {
			all = append(all, strconv.AppendInt([]byte("column "), int64(i), 10))
		}
		return all
	}
	// of returns a column of a kind. The Append methods require that Accepts has set the kind.
	of := func(kind Kind) *Column {
		c := new(Column)
		c.Accepts(kind)
		return c
	}
	// fill appends n cells to one column of each kind.
	fill := func(n int) []*Column {
		bools, ints, floats, text, times, nulls := of(Bool), of(Int64), of(Float64), of(String), of(Time), of(Int64)
		for i := range n {
			bools.AppendBool(i%2 == 0)
			ints.AppendInt64(int64(i))
			floats.AppendFloat64(float64(i))
			_ = text.AppendString([]byte("text"))
			times.AppendTime(int64(i))
			if i%3 == 0 {
				nulls.AppendNull()
			} else {
				nulls.AppendInt64(1)
			}
		}
		return []*Column{bools, ints, floats, text, times, nulls}
	}
	cases := []growth.Case{
		{Name: "Column.AppendBool,Column.AppendInt64,Column.AppendFloat64,Column.AppendString,Column.AppendTime,Column.AppendNull,Column.Reset,Column.StringAt,Column.IsNull,Column.HasNulls,Column.Bytes,Column.Footprint", Alloc: 40, Prepare: func(n int) func() {
			return func() {
				for _, c := range fill(n / 8) {
					for i := range c.Rows {
						c.IsNull(i)
						if c.Kind == String {
							c.StringAt(i)
						}
					}
					c.HasNulls()
					c.Bytes()
					c.Footprint()
					c.Reset()
				}
			}
		}},
		{Name: "Column.AppendString long", Alloc: 8, Prepare: func(n int) func() {
			text := make([]byte, n/4)
			return func() {
				c := of(String)
				for range 4 {
					_ = c.AppendString(text)
				}
			}
		}},
		{Name: "Column.AppendNulls one by one, then a value", Alloc: 16, Prepare: func(n int) func() {
			return func() {
				c := new(Column)
				for range n {
					c.AppendNulls(1)
				}
				c.Accepts(String)
				_ = c.AppendString([]byte("x"))
			}
		}},
		{Name: "Column.Inexact,Column.FirstFloat", Prepare: func(n int) func() {
			ints, floats := &Column{Kind: Int64, Rows: n / 8, Ints: make([]int64, n/8)}, &Column{Kind: Float64, Rows: n / 8, Floats: make([]float64, n/8)}
			ints.Ints[n/8-1] = 1<<53 + 1
			return func() {
				ints.Inexact()
				floats.FirstFloat()
			}
		}},
		{Name: "Column.AcceptsInt64,Column.InvalidText", Alloc: 24, Prepare: func(n int) func() {
			return func() {
				floats, text := of(Float64), of(String)
				floats.AppendFloat64(0.5)
				for i := range n / 16 {
					if v := int64(i) << 40; floats.AcceptsInt64(v) {
						floats.AppendInt64(v)
					}
					_ = text.AppendString([]byte("text"))
					text.InvalidText(text.Rows - 1)
				}
				text.InvalidText(0)
			}
		}},
		// For each byte of the final integers, the calls allocate 6.25 bytes for integers that grow
		// by a quarter, 1 byte for the floats, and 1.25 bytes for one more float.
		{Name: "Column.Widen,Column.Accepts", Alloc: 9, Prepare: func(n int) func() {
			return func() {
				c := of(Int64)
				for range n / 8 {
					c.AppendInt64(1)
				}
				c.Widen()
				c.AppendFloat64(1.5)
			}
		}},
		{Name: "Column.AppendColumn,Column.Truncate row by row", Alloc: 60, Prepare: func(n int) func() {
			from := fill(n / 16)
			return func() {
				for _, c := range from {
					to := of(c.Kind)
					for i := range c.Rows {
						if err := to.AppendColumn(c, i, i+1); err != nil {
							panic(err)
						}
					}
					for to.Rows > 0 {
						to.Truncate(to.Rows - 1)
					}
				}
			}
		}},
		{Name: "Batch.Column,Batch.Find,Batch.Bytes,Batch.Footprint,Batch.Reset many names", Alloc: 100, Prepare: func(n int) func() {
			all := names(n / 16)
			return func() {
				b := new(Batch)
				for range 3 {
					for _, name := range all {
						if _, err := b.Column(name); err != nil {
							panic(err)
						}
					}
					for _, name := range slices.Backward(all) {
						b.Find(string(name))
					}
					b.Bytes()
					b.Footprint()
					b.Reset()
				}
			}
		}},
		{Name: "Batch.Column names in another order", Alloc: 100, Prepare: func(n int) func() {
			all := names(n / 16)
			return func() {
				b := new(Batch)
				for range 3 {
					for _, name := range all {
						_, _ = b.Column(name)
					}
					b.Reset()
					slices.Reverse(all)
				}
			}
		}},
		{Name: "Batch.CloseRow,Batch.Undo", Alloc: 40, Prepare: func(n int) func() {
			all := names(3)
			return func() {
				b := new(Batch)
				for i := range n / 16 {
					for _, name := range all {
						c, _ := b.Column(name)
						c.Accepts(Int64)
						c.AppendInt64(1)
					}
					if i%2 == 0 {
						b.Undo()
					} else if err := b.CloseRow(); err != nil {
						panic(err)
					}
				}
			}
		}},
		{Name: "Batch.Undo texts and nulls", Alloc: 40, Prepare: func(n int) func() {
			all := names(2)
			return func() {
				b := new(Batch)
				for range n / 16 {
					text, _ := b.Column(all[0])
					text.Accepts(String)
					_ = text.AppendString([]byte("abc"))
					_ = b.CloseRow()
					late, _ := b.Column(all[1])
					late.Accepts(Int64)
					late.AppendInt64(1)
					b.Undo()
				}
			}
		}},
		{Name: "Batch.Undo a widened column", Alloc: 40, Prepare: func(n int) func() {
			all := names(1)
			return func() {
				b := new(Batch)
				for range n / 16 {
					c, _ := b.Column(all[0])
					c.Accepts(Int64)
					c.AppendInt64(1)
					_ = b.CloseRow()
					c, _ = b.Column(all[0])
					c.Accepts(Float64)
					c.AppendFloat64(1.5)
					b.Undo()
				}
			}
		}},
		// Clearing a map clears its tables of up to 1024 names one by one. So the cost grows until
		// the map has as many tables as the small batch has names.
		{Name: "Batch.Reset many small after a large one", Alloc: 100, Most: 256 << 10, Prepare: func(n int) func() {
			all := names(n / 32)
			return func() {
				b := new(Batch)
				for _, name := range all {
					_, _ = b.Column(name)
				}
				for range n / 16 {
					b.Reset()
					for _, name := range all[:linear+2] {
						c, _ := b.Column(name)
						c.Accepts(Bool)
						c.AppendBool(true)
					}
					_ = b.CloseRow()
				}
			}
		}},
		{Name: "Batch.Reset many small batches after a long one", Alloc: 40, Prepare: func(n int) func() {
			name := names(1)[0]
			return func() {
				b := new(Batch)
				for i := range n / 16 {
					rows := 2
					if i == 0 {
						rows = n / 16
					}
					for range rows {
						c, _ := b.Column(name)
						c.Accepts(String)
						_ = c.AppendString([]byte("abc"))
						_ = b.CloseRow()
					}
					b.Reset()
				}
			}
		}},
		{Name: "Bitmap.Set,Bitmap.Get,Bitmap.Any,Bitmap.Count,Bitmap.SetRange,Bitmap.Truncate", Alloc: 4, Prepare: func(n int) func() {
			return func() {
				var b Bitmap
				for i := range n {
					b = b.Set(2 * i)
					b.Get(i)
				}
				b = b.SetRange(n, 3*n)
				b.Any()
				b.Count()
				b.Truncate(n)
			}
		}},
	}
	growth.Check(t, cases)
	growth.Covers(t, growth.CaseNames(cases), map[string]string{
		"Kind.String":      "a table",
		"KindOf":           "a table",
		"Column.Mismatch*": "the text of an error",
		"TooManyRows":      "a line of text",
	})
}

// A batch keeps its buffers, but not the bodies that contained its names and texts.
func TestGrowthHeld(t *testing.T) {
	growth.CheckHeld(t, []growth.Held{{Name: "Batch", Start: func(large, _ int) func(int) any {
		b := new(Batch)
		return func(n int) any {
			body := make([]byte, n)
			columns := linear + 2
			if n == large {
				columns++ // on the next use, this column is a spare one
			}
			for k := range columns {
				text := body[16*k:][:8]
				copy(text, "a name")
				text[7] = byte('0' + k)
				c, err := b.Column(text)
				if err != nil {
					t.Fatal(err)
				}
				c.Accepts(String)
				if err := c.AppendString(text); err != nil {
					t.Fatal(err)
				}
			}
			if err := b.CloseRow(); err != nil {
				t.Fatal(err)
			}
			b.Reset()
			return nil
		}
	}}})
}
