package matrix

import (
	"math/rand/v2"
	"reflect"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/mem"
)

func fieldName(i int) string { return "F" + strconv.Itoa(i) }

// filler sets values at random.
type filler struct {
	f         *Format
	w         *world
	r         *rand.Rand
	constants bool // strings are constants, and memory that contains no pointers lies on read-only pages
	spare     bool // slices have more capacity than length, and the memory after the length contains values
	made      int  // number of values that were made
}

// enough is the number of values after which a filler makes no more lists, maps or pointers.
const enough = 60

// value sets v, which must be zero, to a random value. Deeper values have fewer elements.
func (f *filler) value(v reflect.Value, depth int) {
	r := f.r
	f.made++
	if f.f.Fill != nil && f.f.Fill(r, v) {
		if f.constants { // strings from Fill are not constants, and v may lie on a page that the garbage collector does not scan
			seen := reflect.New(v.Type())
			seen.Elem().Set(v)
			f.w.alive = append(f.w.alive, seen)
		}
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text())
	case reflect.Slice:
		n := f.length(depth)
		if n == 0 {
			if r.IntN(2) == 0 {
				v.Set(reflect.MakeSlice(v.Type(), 0, 0))
			}
			return
		}
		room := n
		if f.spare {
			room += r.IntN(4)
		}
		s := f.array(v.Type(), room)
		for i := range room {
			f.value(s.Index(i), depth+1)
		}
		f.freeze()
		v.Set(s.Slice3(0, n, room))
	case reflect.Array:
		for i := range v.Len() {
			f.value(v.Index(i), depth+1)
		}
	case reflect.Map:
		n := f.length(depth)
		if n == 0 && r.IntN(2) == 0 {
			return
		}
		m := reflect.MakeMap(v.Type())
		for range n {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.value(key, depth+1)
			f.value(value, depth+1)
			if key.Comparable() { // a value in an any may not be comparable
				m.SetMapIndex(key, value)
			}
		}
		v.Set(m)
	case reflect.Pointer:
		if depth > 4 || f.made > enough || r.IntN(4) == 0 {
			return
		}
		p := reflect.NewAt(v.Type().Elem(), f.array(reflect.SliceOf(v.Type().Elem()), 1).UnsafePointer())
		f.value(p.Elem(), depth+1)
		f.freeze()
		v.Set(p.Convert(v.Type()))
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() {
				f.value(field, depth)
			}
		}
	default: // numbers and interfaces
		corpus.Fill(r, v, 2)
	}
}

func (f *filler) length(depth int) int {
	if depth > 4 || f.made > enough {
		return 0
	}
	return f.r.IntN(5)
}

// array returns a new slice. If the filler makes constants, the slice may lie on a separate page.
// Slices whose elements have the size zero get no page.
func (f *filler) array(t reflect.Type, n int) reflect.Value {
	size := int(t.Elem().Size()) * n
	if !f.constants || size == 0 || !f.static(t.Elem()) || f.r.IntN(2) == 0 {
		return reflect.MakeSlice(t, n, n)
	}
	p := guard.NewRegion(size)
	f.w.constants = append(f.w.constants, frozen{p, !f.w.types.isPlain(t.Elem())})
	slice := reflect.New(t)
	*mem.RawAt[mem.Slice](slice.UnsafePointer(), 0) = mem.Slice{Data: mem.RawOf(mem.From(p.Last(size), 0)), Len: n, Cap: n}
	return slice.Elem()
}

// freeze makes the page of the last call of array read-only.
func (f *filler) freeze() {
	if n := len(f.w.constants); n > 0 && !f.w.constants[n-1].IsReadOnly() {
		f.w.constants[n-1].ReadOnly()
	}
}

