package schema

import (
	"fmt"
	"reflect"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// Type is the encoding of Go values of type V. A Type never changes.
type Type[V any] struct{ n *node }

// These are the types of bools and numbers. Numbers are little-endian unless their names end in BE.
// Int and Uint take 8 bytes on every machine.
var (
	// Numbers are little-endian, unless their names end in BE. Int and Uint take 8 bytes on every
	// machine.
	Bool = leaf[bool](node{kind: kindBool, size: 1})

	U8, I8       = number[uint8](1, false), number[int8](1, false)
	U16, U16BE   = number[uint16](2, false), number[uint16](2, true)
	I16, I16BE   = number[int16](2, false), number[int16](2, true)
	U32, U32BE   = number[uint32](4, false), number[uint32](4, true)
	I32, I32BE   = number[int32](4, false), number[int32](4, true)
	U64, U64BE   = number[uint64](8, false), number[uint64](8, true)
	I64, I64BE   = number[int64](8, false), number[int64](8, true)
	Int, IntBE   = number[int](8, false), number[int](8, true)
	Uint, UintBE = number[uint](8, false), number[uint](8, true)
	F32, F32BE   = number[float32](4, false), number[float32](4, true)
	F64, F64BE   = number[float64](8, false), number[float64](8, true)
)

// Time is an instant, encoded as nanoseconds since 1970 in 8 bytes. The time that is read is in
// UTC. TimeZone also contains the name of the time zone, which the reader must know. Both types
// support the years 1678 to 2261, and the zero time.
var (
	Time     = leaf[time.Time](node{kind: kindTime})
	TimeZone = leaf[time.Time](node{kind: kindTimeZone})
)

// Str8, Str16 and Str32 are strings of up to 255, 65,535 and 4,294,967,295 bytes. Strings need not
// be UTF-8.
var Str8, Str16, Str32 = Str(H8), Str(H16), Str(H32)

func leaf[V any](n node) Type[V] {
	n.typ = reflect.TypeFor[V]()
	return Type[V]{&n}
}

func number[V any](size int, big bool) Type[V] {
	t := leaf[V](node{kind: kindInt, size: size, big: big})
	switch t.n.typ.Kind() {
	case reflect.Float32, reflect.Float64:
		t.n.kind = kindFloat
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		t.n.signed = true
	}
	return t
}

// Str returns a type for strings. The encoding is the length, followed by the bytes.
func Str(h Header) Type[string] { return leaf[string](h.node(kindString)) }

// Blob returns a type for []byte. The encoding is the length, followed by the bytes.
func Blob(h Header) Type[[]byte] { return leaf[[]byte](h.node(kindBlob)) }

// List returns a type for slices. The encoding is the number of elements, followed by the elements.
func List[E any](h Header, e Type[E]) Type[[]E] {
	n := h.node(kindList)
	n.elem = part(&n, e)
	n.newElems = newElems[E]
	return composite[[]E](n)
}

// newElems allocates an array of n elements. The number n must not be 0.
func newElems[E any](n int) mem.Raw { return mem.RawTo(&make([]E, n)[0]) }

// Array returns a type for the Go array type A, for example Array[[5]bool](Bool). The encoding
// consists of the elements, without a header.
func Array[A, E any](e Type[E]) Type[A] {
	n := node{kind: kindArray}
	n.elem = part(&n, e)
	t := reflect.TypeFor[A]()
	if t.Kind() == reflect.Array && t.Elem() == reflect.TypeFor[E]() {
		n.count = t.Len()
	} else {
		n.wrong("%v is no array of %v", t, reflect.TypeFor[E]())
	}
	return composite[A](n)
}

// Map returns a type for maps. The encoding is the number of entries, followed by the key and the
// value of each entry. The order of entries is random, unless [SortMaps] is set. If a key is
// repeated in the input, its last entry wins.
func Map[K comparable, V any](h Header, k Type[K], v Type[V]) Type[map[K]V] {
	type entry struct {
		Key   K
		Value V
	}
	n := h.node(kindMap)
	n.key, n.elem = part(&n, k), part(&n, v)
	n.mapOf = &mapOf{
		typ: reflect.TypeFor[map[K]V](),
		prepare: func(m mem.Pointer, n int) {
			switch p := mem.At[map[K]V](m, 0); {
			case *p != nil && !shrinks(len(*p), n):
				clear(*p)
			case *p != nil || n > 0:
				*p = make(map[K]V, n)
			}
		},
		put: func(m, e mem.Pointer) {
			entry := mem.At[entry](e, 0)
			(*mem.At[map[K]V](m, 0))[entry.Key] = entry.Value
		},
		value: reflect.TypeFor[entry]().Field(1).Offset,
		zero:  func(e mem.Pointer) { *mem.At[entry](e, 0) = entry{} },
	}
	n.mapOf.entries.New = func() any { return mem.PointerTo(new(entry)) }
	return composite[map[K]V](n)
}

// Opt returns a type for pointers. The encoding of nil is the byte 0. The encoding of any other
// pointer is the byte 1, followed by the value.
func Opt[V any](t Type[V]) Type[*V] {
	n := node{kind: kindOpt}
	n.elem = part(&n, t)
	n.newElem = func() mem.Raw { return mem.RawTo(new(V)) }
	return composite[*V](n)
}

// As returns the type t for another Go type with the same memory layout, such as a named type.
// Examples are As[Age](U8) and As[time.Duration](I64). If V and U are integer types, they may have
// different sizes, as in As[int](I32). If a number does not fit, the error is [ErrOverflow].
func As[V, U any](t Type[U]) Type[V] {
	var n node
	n.typ = reflect.TypeFor[V]()
	source := part(&n, t)
	n.wrongAs(source)
	c := source.copied(&node{}, make(map[*node]*node))
	c.typ, c.faults = n.typ, append(c.faults, n.faults...)
	return Type[V]{c}
}

func (n *node) wrongAs(source *node) {
	from := source.typ
	same := from == n.typ || integer(from) && integer(n.typ)
	if !same && (from.Kind() != n.typ.Kind() || !from.ConvertibleTo(n.typ) || from.Kind() == reflect.Interface) {
		n.wrong("%v cannot stand for %v: their memory layouts differ", n.typ, from)
	}
}

func integer(t reflect.Type) bool {
	return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr
}

// Self returns the type of the enclosing struct T, for recursive types:
//
//	Struct(F("value", …), F("next", func(l *Links) **Links { return &l.Next }, Opt(Self[Links]())))
//
// [MaxDepth] limits the depth of such values.
func Self[T any]() Type[T] {
	t := reflect.TypeFor[T]()
	return Type[T]{&node{kind: kindSelf, typ: t, open: []reflect.Type{t}}}
}

// part returns the node of t, which becomes a part of n.
func part[V any](n *node, t Type[V]) *node {
	if t.n == nil {
		n.wrong("its Type is the zero value")
		return &node{kind: kindStruct, typ: reflect.TypeFor[V]()}
	}
	return t.n
}

func composite[V any](n node) Type[V] {
	n.typ = reflect.TypeFor[V]()
	return Type[V]{n.opens()}
}

// wrong adds a mistake to n. If args contains types, it formats them with [wire.TypeName].
func (n *node) wrong(format string, args ...any) {
	for i, a := range args {
		if t, ok := a.(reflect.Type); ok {
			args[i] = wire.TypeName(t)
		}
	}
	n.faults = append(n.faults, mistake{text: fmt.Sprintf(format, args...)})
}
