package column

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// model represents a column as a list of cells: nil, bool, int64, float64 or string. Times are
// int64.
type model struct {
	kind  Kind
	cells []any
}

func (m *model) accepts(k Kind) bool {
	switch {
	case m.kind == Null:
		m.kind = k
	case m.kind == Int64 && k == Float64:
		if !m.exact(0, len(m.cells)) {
			return false
		}
		m.kind = k
		for i, c := range m.cells {
			if n, ok := c.(int64); ok {
				m.cells[i] = float64(n)
			}
		}
	}
	return m.kind == k || m.kind == Float64 && k == Int64
}

// exact reports whether float64 can represent all integers in the cells with the indexes i for
// which from <= i < to.
func (m *model) exact(from, to int) bool {
	return !slices.ContainsFunc(m.cells[from:to], func(cell any) bool {
		n, ok := cell.(int64)
		return ok && !exactly(n)
	})
}

// check compares c with the model, and checks that Bytes is at most Footprint.
func (m *model) check(c *Column) error {
	if c.Kind != m.kind || c.Rows != len(m.cells) {
		return fmt.Errorf("%v of %d rows, want %v of %d", c.Kind, c.Rows, m.kind, len(m.cells))
	}
	lengths := map[Kind]int{Bool: len(c.Bools), Int64: len(c.Ints), Float64: len(c.Floats), String: len(c.Ends)}
	if m.kind == Time {
		lengths = map[Kind]int{Time: len(c.Ints), Bool: len(c.Bools), Float64: len(c.Floats), String: len(c.Ends)}
	}
	for kind, n := range lengths {
		if want := map[bool]int{true: c.Rows}[kind == m.kind]; n != want {
			return fmt.Errorf("%d %v cells in a column of %d × %v", n, kind, c.Rows, m.kind)
		}
	}
	if m.kind != String && len(c.Text) > 0 {
		return errors.New("text in a column without strings")
	}
	nulls := 0
	for i, want := range m.cells {
		if want == nil {
			nulls++
		}
		if c.IsNull(i) != (want == nil) {
			return fmt.Errorf("cell %d: null is %v", i, c.IsNull(i))
		}
		got := cellAt(c, i)
		if want == nil && got != nil && got != zeroOf(c.Kind) {
			return fmt.Errorf("cell %d: %v under a null", i, got)
		}
		if want != nil && got != want {
			return fmt.Errorf("cell %d is %v, want %v", i, got, want)
		}
	}
	if c.HasNulls() != (nulls > 0) || m.kind != Null && c.Nulls.Count() != nulls {
		return fmt.Errorf("%d nulls, HasNulls %v; want %d", c.Nulls.Count(), c.HasNulls(), nulls)
	}
	if c.Bytes() > c.Footprint() {
		return fmt.Errorf("%d bytes in %d", c.Bytes(), c.Footprint())
	}
	return nil
}

