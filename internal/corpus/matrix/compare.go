package matrix

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// side describes one of the two worlds that are compared. The two worlds were equal before a call.
// A side contains the blocks and maps that existed before the call, with the same numbers in both
// worlds. It also contains the blocks and maps to which the roots (pointers to the world's values)
// refer after the call.
type side struct {
	blocks graph // blocks before the call, in order of address
	number []int // the numbers of these blocks
	maps   map[mem.Raw]int
	now    *graph
}

// comparison walks two worlds at the same time.
type comparison struct {
	f       *Format
	types   *types
	a, b    *side
	link    map[int]int // which blocks of a.now and b.now correspond to each other
	back    map[int]int
	maps    map[mem.Raw]mem.Raw
	mapBack map[mem.Raw]mem.Raw
	seen    map[[2]block]bool
	shallow bool // compare only the block to which a pointer or slice refers, not its content
}

func newComparison(f *Format, ts *types, a, b *side) *comparison {
	return &comparison{f: f, types: ts, a: a, b: b, link: make(map[int]int), back: make(map[int]int),
		maps: make(map[mem.Raw]mem.Raw), mapBack: make(map[mem.Raw]mem.Raw), seen: make(map[[2]block]bool)}
}

// differ returns the text of a difference at a path.
func differ(path, format string, args ...any) string {
	return fmt.Sprintf("%s: %s", path, fmt.Sprintf(format, args...))
}

// region compares the n values at p with the n values at q. It returns the first difference, or an
// empty string.
func (c *comparison) region(p, q mem.Raw, t reflect.Type, n int, path string) string {
	if t.Size() == 0 || n == 0 {
		return ""
	}
	if diff := c.place(p, q, path); diff != "" || c.shallow {
		return diff
	}
	key := [2]block{{p, t, n}, {q, t, n}}
	if c.seen[key] {
		return ""
	}
	c.seen[key] = true
	return c.values(p, q, t, n, path, n > 1)
}

// values compares n values.
func (c *comparison) values(p, q mem.Raw, t reflect.Type, n int, path string, indexed bool) string {
	for i := range n {
		at := path
		if indexed {
			at = fmt.Sprintf("%s[%d]", path, i)
		}
		off := uintptr(i) * t.Size()
		if diff := c.value(mem.RawAdd(p, off), mem.RawAdd(q, off), t, at); diff != "" {
			return diff
		}
	}
	return ""
}

// place compares the block that contains p with the block that contains q. If the blocks existed
// before the call, they must have the same number. Otherwise both must be new, and must correspond
// to each other.
func (c *comparison) place(p, q mem.Raw, path string) string {
	i, offI := c.a.old(p)
	j, offJ := c.b.old(q)
	switch {
	case i != j && j < 0:
		return differ(path, "it reuses memory that it must not reuse")
	case i != j && i < 0:
		return differ(path, "it is new memory, but existing memory must be reused")
	case i != j || offI != offJ:
		return differ(path, "it reuses another part of the existing memory")
	}
	if c.a.now == nil {
		return ""
	}
	x, _ := c.a.now.find(p)
	y, _ := c.b.now.find(q)
	toY, linked := c.link[x]
	toX, linkedBack := c.back[y]
	switch {
	case !linked && !linkedBack:
		c.link[x], c.back[y] = y, x
	case !linked || toY != y || toX != x:
		return differ(path, "it shares memory that it must not share, or does not share what it must")
	}
	return ""
}

// old returns the number of the block that contained p before the call, and the offset of p in it.
// The number is -1 if there was no such block.
func (s *side) old(p mem.Raw) (k int, off uintptr) {
	if k, off = s.blocks.find(p); k >= 0 {
		k = s.number[k]
	}
	return k, off
}

// value compares the values of type t at p and q.
func (c *comparison) value(p, q mem.Raw, t reflect.Type, path string) string {
	v, w := reflect.NewAt(t, p).Elem(), reflect.NewAt(t, q).Elem()
	if c.types.opaque[t] {
		if !c.equal(v.Interface(), w.Interface()) {
			return differ(path, "it is %v, want %v", v.Interface(), w.Interface())
		}
		return ""
	}
	switch t.Kind() {
	case reflect.Float32, reflect.Float64:
		if x, y := math.Float64bits(v.Float()), math.Float64bits(w.Float()); x != y {
			return differ(path, "it is %v (%x), want %v (%x)", v, x, w, y)
		}
	case reflect.Pointer:
		if v.IsNil() != w.IsNil() {
			return differ(path, "it is %v, want %v", v, w)
		}
		if !v.IsNil() {
			return c.region(v.UnsafePointer(), w.UnsafePointer(), t.Elem(), 1, path)
		}
	case reflect.Slice:
		return c.slice(mem.RawAt[mem.Slice](p, 0), mem.RawAt[mem.Slice](q, 0), t, path)
	case reflect.Array:
		return c.values(p, q, t.Elem(), t.Len(), path, true)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if diff := c.value(mem.RawAdd(p, f.Offset), mem.RawAdd(q, f.Offset), f.Type, path+"."+f.Name); diff != "" {
				return diff
			}
		}
	case reflect.Interface:
		if v.IsNil() != w.IsNil() || !v.IsNil() && v.Elem().Type() != w.Elem().Type() {
			return differ(path, "it is %#v, want %#v", v.Interface(), w.Interface())
		}
		if !v.IsNil() {
			return c.value(addressed(v.Elem()), addressed(w.Elem()), v.Elem().Type(), path)
		}
	case reflect.Map:
		return c.mapped(v, w, path)
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		if v.IsNil() != w.IsNil() {
			return differ(path, "it is %v, want %v", v, w)
		}
	default:
		if !v.Equal(w) {
			return differ(path, "it is %s, want %s", text(v), text(w))
		}
	}
	return ""
}

