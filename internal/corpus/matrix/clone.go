package matrix

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// clone is a copy of the memory of a graph. It contains a copy of each block and each map. Strings
// are not copied, because they must never be modified.
type clone struct {
	of     *graph
	blocks []block // blocks of the copy, indexed by the numbers of the graph's blocks
	maps   []reflect.Value
	pages  []*guard.Region
}

// copy returns a copy of g. The copy of a block on a read-only page also lies on a read-only page.
func (g *graph) copy(readOnly func(p mem.Raw) bool) *clone {
	c := &clone{of: g, blocks: make([]block, len(g.blocks)), maps: make([]reflect.Value, len(g.list))}
	for k, b := range g.blocks {
		c.blocks[k] = b
		if readOnly(b.at) {
			size := b.n * int(b.elem.Size())
			p := guard.NewRegion(size)
			c.pages = append(c.pages, p)
			c.blocks[k].at = mem.RawOf(mem.From(p.Last(size), 0))
		} else {
			c.blocks[k].at = reflect.MakeSlice(reflect.SliceOf(b.elem), b.n, b.n).UnsafePointer()
		}
	}
	for k, m := range g.list {
		c.maps[k] = reflect.MakeMapWithSize(m.Type(), m.Len())
	}
	for k, b := range g.blocks {
		for i := range b.n {
			off := uintptr(i) * b.elem.Size()
			c.value(mem.RawAdd(c.blocks[k].at, off), mem.RawAdd(b.at, off), b.elem)
		}
	}
	for k, m := range g.list {
		for all := m.MapRange(); all.Next(); {
			c.maps[k].SetMapIndex(c.copied(all.Key()), c.copied(all.Value()))
		}
	}
	for _, p := range c.pages {
		p.ReadOnly()
	}
	return c
}

// free frees the pages of c.
func (c *clone) free() {
	for _, p := range c.pages {
		p.Free()
	}
}

// root returns the copy of a root of the graph.
func (c *clone) root(r reflect.Value) reflect.Value {
	return reflect.NewAt(r.Type().Elem(), c.move(r.UnsafePointer()))
}

// move returns the address in the copy that corresponds to p.
func (c *clone) move(p mem.Raw) mem.Raw {
	k, off := c.of.find(p)
	if k < 0 { // the value at p has the size zero
		return p
	}
	return mem.RawAdd(c.blocks[k].at, off)
}

// value copies the value of type t from the address `from` to the address `to`.
func (c *clone) value(to, from mem.Raw, t reflect.Type) {
	ts := c.of.types
	if ts.isPlain(t) || ts.opaque[t] {
		reflect.NewAt(t, to).Elem().Set(reflect.NewAt(t, from).Elem())
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		if p := *mem.RawAt[mem.Raw](from, 0); p != nil {
			*mem.RawAt[mem.Raw](to, 0) = c.move(p)
		}
	case reflect.Slice:
		s := *mem.RawAt[mem.Slice](from, 0)
		if s.Cap > 0 {
			s.Data = c.move(s.Data)
		}
		*mem.RawAt[mem.Slice](to, 0) = s
	case reflect.Array:
		for i := range t.Len() {
			off := uintptr(i) * t.Elem().Size()
			c.value(mem.RawAdd(to, off), mem.RawAdd(from, off), t.Elem())
		}
	case reflect.Struct:
		for i := range t.NumField() {
			off := t.Field(i).Offset
			c.value(mem.RawAdd(to, off), mem.RawAdd(from, off), t.Field(i).Type)
		}
	case reflect.Interface:
		if v := reflect.NewAt(t, from).Elem(); !v.IsNil() {
			reflect.NewAt(t, to).Elem().Set(c.copied(v.Elem()))
		}
	case reflect.Map:
		if m := reflect.NewAt(t, from).Elem(); !m.IsNil() {
			reflect.NewAt(t, to).Elem().Set(c.maps[c.of.maps[m.UnsafePointer()]].Convert(t))
		}
	default: // strings; functions and channels, which no decoder sets
		reflect.NewAt(t, to).Elem().Set(reflect.NewAt(t, from).Elem())
	}
}

// copied returns a copy of v. It is used for values that have no address.
func (c *clone) copied(v reflect.Value) reflect.Value {
	to := reflect.New(v.Type())
	c.value(to.UnsafePointer(), addressed(v), v.Type())
	return to.Elem()
}
