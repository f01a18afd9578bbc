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

// layout is what the types and models of this package are besides what Parco's interfaces say: they
// can be a part of a schema.
type layout[V any] interface {
	layout(d *draft) schema.Type[V]
}

// draft is what a schema is made for, and where in it the making is.
type draft struct {
	gets, sets bool      // values are written by it, and read: which functions of fields must be there
	tail       bool      // the input is one message: options at its end may be missing
	open       []opening // models that the current one lies in, from the outermost
	mistakes   []error
}

// opening is a model that is being laid out.
type opening struct {
	id     *identity
	of     reflect.Type
	tailed any // the model, if options at its end may be missing here: where it lies in itself it is laid out once more
}

func (d *draft) wrong(of reflect.Type, format string, args ...any) {
	d.mistakes = append(d.mistakes, fmt.Errorf("parco: %s: "+format, append([]any{wire.TypeName(of)}, args...)...))
}

// schemaOf is the schema that l makes for d. Its error lists every mistake.
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
	maxDepth = 10_000  // how deep a value may lie in others of its own model
	maxBytes = 1 << 30 // how many bytes a message may take that is read
)

// layoutOf is the layout of t, of this package or another.
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

// own is v as a layout, if its type is of this package. Types that embed one of ours have its
// layout too, but may have other methods.
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

// foreign is the layout of values that are read and written by what is not of this package.
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

// appended is dst with what write writes.
func appended(dst []byte, write func(w io.Writer) error) ([]byte, error) {
	a := appenders.Get().(*appender)
	a.b = dst
	err := write(a)
	dst, a.b = a.b, nil
	appenders.Put(a)
	return dst, err
}

// appender is a slice as a writer.
type appender struct{ b []byte }

func (a *appender) Write(b []byte) (int, error) {
	a.b = append(a.b, b...)
	return len(b), nil
}

var appenders = sync.Pool{New: func() any { return new(appender) }}
