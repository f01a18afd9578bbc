package schema

import (
	"reflect"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Field is a field of the struct type T.
type Field[T any] struct {
	list  []field
	wrong []mistake
}

// F returns a field of type t. The function `at`, called the accessor, returns the address of the
// field. Most accessors only select a field, like func(u *User) *string { return &u.Name }. In this
// case, F determines the field's offset when the schema is built, and never calls the accessor
// again. Any other accessor, such as one that follows a pointer, is called for each value. Such an
// accessor must return a valid address for every T, and a call takes about 7 ns.
//
// To check whether the accessor only selects a field, F calls it with several values of T with
// different contents. If the accessor returns the same field for all these values, F assumes that
// it always selects this field. So an accessor must not choose between two fields of the same type,
// depending on a value that does not occur in these calls.
func F[T, V any](name string, at func(*T) *V, t Type[V]) Field[T] {
	f := newField[T](name, t)
	if at == nil {
		f.list[0].at = func(p mem.Pointer) mem.Pointer { return p }
		return f.mistaken("its accessor is nil")
	}
	if off, ok := offsetOf(at); ok {
		f.list[0].off = off
	} else {
		f.list[0].at = func(p mem.Pointer) mem.Pointer {
			v := at(mem.At[T](p, 0))
			_ = *v // nil panics here, as in Append
			return mem.PointerTo(v)
		}
	}
	return f
}

// Get returns a computed field: the function `get` returns the value to write, and the function
// `set` receives the value that was read. Both functions are called for each value, and get is
// sometimes called twice. A call takes about 6 ns. Values other than numbers, bools, times and
// strings also use a sync.Pool.
func Get[T, V any](name string, t Type[V], get func(*T) V, set func(*T, V)) Field[T] {
	f := newField[T](name, t)
	if get == nil || set == nil {
		f.list[0].get = new(getter)
		return f.mistaken("its getter or setter is nil")
	}
	g := &getter{store: func(p, v mem.Pointer) { set(mem.At[T](p, 0), *mem.At[V](v, 0)) }}
	switch n := f.list[0].n; {
	case n.kind == kindString:
		g.text = func(p mem.Pointer) string {
			v := get(mem.At[T](p, 0))
			return *mem.At[string](mem.PointerTo(&v), 0)
		}
		g.setText = func(p mem.Pointer, s string) { set(mem.At[T](p, 0), *mem.At[V](mem.PointerTo(&s), 0)) }
	case n.kind == kindTime:
		g.word = func(p mem.Pointer) (uint64, bool) {
			v := get(mem.At[T](p, 0))
			return nanoseconds(mem.At[time.Time](mem.PointerTo(&v), 0))
		}
		g.setWord = func(p mem.Pointer, w uint64) bool {
			var v V
			*mem.At[time.Time](mem.PointerTo(&v), 0) = instant(w)
			set(mem.At[T](p, 0), v)
			return true
		}
	case n.kind <= kindBool:
		c := n.conversion()
		g.word = func(p mem.Pointer) (uint64, bool) {
			v := get(mem.At[T](p, 0))
			return c.load(mem.PointerTo(&v))
		}
		g.setWord = func(p mem.Pointer, w uint64) bool {
			var v V
			if !c.store(mem.PointerTo(&v), w) {
				return false
			}
			set(mem.At[T](p, 0), v)
			return true
		}
	default:
		g.load = func(p, v mem.Pointer) { *mem.At[V](v, 0) = get(mem.At[T](p, 0)) }
		g.zeroValue = func(v mem.Pointer) { clear(mem.At[[1]V](v, 0)[:]) }
		g.values.New = func() any { return mem.PointerTo(new(V)) }
	}
	f.list[0].get = g
	return f
}

// Skip returns a field of n reserved bytes. They are written as zeros, and ignored when read.
func Skip[T any](n int) Field[T] {
	f := Field[T]{list: []field{{skip: n}}}
	if n < 0 || n > maxSkip {
		f.list[0].skip = 0
		return f.mistaken("Skip takes 0 to 1,048,576 bytes")
	}
	return f
}

const maxSkip = 1 << 20

// Tail returns a field that contains the last fields of a message, which older writers do not know.
// If the input ends exactly before one of these fields, this field and all later fields are set to
// zero. The end of the input is the end of the message. So a schema with a Tail reads only whole
// messages: it cannot be part of another type, and a stream of its messages cannot be read without
// frames.
func Tail[T any](fields ...Field[T]) Field[T] {
	t := collect(fields)
	for i := range t.list {
		t.list[i].tail = true
	}
	return t
}

func collect[T any](fields []Field[T]) Field[T] {
	var all Field[T]
	for _, f := range fields {
		all.list, all.wrong = append(all.list, f.list...), append(all.wrong, f.wrong...)
	}
	return all
}

func newField[T, V any](name string, t Type[V]) Field[T] {
	var n node
	f := Field[T]{list: []field{{name: name, n: part(&n, t)}}}
	for _, m := range n.faults {
		f = f.mistaken(m.text)
	}
	return f
}

func (f Field[T]) mistaken(text string) Field[T] {
	f.wrong = append(f.wrong, mistake{f.list[0].name, text})
	return f
}

// offsetOf returns the offset of the field of T that the accessor selects, and reports whether the
// accessor only selects a field.
func offsetOf[T, V any](at func(*T) *V) (off uintptr, ok bool) {
	t, v := reflect.TypeFor[T](), reflect.TypeFor[V]()
	for round := range fillings {
		p := new(T)
		fill(mem.PointerTo(p), t, round)
		first, ok := call(at, p)
		again, _ := call(at, p)
		found := uintptr(mem.RawTo(first)) - uintptr(mem.RawTo(p))
		if !ok || first != again || found >= max(t.Size(), 1) || !liesAt(t, found, v) || round > 0 && found != off {
			return 0, false
		}
		off = found
	}
	return off, true
}

// call returns at(p). If the call panics or returns nil, ok is false.
func call[T, V any](at func(*T) *V, p *T) (v *V, ok bool) {
	defer func() { ok = recover() == nil && v != nil }()
	return at(p), true
}

// liesAt reports whether a value of type t contains a field or element of type v at offset off.
func liesAt(t reflect.Type, off uintptr, v reflect.Type) bool {
	switch {
	case t == v && off == 0:
		return true
	case t.Kind() == reflect.Array && t.Elem().Size() > 0:
		return off < t.Size() && liesAt(t.Elem(), off%t.Elem().Size(), v)
	case t.Kind() != reflect.Struct:
		return false
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Offset <= off && off-f.Offset <= f.Type.Size() && liesAt(f.Type, off-f.Offset, v) {
			return true
		}
	}
	return false
}

// fillings is the number of rounds that the function `fill` supports.
const fillings = 4

// fill fills the value of type t at p, which must be zero. In round 0, it leaves the value zero. In
// other rounds, the contents of numbers, flags, strings and pointers depend on the round.
func fill(p mem.Pointer, t reflect.Type, round int) {
	if round == 0 {
		return
	}
	switch t.Kind() {
	case reflect.Bool:
		*mem.At[bool](p, 0) = round != 2
	case reflect.String:
		*mem.At[string](p, 0) = "filled"[:2*round]
	case reflect.Pointer:
		if round > 1 {
			*mem.At[mem.Raw](p, 0) = mem.NewAt(t.Elem())
		}
	case reflect.Slice:
		mem.GrowSlice(mem.At[mem.Slice](p, 0), t, round)
		mem.At[mem.Slice](p, 0).Len = round
	case reflect.Map:
		reflect.NewAt(t, mem.RawAs(p, t)).Elem().Set(reflect.MakeMap(t))
	case reflect.Array:
		for i := range t.Len() {
			fill(mem.Add(p, uintptr(i)*t.Elem().Size()), t.Elem(), round)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Type.Size() > 0 {
				fill(mem.Add(p, f.Offset), f.Type, round)
			}
		}
	case reflect.UnsafePointer:
		if round > 1 {
			*mem.At[mem.Raw](p, 0) = mem.RawOf(p)
		}
	case reflect.Interface, reflect.Func, reflect.Chan:
		if round > 1 {
			reflect.NewAt(t, mem.RawAs(p, t)).Elem().Set(something(t))
		}
	default: // numbers
		for i := range mem.View(p, int(t.Size())) {
			*mem.At[byte](p, uintptr(i)) = [fillings]byte{0, 0xff, 0x01, 0x5a}[round]
		}
	}
}

// something returns a non-nil value of type t. For an interface with unexported methods, it returns
// nil, because no value of such an interface can be made.
func something(t reflect.Type) (v reflect.Value) {
	switch {
	case t.Kind() == reflect.Chan:
		return reflect.MakeChan(reflect.ChanOf(reflect.BothDir, t.Elem()), 0).Convert(t)
	case t.Kind() == reflect.Func:
		return reflect.MakeFunc(t, nil)
	case t.NumMethod() == 0:
		return reflect.ValueOf(struct{}{})
	}
	defer func() {
		if recover() != nil {
			v = reflect.Zero(t)
		}
	}()
	return reflect.Zero(reflect.StructOf([]reflect.StructField{{Name: "Any", Type: t, Anonymous: true}})) // this struct has the methods of t
}
