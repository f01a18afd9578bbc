package parco

import (
	"io"
	"reflect"

	"github.com/slipstream-go/slipstream/schema"
)

// Getter is a function that returns the value of a field, which is then written. Setter is a
// function that sets a field to the value that was read.
type (
	Getter[T, U any] func(*T) U
	Setter[T, U any] func(*T, U)
)

// Field is a field of the struct type T. A model compiles the fields of this package into its
// schema. It may also contain fields of your own types. Their methods are called for each T, and
// must not read bytes after the field.
type Field[T, U any] interface {
	ID() string
	Parse(*T, io.Reader) error
	Compile(*T, io.Writer) error
}

// part is implemented by the fields of this package.
type part[T any] interface {
	layout(d *draft, name string) schema.Field[T]
	byteLength() int
}

// FixedField is a field of any type.
type FixedField[T, U any] struct {
	Id     string
	Type   Type[U]
	Setter Setter[T, U]
	Getter Getter[T, U]
}

// ID returns the name by which errors identify the field. If the name is empty, errors contain the
// number of the field instead: #1 is the first field.
func (f FixedField[T, U]) ID() string { return f.Id }

// Parse reads a value from r, and sets the field of *item to this value.
func (f FixedField[T, U]) Parse(item *T, r io.Reader) error {
	v, err := f.Type.Parse(r)
	if err == nil {
		f.Setter(item, v)
	}
	return err
}

// Compile writes the value of the field of *item to w.
func (f FixedField[T, U]) Compile(item *T, w io.Writer) error {
	return f.Type.Compile(f.Getter(item), w)
}

func (f FixedField[T, U]) byteLength() int { return f.Type.ByteLength() }

func (f FixedField[T, U]) layout(d *draft, name string) schema.Field[T] {
	if f.Id != "" {
		name = f.Id
	}
	t, _ := any(f.Type).(*typed[U])
	if t != nil && t.padding != nil {
		return schema.Skip[T](*t.padding)
	}
	get, set := f.Getter, f.Setter
	switch {
	case get != nil:
	case d.gets:
		d.wrong(reflect.TypeFor[T](), "%s has no getter", name)
	default:
		get = func(*T) U { return *new(U) }
	}
	switch {
	case set == nil && d.sets:
		d.wrong(reflect.TypeFor[T](), "%s has no setter", name)
	case set == nil:
		set = func(*T, U) {}
	case t != nil && t.filled != nil:
		set = func(item *T, v U) {
			t.filled(&v)
			f.Setter(item, v)
		}
	}
	return schema.Get(name, layoutOf(d, f.Type), get, set)
}

// BasicSliceField is the type of the fields that [SliceField] returns. BasicArrayField is the type
// of the fields that [ArrayField] returns.
type (
	BasicSliceField[T, U any] = FixedField[T, SliceView[U]]
	BasicArrayField[T, U any] = FixedField[T, SliceView[U]]
)

// OptionalField is a field that may be missing.
type OptionalField[T, U any] struct{ FixedField[T, *U] }

func (OptionalField[T, U]) optional() {}

// The functions below return fields. Some of them take the type of the field, and others take its
// header and the types of its parts. A field without a setter can only be written, and a field
// without a getter can only be read. Note that the order of the getter and the setter differs
// between these functions, as in Parco.

// SliceField returns a field that contains a slice. The encoding is the number of elements,
// followed by the elements.
func SliceField[T, U any](header IntType, inner Type[U], setter Setter[T, SliceView[U]], getter Getter[T, SliceView[U]]) Field[T, U] {
	return FixedField[T, SliceView[U]]{Type: sliceOf(header, inner), Setter: setter, Getter: getter}
}

func SliceFieldGetter[T, U any](header IntType, inner Type[U], getter Getter[T, SliceView[U]]) Field[T, U] {
	return SliceField(header, inner, nil, getter)
}

func SliceFieldSetter[T, U any](header IntType, inner Type[U], setter Setter[T, SliceView[U]]) Field[T, U] {
	return SliceField(header, inner, setter, nil)
}

// ArrayField returns a field with a fixed number of elements. The argument `length` is this number.
func ArrayField[T, U any](length int, inner Type[U], setter Setter[T, SliceView[U]], getter Getter[T, SliceView[U]]) Field[T, U] {
	return FixedField[T, SliceView[U]]{Type: arrayOf(length, inner), Setter: setter, Getter: getter}
}

func ArrayFieldGetter[T, U any](length int, inner Type[U], getter Getter[T, SliceView[U]]) Field[T, U] {
	return ArrayField(length, inner, nil, getter)
}

func ArrayFieldSetter[T, U any](length int, inner Type[U], setter Setter[T, SliceView[U]]) Field[T, U] {
	return ArrayField(length, inner, setter, nil)
}

// MapField returns a field that contains a map. The encoding is the number of entries, followed by
// the entries.
func MapField[T any, K comparable, V any](header IntType, keyType Type[K], valueType Type[V], setter Setter[T, map[K]V],
	getter Getter[T, map[K]V]) Field[T, map[K]V] {
	return FixedField[T, map[K]V]{Type: MapType(header, keyType, valueType), Setter: setter, Getter: getter}
}

func MapFieldGetter[T any, K comparable, V any](header IntType, keyType Type[K], valueType Type[V],
	getter Getter[T, map[K]V]) Field[T, map[K]V] {
	return MapField(header, keyType, valueType, nil, getter)
}

func MapFieldSetter[T any, K comparable, V any](header IntType, keyType Type[K], valueType Type[V],
	setter Setter[T, map[K]V]) Field[T, map[K]V] {
	return MapField(header, keyType, valueType, setter, nil)
}

// OptionField returns a field that may be missing.
func OptionField[T, U any](tp Type[U], setter Setter[T, *U], getter Getter[T, *U]) OptionalField[T, U] {
	return OptionalField[T, U]{FixedField[T, *U]{Type: Option(tp), Setter: setter, Getter: getter}}
}

func OptionFieldGetter[T, U any](tp Type[U], getter Getter[T, *U]) OptionalField[T, U] {
	return OptionField(tp, nil, getter)
}

func OptionFieldSetter[T, U any](tp Type[U], setter Setter[T, *U]) OptionalField[T, U] {
	return OptionField(tp, setter, nil)
}

type structType[T any] interface {
	ParserType[T]
	CompilerType[T]
}

// StructField returns a field whose type is a model: a [ModelBuilder], a [Struct], or your own
// implementation.
func StructField[T, U any](getter Getter[T, U], setter Setter[T, U], inner structType[U]) Field[T, U] {
	return FixedField[T, U]{Type: StructType[U]{inner, inner}, Setter: setter, Getter: getter}
}

func StructFieldGetter[T, U any](getter Getter[T, U], compiler CompilerType[U]) Field[T, U] {
	return FixedField[T, U]{Type: StructCo(compiler), Getter: getter}
}

func StructFieldSetter[T, U any](setter Setter[T, U], parser ParserType[U]) Field[T, U] {
	return FixedField[T, U]{Type: StructPar(parser), Setter: setter}
}
