package column

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// A column rejects integers that a float64 would round, whether the integer or the float comes
// first.
func TestIntegersKeepTheirValue(t *testing.T) {
	exact := []int64{0, 1, -1, 1 << 53, -1 << 53, 1<<53 + 2, 1 << 60, 1<<63 - 1<<10, math.MinInt64, -(1<<53 + 2), 2305843009213694000, -9e18}
	rounded := []int64{1<<53 + 1, -1<<53 - 1, 1<<60 + 1, 1<<63 - 1<<9, math.MaxInt64, math.MinInt64 + 1}
	for _, v := range append(exact, rounded...) {
		want := exactly(v)
		if want != slices.Contains(exact, v) {
			t.Fatalf("%d: %v", v, want)
		}

		floats := &Column{Kind: Float64, Rows: 1, Floats: []float64{0.5}}
		if got := floats.AcceptsInt64(v); got != want {
			t.Errorf("a float64 column accepts %d: %v", v, got)
		}
		one := &Column{Kind: Int64, Rows: 2, Ints: []int64{7, v}}
		if err := floats.AppendColumn(one, 0, 2); (err == nil) != want || !want && (!errors.Is(err, ErrInexact) || floats.Rows != 1 || len(floats.Floats) != 1) {
			t.Errorf("AppendColumn of %d: %v, %+v", v, err, floats)
		}
		if got := one.Accepts(Float64); got != want {
			t.Errorf("a column with %d accepts a float64: %v", v, got)
		}
		if want {
			if one.Kind != Float64 || one.Floats[0] != 7 || one.Floats[1] != float64(v) {
				t.Errorf("%d is widened to %+v", v, one)
			}
		} else if one.Kind != Int64 || one.Ints[1] != v || len(one.Floats) != 0 {
			t.Errorf("a refused float64 changes the column of %d: %+v", v, one)
		}
	}
	for k := Null; k <= Time; k++ {
		c := &Column{Kind: k}
		if got, want := c.AcceptsInt64(math.MaxInt64), k == Null || k == Int64; got != want {
			t.Errorf("a column of %v accepts MaxInt64: %v", k, got)
		}
	}
}

// exactly reports whether a float64 equals v, or has the same shortest text as v.
func exactly(v int64) bool {
	shortest, _ := new(big.Float).SetPrec(200).SetString(strconv.FormatFloat(float64(v), 'g', -1, 64))
	return slices.ContainsFunc([]*big.Float{shortest, big.NewFloat(float64(v))}, func(f *big.Float) bool {
		return f.Cmp(new(big.Float).SetInt64(v)) == 0
	})
}

