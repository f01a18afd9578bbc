package parco

import (
	"io"
	"reflect"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/schema"
)

// model contains the fields of a T in order. It is immutable.
type model[T any] struct {
	id      *identity
	list    []entry[T]
	factory Factory[T]
}

// identity is shared by a model and all models that are created by adding fields to it.
type identity struct{ grown atomic.Bool }

// entry is a field with its parser, its compiler, or both.
type entry[T any] struct {
	parse   fieldParser[T]
	compile fieldCompiler[T]
}

type fieldParser[T any] interface {
	Parse(item *T, r io.Reader) error
}

type fieldCompiler[T any] interface {
	Compile(item *T, w io.Writer) error
}

type fieldBuilder[T any] interface {
	fieldParser[T]
	fieldCompiler[T]
}

// modeled is a Parser, a Compiler or a ModelBuilder.
type modeled[T any] interface{ fields() *model[T] }

func newModel[T any](f Factory[T]) *model[T] { return &model[T]{id: new(identity), factory: f} }

// with returns a copy of m with one more field, e.
func (m *model[T]) with(e entry[T]) *model[T] {
	return &model[T]{m.id, append(slices.Clip(m.list), e), m.factory}
}

// codec returns a codec for values of the model m.
func (m *model[T]) codec() *codec[T] {
	c := &codec[T]{of: m, tail: m.required() < len(m.list)}
	if f, ok := m.factory.(PoolFactory[T]); ok {
		c.drop = f.Put
	}
	return c
}

// required returns the number of fields before the options at the end.
func (m *model[T]) required() int {
	n := len(m.list)
	for ; n > 0; n-- {
		if _, ok := m.list[n-1].parse.(interface{ optional() }); !ok || !ours(m.list[n-1].parse) {
			break
		}
	}
	return n
}

func (m *model[T]) byteLength() int {
	n := 0
	for _, e := range m.list {
		for _, side := range []any{e.parse, e.compile} {
			if f, ok := side.(part[T]); ok && ours(side) {
				n += f.byteLength()
				break
			}
		}
	}
	return n
}

func (m *model[T]) layout(d *draft) schema.Type[T] {
	of := reflect.TypeFor[T]()
	nearest := true
	for _, o := range slices.Backward(d.open) {
		switch {
		case o.id == m.id && nearest && o.tailed == nil:
			return schema.Self[T]()
		case o.id == m.id && nearest:
			return o.tailed.(*model[T]).part(d)
		case o.id == m.id:
			d.wrong(of, "the model contains itself, with another model of its type in between")
			return schema.Type[T]{}
		}
		nearest = nearest && o.of != of
	}
	if len(m.list) == 0 && m.id.grown.Load() {
		d.wrong(of, "the builder has no fields: they were added to the builders that its methods returned")
	}
	return m.part(d)
}

// part returns the layout of the fields of m. A message may end before the options at the end of
// the outermost model. If the model is also used within itself, the inner uses must contain all
// options.
func (m *model[T]) part(d *draft) schema.Type[T] {
	o := opening{id: m.id, of: reflect.TypeFor[T]()}
	required := len(m.list)
	if d.tail && len(d.open) == 0 && m.required() < required {
		o.tailed, required = m, m.required()
	}
	d.open = append(d.open, o)
	var fields []schema.Field[T]
	if d.sets && !d.gets && m.makes() {
		fields = append(fields, m.made())
	}
	for k, e := range m.list {
		f := e.layout(d, "#"+strconv.Itoa(k+1))
		if k >= required {
			f = schema.Tail(f)
		}
		fields = append(fields, f)
	}
	d.open = d.open[:len(d.open)-1]
	return schema.Part(fields...)
}

// makes reports whether the factory creates values other than zero values.
func (m *model[T]) makes() bool {
	_, zero := m.factory.(zeroFactory[T])
	return m.factory != nil && !zero
}

// made returns a field without bytes, which precedes all other fields. Reading this field sets the
// whole value to a new value from the factory.
func (m *model[T]) made() schema.Field[T] {
	return whole("#0", schema.Custom("factory", 0,
		func(dst []byte, _ *T) ([]byte, error) { return dst, nil },
		func(_ io.Reader, v *T) error {
			*v = m.factory.Get()
			return nil
		}))
}

// whole returns a field that consists of the entire T.
func whole[T any](name string, t schema.Type[T]) schema.Field[T] {
	return schema.F(name, func(v *T) *T { return v }, t)
}

// layout returns the field with the given name.
func (e entry[T]) layout(d *draft, name string) schema.Field[T] {
	var f any = e.parse
	switch {
	case d.sets && e.parse == nil:
		d.wrong(reflect.TypeFor[T](), "%s cannot be read", name)
		return schema.Skip[T](0)
	case d.gets && e.compile == nil:
		d.wrong(reflect.TypeFor[T](), "%s cannot be written", name)
		return schema.Skip[T](0)
	case !d.sets:
		f = e.compile
	}
	if p, ok := f.(part[T]); ok && ours(f) {
		return p.layout(d, name)
	}
	return whole(name, schema.Custom(reflect.TypeOf(f).String(), 0,
		func(dst []byte, v *T) ([]byte, error) {
			return appended(dst, func(w io.Writer) error { return e.compile.Compile(v, w) })
		},
		func(r io.Reader, v *T) error { return e.parse.Parse(v, r) }))
}