// Appending to the bytes of a cell does not change the next cell.
func TestStringAtEnds(t *testing.T) {
	c := &Column{Kind: String}
	for _, s := range []string{"a", "", "bc"} {
		if err := c.AppendString([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range c.Rows {
		_ = append(c.StringAt(i), "xxx"...)
	}
	if string(c.Text) != "abc" {
		t.Errorf("%q", c.Text)
	}
}

func cellAt(c *Column, i int) any {
	switch c.Kind {
	case Bool:
		return c.Bools[i]
	case Int64, Time:
		return c.Ints[i]
	case Float64:
		return c.Floats[i]
	case String:
		return string(c.StringAt(i))
	}
	return nil
}

func zeroOf(k Kind) any {
	return map[Kind]any{Bool: false, Int64: int64(0), Time: int64(0), Float64: 0.0, String: ""}[k]
}

// push appends a random cell of kind k to both, and checks that both accept it or both reject it.
func push(t *testing.T, r *rand.Rand, c *Column, m *model, k Kind) {
	t.Helper()
	have := c.Kind
	ok := c.Accepts(k)
	if want := m.accepts(k); ok != want {
		t.Fatalf("a column of %v accepts %v: %v", have, k, ok)
	}
	if !ok {
		return
	}
	n := r.Int64() >> r.IntN(60)
	if k == Int64 {
		one := model{kind: Int64, cells: []any{n}}
		ok := c.AcceptsInt64(n)
		if want := c.Kind == Int64 || one.exact(0, 1); ok != want {
			t.Fatalf("a column of %v accepts %d: %v", have, n, ok)
		}
		if !ok {
			return
		}
	}
	switch k {
	case Bool:
		c.AppendBool(n&1 != 0)
		m.cells = append(m.cells, n&1 != 0)
	case Int64:
		c.AppendInt64(n)
		if m.kind == Float64 {
			m.cells = append(m.cells, float64(n))
		} else {
			m.cells = append(m.cells, n)
		}
	case Time:
		c.AppendTime(n)
		m.cells = append(m.cells, n)
	case Float64:
		c.AppendFloat64(float64(n) / 8)
		m.cells = append(m.cells, float64(n)/8)
	case String:
		s := fmt.Sprint(n)[:r.IntN(3)%len(fmt.Sprint(n))]
		if err := c.AppendString([]byte(s)); err != nil {
			t.Fatal(err)
		}
		m.cells = append(m.cells, s)
	}
}

// The same random calls on a reused column and on a list have the same results.
func TestColumnAgainstList(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	c := &Column{Name: "kept"}
	for round := range 500 {
		c.Reset()
		m := &model{}
		kind := Kind(1 + r.IntN(5))
		for range r.IntN(80) {
			switch r.IntN(12) {
			case 0, 1:
				c.AppendNull()
				m.cells = append(m.cells, nil)
			case 2:
				n := r.IntN(100)
				c.AppendNulls(n)
				m.cells = append(m.cells, make([]any, n)...)
			case 3:
				n := r.IntN(c.Rows + 3)
				c.Truncate(n)
				m.cells = m.cells[:min(n, len(m.cells))]
			case 4:
				push(t, r, c, m, Kind(1+r.IntN(5)))
			default:
				push(t, r, c, m, kind)
			}
			if err := m.check(c); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
	if c.Name != "kept" {
		t.Error("Reset dropped the name")
	}
}

// Random ranges of random columns are appended to other columns.
func TestAppendColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	build := func(kind Kind, n int) (*Column, *model) {
		c, m := new(Column), new(model)
		for range n {
			if kind == Null || r.IntN(4) == 0 {
				c.AppendNull()
				m.cells = append(m.cells, nil)
			} else {
				push(t, r, c, m, kind)
			}
		}
		return c, m
	}
	for range 3000 {
		c, m := build(Kind(r.IntN(6)), r.IntN(100))
		o, om := build(Kind(r.IntN(6)), r.IntN(100))
		from := r.IntN(o.Rows + 1)
		to := from + r.IntN(o.Rows-from+1)
		if o.Kind != Null {
			ok := c.Accepts(o.Kind)
			if want := m.accepts(o.Kind); ok != want {
				t.Fatalf("%v accepts %v: %v", m.kind, o.Kind, ok)
			}
			if !ok {
				continue
			}
		}
		err := c.AppendColumn(o, from, to)
		if rounds := m.kind == Float64 && !om.exact(from, to); rounds != errors.Is(err, ErrInexact) || !rounds && err != nil {
			t.Fatal(err)
		}
		if err != nil {
			to = from // nothing was appended
		}
		for _, cell := range om.cells[from:to] {
			if n, ok := cell.(int64); ok && m.kind == Float64 {
				cell = float64(n)
			}
			m.cells = append(m.cells, cell)
		}
		if err := m.check(c); err != nil {
			t.Fatalf("after appending %d..%d of %v × %d: %v", from, to, o.Kind, o.Rows, err)
		}
		if err := om.check(o); err != nil {
			t.Fatalf("the source: %v", err)
		}
		push(t, r, c, m, m.kind|Kind(map[bool]int{true: 1}[m.kind == Null])) // the next cell must be at the right index
		if err := m.check(c); err != nil {
			t.Fatal(err)
		}
	}
	self, m := build(String, 50)
	if err := self.AppendColumn(self, 10, 40); err != nil {
		t.Fatal(err)
	}
	m.cells = append(m.cells, m.cells[10:40]...)
	if err := m.check(self); err != nil {
		t.Error("a column appended to itself:", err)
	}
}

// A Kind can be found by the text that its String method returns.
func TestKinds(t *testing.T) {
	for k := Null; k <= Time; k++ {
		if back, ok := KindOf(k.String()); !ok || back != k {
			t.Errorf("%v reads as %v, %v", k, back, ok)
		}
	}
	if k, ok := KindOf("decimal"); ok || k != Null {
		t.Error(k, ok)
	}
	if Kind(200).String() != "Kind(200)" {
		t.Error(Kind(200))
	}
}