// Mismatch describes why a column does not accept a cell.
func TestMismatch(t *testing.T) {
	ints := &Column{Kind: Int64, Rows: 3, Ints: []int64{1, 1<<53 + 1, 2}}
	for _, c := range []struct{ got, want string }{
		{ints.Mismatch(Bool), "a bool in a column of int64"},
		{ints.Mismatch(Float64), "a float64 in a column of int64, whose row 1 is 9007199254740993, which float64 cannot represent exactly"},
		{(&Column{Kind: String}).Mismatch(Int64), "an int64 in a column of string"},
		{(&Column{Kind: Time}).MismatchInt64(3), "an int64 in a column of time"},
		{(&Column{Kind: Float64}).MismatchInt64(1<<53 + 1), "9007199254740993 in a column of float64, which cannot represent it exactly"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// Rows with a float that are rejected or undone convert each integer only once.
func TestRefusedFloatsConvertOnce(t *testing.T) {
	var b Batch
	c := b.mustColumn(t, "n")
	c.Accepts(Int64)
	for i := range 1000 {
		c.AppendInt64(int64(i))
		b.CloseRow()
	}
	for i := range 10 { // these rows widen the column and are undone
		if !c.Accepts(Float64) {
			t.Fatal("a float64 is refused")
		}
		c.AppendFloat64(0.5)
		b.Undo()
		if c.Kind != Int64 || c.exact != 1000+i || c.convert() != 1000+i || c.Ints[999] != 999 {
			t.Fatalf("after Undo: kind %v, %d converted", c.Kind, c.exact)
		}
		c.AppendInt64(int64(i))
		b.CloseRow()
	}
	c.AppendInt64(1<<53 + 1)
	b.CloseRow()
	for range 3 {
		if c.Accepts(Float64) || c.exact != 1010 {
			t.Fatalf("%d converted", c.exact)
		}
	}
	c.Truncate(1010)
	b.Rows = 1010
	if !c.Accepts(Float64) || len(c.Floats) != 1010 || c.Floats[1009] != 9 || c.Floats[999] != 999 {
		t.Fatalf("%v %d", c.Kind, len(c.Floats))
	}
}

// If a widened column is truncated and filled with other integers, it does not reuse the old
// floats.
func TestConvertedCellsAreDropped(t *testing.T) {
	c := &Column{Kind: Int64}
	for i := range 8 {
		c.AppendInt64(int64(i))
	}
	c.convert()
	c.Truncate(4)
	for range 4 {
		c.AppendInt64(100)
	}
	if !c.Accepts(Float64) || c.Floats[3] != 3 || c.Floats[4] != 100 || c.Floats[7] != 100 {
		t.Error(c.Floats)
	}
	c.Reset()
	c.Accepts(Int64)
	c.AppendInt64(50)
	if !c.Accepts(Float64) || c.Floats[0] != 50 {
		t.Error(c.Floats)
	}
}

// InvalidText returns the first cell that is not valid UTF-8. The test tries every byte of a text
// as the first byte of a cell.
func TestInvalidText(t *testing.T) {
	whole := strings.Repeat("plain text, ", 8) + "é日😀" + strings.Repeat("é", 40) + "\xff" + "plain"
	for cut := range len(whole) {
		c := &Column{Kind: String}
		for _, s := range []string{"a", "é", whole[:cut], whole[cut:]} {
			if err := c.AppendString([]byte(s)); err != nil {
				t.Fatal(err)
			}
		}
		for from := range c.Rows + 1 {
			want := -1
			for i := c.Rows - 1; i >= from; i-- {
				if !utf8.Valid(c.StringAt(i)) {
					want = i
				}
			}
			if got := c.InvalidText(from); got != want {
				t.Errorf("cut at %d, from row %d: %d, want %d", cut, from, got, want)
			}
		}
	}
	if n := (&Column{Kind: Int64, Rows: 1, Ints: []int64{1}}).InvalidText(0); n != -1 {
		t.Error(n)
	}
}

// Inexact returns the first integer that a float64 would round.
func TestInexact(t *testing.T) {
	for _, c := range []struct {
		ints []int64
		want int
	}{
		{nil, -1},
		{[]int64{1, -1, 1 << 53, -1 << 53, 1 << 60, math.MinInt64}, -1},
		{[]int64{1, 1<<53 + 1}, 1},
		{[]int64{-1<<53 - 1, math.MaxInt64}, 0},
		{[]int64{2305843009213694000, math.MinInt64 + 1}, 1},
	} {
		if got := (&Column{Kind: Int64, Rows: len(c.ints), Ints: c.ints}).Inexact(); got != c.want {
			t.Errorf("%d: %d, want %d", c.ints, got, c.want)
		}
	}
	if got := (&Column{Kind: Time, Rows: 1, Ints: []int64{1<<53 + 1}}).Inexact(); got != -1 {
		t.Errorf("times: %d", got)
	}
}

// FirstFloat returns the first float that makes the column a column of floats.
func TestFirstFloat(t *testing.T) {
	for _, c := range []struct {
		cells []any
		want  int
	}{
		{[]any{1, 2}, -1},
		{[]any{1, nil, 2.0, 3}, 2},
		{[]any{nil, 2.0, 3}, 1},
		{[]any{nil, 2.0, 3.5}, 2},
		{[]any{nil}, -1},
	} {
		col := new(Column)
		for _, v := range c.cells {
			switch v := v.(type) {
			case int:
				col.Accepts(Int64)
				col.AppendInt64(int64(v))
			case float64:
				col.Accepts(Float64)
				col.AppendFloat64(v)
			case nil:
				col.AppendNull()
			}
		}
		if got := col.FirstFloat(); got != c.want {
			t.Errorf("%v: %d, want %d", c.cells, got, c.want)
		}
	}
}