// static reports whether values of type t refer only to constants. If so, the garbage collector
// need not scan them.
func (f *filler) static(t reflect.Type) bool {
	ts := f.w.types
	switch {
	case ts.isPlain(t) || t.Kind() == reflect.String:
		return true
	case ts.opaque[t]:
	case t.Kind() == reflect.Array:
		return f.static(t.Elem())
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			if !f.static(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return false
}

// constant is a text in read-only memory.
const constant = "Alles, was der Fall ist, ist die Welt: eine Zeile, die lang genug ist, um aus ihr Stücke jeder Länge zu schneiden, so lang, wie sie sein soll."

func (f *filler) text() string {
	if f.constants {
		n := f.r.IntN(20)
		if f.r.IntN(6) == 0 {
			n = f.r.IntN(100)
		}
		at := f.r.IntN(len(constant) - n)
		return constant[at : at+n]
	}
	if f.f.Text != nil {
		return f.f.Text(f.r)
	}
	return corpus.String(f.r)
}

// share adds values to the kept values that share memory with the target: copies of the headers of
// its slices, pointers and maps, and parts of its slices. If Format.Tangled is set, share also
// makes some headers in the target equal, and makes some of its pointers point to other parts of
// the target.
func (w *world) share(r *rand.Rand) {
	byType := make(map[reflect.Type][]reflect.Value)
	var order []reflect.Type
	for _, b := range reach(w.types, w.target) {
		for i := range b.n {
			w.headers(mem.RawAdd(b.at, uintptr(i)*b.elem.Size()), b.elem, func(v reflect.Value) {
				if byType[v.Type()] == nil {
					order = append(order, v.Type())
				}
				byType[v.Type()] = append(byType[v.Type()], v)
			})
		}
	}
	for _, t := range order {
		list := byType[t]
		v := list[r.IntN(len(list))]
		if w.f.Tangled && r.IntN(2) == 0 && !(t.Kind() == reflect.Slice && holdsSlice(t.Elem())) {
			v.Set(list[r.IntN(len(list))])
		}
		if r.IntN(2) == 0 {
			continue
		}
		held := reflect.New(t)
		held.Elem().Set(v)
		if t.Kind() == reflect.Slice && v.Cap() > 0 {
			from := r.IntN(v.Cap() + 1)
			to := from + r.IntN(v.Cap()-from+1)
			held.Elem().Set(v.Slice3(0, v.Len(), v.Cap()).Slice3(from, max(from, to), v.Cap()))
		}
		w.hold(held)
	}
	if w.f.Tangled {
		w.tangle(r)
	}
	w.keep()
}

// holdsSlice reports whether values of type t contain a slice. Slices of the target do not share
// elements of such types. Otherwise a decoder would grow the slice inside a shared element twice:
// once through each of the outer slices. If the capacity sufficed, the second growth would happen
// in place. So the result would depend on the capacity that the decoder chose for the first growth.
func holdsSlice(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice:
		return true
	case reflect.Array:
		return holdsSlice(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsSlice(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// tangle makes some pointers in the target point into other values of the target, for example from
// a child to its parent. It also changes pointers in interfaces.
func (w *world) tangle(r *rand.Rand) {
	byType := make(map[reflect.Type][]reflect.Value) // addressable values of the target
	var all, pointers []reflect.Value
	for _, b := range reach(w.types, w.target) {
		for i := range b.n {
			w.parts(mem.RawAdd(b.at, uintptr(i)*b.elem.Size()), b.elem, func(v reflect.Value) {
				switch t := v.Type(); {
				case t.Size() == 0:
				case t.Kind() == reflect.Pointer:
					pointers = append(pointers, v)
				case t.Kind() == reflect.Interface:
					if t.NumMethod() == 0 {
						pointers = append(pointers, v)
					}
				default: // pointers to pointers and to interfaces could form a circle without a value
					byType[t] = append(byType[t], v)
					all = append(all, v)
				}
			})
		}
	}
	for _, p := range pointers {
		to := all
		if p.Kind() == reflect.Pointer {
			to = byType[p.Type().Elem()]
		}
		if len(to) > 0 && r.IntN(3) == 0 {
			p.Set(to[r.IntN(len(to))].Addr().Convert(p.Type()))
		}
	}
}

// parts calls the function `each` with the value of type t at p, and with all of its fields and
// elements.
func (w *world) parts(p mem.Raw, t reflect.Type, each func(reflect.Value)) {
	each(reflect.NewAt(t, p).Elem())
	switch {
	case w.types.opaque[t]:
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			w.parts(mem.RawAdd(p, uintptr(i)*t.Elem().Size()), t.Elem(), each)
		}
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			w.parts(mem.RawAdd(p, t.Field(i).Offset), t.Field(i).Type, each)
		}
	}
}

// headers calls the function `each` with the non-nil slices, pointers and maps in the value of type
// t at p.
func (w *world) headers(p mem.Raw, t reflect.Type, each func(reflect.Value)) {
	if w.types.isPlain(t) || w.types.opaque[t] {
		return
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Pointer:
		if v := reflect.NewAt(t, p).Elem(); !v.IsNil() {
			each(v)
		}
	case reflect.Array:
		for i := range t.Len() {
			w.headers(mem.RawAdd(p, uintptr(i)*t.Elem().Size()), t.Elem(), each)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			w.headers(mem.RawAdd(p, t.Field(i).Offset), t.Field(i).Type, each)
		}
	}
}
