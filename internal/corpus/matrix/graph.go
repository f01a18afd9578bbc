package matrix

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// block is writable memory of the world: the array of a slice up to its capacity, or the value to
// which a pointer points. Overlapping memory forms one block.
type block struct {
	at   mem.Raw
	elem reflect.Type
	n    int
}

func (b *block) from() uintptr { return uintptr(b.at) }
func (b *block) to() uintptr   { return b.from() + uintptr(b.n)*b.elem.Size() }

// graph contains the memory to which some roots refer.
type graph struct {
	types  *types
	blocks []block            // sorted by address after the call of merge
	maps   map[mem.Raw]int    // numbers of maps
	list   []reflect.Value    // the maps
	texts  []string           // all strings
	seen   map[block]struct{} // the memory that was already walked
	sorted bool               // maps are walked in the order of their keys
}

// types defines how values of a type are examined.
type types struct {
	opaque map[reflect.Type]bool
	plain  map[reflect.Type]bool
}

func newTypes(opaque []reflect.Type) *types {
	t := &types{map[reflect.Type]bool{reflect.TypeFor[time.Time](): true}, make(map[reflect.Type]bool)}
	for _, o := range opaque {
		t.opaque[o] = true
	}
	return t
}

// isPlain reports whether values of type t do not refer to other memory.
func (ts *types) isPlain(t reflect.Type) bool {
	plain, known := ts.plain[t]
	if known {
		return plain
	}
	switch t.Kind() {
	case reflect.String, reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
	case reflect.Array:
		plain = t.Len() == 0 || ts.isPlain(t.Elem())
	case reflect.Struct:
		plain = !ts.opaque[t]
		for i := 0; plain && i < t.NumField(); i++ {
			plain = ts.isPlain(t.Field(i).Type)
		}
	default:
		plain = true
	}
	ts.plain[t] = plain
	return plain
}

// graphOf returns the graph of the values that the pointers in roots point to.
func graphOf(ts *types, roots ...reflect.Value) *graph {
	g := &graph{types: ts, maps: make(map[mem.Raw]int), seen: make(map[block]struct{})}
	for _, r := range roots {
		g.region(r.UnsafePointer(), r.Type().Elem(), 1)
	}
	g.merge()
	return g
}

// reach returns the memory to which *root refers. The order of the blocks is always the same. The
// blocks may overlap.
func reach(ts *types, root reflect.Value) []block {
	g := &graph{types: ts, maps: make(map[mem.Raw]int), seen: make(map[block]struct{}), sorted: true}
	g.region(root.UnsafePointer(), root.Type().Elem(), 1)
	return g.blocks
}

// region walks n values at p.
func (g *graph) region(p mem.Raw, elem reflect.Type, n int) {
	b := block{p, elem, n}
	if _, known := g.seen[b]; known || elem.Size() == 0 || n == 0 {
		return
	}
	g.seen[b] = struct{}{}
	g.blocks = append(g.blocks, b)
	if g.types.isPlain(elem) {
		return
	}
	for i := range n {
		g.value(mem.RawAdd(p, uintptr(i)*elem.Size()), elem)
	}
}

// value walks the value of type t at p.
func (g *graph) value(p mem.Raw, t reflect.Type) {
	if g.types.isPlain(t) || g.types.opaque[t] {
		return
	}
	switch t.Kind() {
	case reflect.String:
		g.texts = append(g.texts, *mem.RawAt[string](p, 0))
	case reflect.Pointer:
		if q := *mem.RawAt[mem.Raw](p, 0); q != nil {
			g.region(q, t.Elem(), 1)
		}
	case reflect.Slice:
		if s := mem.RawAt[mem.Slice](p, 0); s.Cap > 0 {
			g.region(s.Data, t.Elem(), s.Cap)
		}
	case reflect.Array:
		for i := range t.Len() {
			g.value(mem.RawAdd(p, uintptr(i)*t.Elem().Size()), t.Elem())
		}
	case reflect.Struct:
		for i := range t.NumField() {
			g.value(mem.RawAdd(p, t.Field(i).Offset), t.Field(i).Type)
		}
	case reflect.Interface:
		if v := reflect.NewAt(t, p).Elem(); !v.IsNil() {
			g.copied(v.Elem())
		}
	case reflect.Map:
		m := reflect.New(t).Elem() // m stays this map, even if the value at p changes
		m.Set(reflect.NewAt(t, p).Elem())
		if _, known := g.maps[m.UnsafePointer()]; known || m.IsNil() {
			return
		}
		g.maps[m.UnsafePointer()] = len(g.list)
		g.list = append(g.list, m)
		if g.sorted {
			keys := m.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprintf("%#v", a), fmt.Sprintf("%#v", b)) })
			for _, key := range keys {
				g.copied(key)
				if v := m.MapIndex(key); v.IsValid() { // a lookup never finds a NaN
					g.copied(v)
				}
			}
			return
		}
		for all := m.MapRange(); all.Next(); {
			g.copied(all.Key())
			g.copied(all.Value())
		}
	}
}

// copied walks v. It is used for values that have no address.
func (g *graph) copied(v reflect.Value) { g.value(addressed(v), v.Type()) }

// addressed returns the address of a copy of v.
func addressed(v reflect.Value) mem.Raw {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.UnsafePointer()
}

// merge combines blocks that overlap.
func (g *graph) merge() {
	slices.SortFunc(g.blocks, func(a, b block) int {
		switch {
		case a.from() != b.from():
			return int(max(min(int64(a.from())-int64(b.from()), 1), -1))
		case a.to() != b.to(): // the larger block first
			return int(max(min(int64(b.to())-int64(a.to()), 1), -1))
		}
		return strings.Compare(a.elem.String(), b.elem.String())
	})
	merged := g.blocks[:0]
	for _, b := range g.blocks {
		if len(merged) > 0 {
			if last := &merged[len(merged)-1]; b.from() < last.to() {
				if b.to() > last.to() {
					if b.elem != last.elem {
						panic("matrix: memory of two types overlaps: " + b.elem.String() + " and " + last.elem.String())
					}
					last.n = int((b.to() - last.from()) / b.elem.Size())
				}
				continue
			}
		}
		merged = append(merged, b)
	}
	g.blocks = merged
}

// find returns the number of the block that contains p, and the offset of p in it. The number is -1
// if there is no such block.
func (g *graph) find(p mem.Raw) (k int, off uintptr) {
	k, found := slices.BinarySearchFunc(g.blocks, uintptr(p), func(b block, p uintptr) int {
		switch {
		case b.to() <= p:
			return -1
		case b.from() > p:
			return 1
		}
		return 0
	})
	if !found {
		return -1, 0
	}
	return k, uintptr(p) - g.blocks[k].from()
}

// overlaps reports whether a block contains one of the size bytes at p.
func (g *graph) overlaps(p mem.Raw, size uintptr) bool {
	k, _ := slices.BinarySearchFunc(g.blocks, uintptr(p), func(b block, p uintptr) int {
		if b.to() <= p {
			return -1
		}
		return 1
	})
	return k < len(g.blocks) && g.blocks[k].from() < uintptr(p)+size
}
