package parco

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"

	"github.com/slipstream-go/slipstream/internal/wire"
	"github.com/slipstream-go/slipstream/schema"
)

// layout is an interface that the types and models of this package implement, in addition to
// Parco's interfaces. A layout can become a part of a schema.
type layout[V any] interface {
	layout(d *draft) schema.Type[V]
}

// draft contains the purpose of a schema, and the state of building it.
type draft struct {
	gets, sets bool      // gets: the schema writes values, so fields must have getters; sets: it reads values, so fields must have setters
	tail       bool      // the input is one message, so options at its end may be missing
	open       []opening // models that enclose the current model, beginning with the outermost
	mistakes   []error
}

// opening is a model whose layout is being built.
type opening struct {
	id     *identity
	of     reflect.Type
	tailed any // the model, if options at its end may be missing here; in this case, a use of the model within itself needs a second layout
}

func (d *draft) wrong(of reflect.Type, format string, args ...any) {
	d.mistakes = append(d.mistakes, fmt.Errorf("parco: %s: "+format, append([]any{wire.TypeName(of)}, args...)...))
}

// schemaOf returns the schema of the layout l for the draft d. The error lists all mistakes.
func schemaOf[V any](l layout[V], d draft) (*schema.Schema[V], error) {
	t := l.layout(&d)
	if len(d.mistakes) > 0 {
		return nil, NewErrCompile(errors.Join(d.mistakes...).Error())
	}
	s, err := schema.Of(t)
	if err != nil {
		return nil, NewErrCompile(err.Error())
	}
	return s.With(schema.MaxDepth(maxDepth), schema.MaxBytes(maxBytes)), nil
}

const (
	maxDepth = 10_000  // maximum nesting of values of the same model
	maxBytes = 1 << 30 // maximum size in bytes of a message that is read
)

// layoutOf returns the layout of t. The type t may be from this package or another package.
func layoutOf[V any](d *draft, t Type[V]) schema.Type[V] {
	if t == nil {
		d.wrong(reflect.TypeFor[V](), "it has no type")
		return schema.Type[V]{}
	}
	if l, ok := own[V](t); ok {
		return l.layout(d)
	}
	return foreign(reflect.TypeOf(t).String(), t.ByteLength(), t, t)
}

// own returns v as a layout, if the type of v is declared in this package. A type from another
// package that embeds a type of this package also implements layout, but its other methods may
// differ, so own rejects it.
func own[V any](v any) (layout[V], bool) {
	l, ok := v.(layout[V])
	return l, ok && ours(v)
}

func ours(v any) bool {
	t := reflect.TypeOf(v)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.PkgPath() == reflect.TypeFor[draft]().PkgPath()
}

// foreign returns the layout of values that p reads and c writes. The types of p and c are from
// other packages.
func foreign[V any](name string, least int, p ParserType[V], c CompilerType[V]) schema.Type[V] {
	return schema.Custom(name, least,
		func(dst []byte, v *V) ([]byte, error) {
			return appended(dst, func(w io.Writer) error { return c.Compile(*v, w) })
		},
		func(r io.Reader, v *V) (err error) {
			*v, err = p.Parse(r)
			return err
		})
}

// appended calls the function `write`, and returns dst with the written bytes appended to it.
func appended(dst []byte, write func(w io.Writer) error) ([]byte, error) {
	a := appenders.Get().(*appender)
	a.b = dst
	err := write(a)
	dst, a.b = a.b, nil
	appenders.Put(a)
	return dst, err
}

// appender is an io.Writer that appends to a slice.
type appender struct{ b []byte }

func (a *appender) Write(b []byte) (int, error) {
	a.b = append(a.b, b...)
	return len(b), nil
}

var appenders = sync.Pool{New: func() any { return new(appender) }}