func text(v reflect.Value) string {
	if v.Kind() == reflect.String {
		return fmt.Sprintf("%q", v.String())
	}
	return fmt.Sprint(v)
}

func (c *comparison) slice(s, r *mem.Slice, t reflect.Type, path string) string {
	switch {
	case (s.Data == nil) != (r.Data == nil):
		return differ(path, "it is nil: %v, want %v", s.Data == nil, r.Data == nil)
	case s.Len != r.Len:
		return differ(path, "it has %d elements, want %d", s.Len, r.Len)
	case s.Len > s.Cap:
		return differ(path, "it has %d elements of %d", s.Len, s.Cap)
	case s.Cap == 0 || r.Cap == 0:
		return ""
	case s.Len == 0: // the address does not matter, unless the memory existed before the call
		i, _ := c.a.old(s.Data)
		j, _ := c.b.old(r.Data)
		if i != j && !c.f.Spare {
			return ""
		}
	}
	if diff := c.place(s.Data, r.Data, path); diff != "" {
		return diff
	}
	n := s.Len
	if i, _ := c.a.old(s.Data); i >= 0 && s.Cap != r.Cap {
		return differ(path, "it has capacity for %d elements in existing memory, want %d", s.Cap, r.Cap)
	}
	if c.shallow || t.Elem().Size() == 0 {
		return ""
	}
	key := [2]block{{s.Data, t, n}, {r.Data, t, n}}
	if c.seen[key] {
		return ""
	}
	c.seen[key] = true
	return c.values(s.Data, r.Data, t.Elem(), n, path, true)
}

func (c *comparison) mapped(v, w reflect.Value, path string) string {
	switch {
	case v.IsNil() || w.IsNil():
		if v.IsNil() != w.IsNil() {
			return differ(path, "the map is nil: %v, want %v", v.IsNil(), w.IsNil())
		}
		return ""
	}
	p, q := v.UnsafePointer(), w.UnsafePointer()
	i, known := c.a.maps[p]
	j, wanted := c.b.maps[q]
	switch {
	case known && !wanted:
		return differ(path, "it reuses a map that it must not reuse")
	case !known && wanted:
		return differ(path, "it is a new map, but the existing map must be reused")
	case i != j:
		return differ(path, "it reuses another one of the existing maps")
	}
	to, linked := c.maps[p]
	from, linkedBack := c.mapBack[q]
	switch {
	case !linked && !linkedBack:
		c.maps[p], c.mapBack[q] = q, p
	case to != q || from != p:
		return differ(path, "it shares a map that it must not share, or does not share the one that it must")
	default:
		return ""
	}
	if c.shallow {
		return ""
	}
	return c.entries(v, w, path)
}

// entries compares the entries of two maps.
func (c *comparison) entries(v, w reflect.Value, path string) string {
	if v.Len() != w.Len() {
		return differ(path, "the map has %d entries, want %d", v.Len(), w.Len())
	}
	for all := w.MapRange(); all.Next(); {
		if !all.Key().Equal(all.Key()) {
			continue // a lookup never finds a NaN
		}
		at := fmt.Sprintf("%s[%s]", path, text(all.Key()))
		x := v.MapIndex(all.Key())
		if !x.IsValid() {
			return differ(at, "the entry is missing")
		}
		if diff := c.value(addressed(x), addressed(all.Value()), x.Type(), at); diff != "" {
			return diff
		}
	}
	return ""
}

// equal compares opaque values.
func (c *comparison) equal(a, b any) bool {
	if x, ok := a.(time.Time); ok {
		if y, ok := b.(time.Time); ok {
			_, offX := x.Zone()
			_, offY := y.Zone()
			return x.Equal(y) && offX == offY && x.Location().String() == y.Location().String()
		}
	}
	if c.f.Equal != nil {
		return c.f.Equal(a, b)
	}
	return reflect.DeepEqual(a, b)
}
