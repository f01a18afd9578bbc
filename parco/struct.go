package parco

import (
	"io"
	"reflect"

	"github.com/slipstream-go/slipstream/schema"
)

// StructType makes a model usable as a type in other models. The encoding consists of the model's
// fields, without a header.
type StructType[T any] struct {
	ParserType[T]
	CompilerType[T]
}

// Struct returns the model b as a type. To define a recursive type, use the result of Struct within
// the same model:
//
//	b = b.Option(OptionField(Struct(b), …))
func Struct[T any](b ModelBuilder[T]) StructType[T] { return StructType[T]{b, b} }

// StructPar returns a model whose values can only be read.
func StructPar[T any](parser ParserType[T]) StructType[T] { return StructType[T]{ParserType: parser} }

// StructCo returns a model whose values can only be written.
func StructCo[T any](compiler CompilerType[T]) StructType[T] {
	return StructType[T]{CompilerType: compiler}
}

// StructParco returns a model with the given parser and compiler.
func StructParco[T any](parser ParserType[T], compiler CompilerType[T]) StructType[T] {
	return StructType[T]{parser, compiler}
}

// ByteLength returns the total size of the fields. For fields of variable size, it counts only the
// headers.
func (s StructType[T]) ByteLength() int {
	for _, side := range []any{s.ParserType, s.CompilerType} {
		if m, ok := side.(modeled[T]); ok && ours(side) {
			return m.fields().byteLength()
		}
	}
	return 0
}

// Parse reads a value of type T. It returns an error if values of the model can only be written.
func (s StructType[T]) Parse(r io.Reader) (T, error) {
	if s.ParserType == nil {
		return *new(T), errNoParser
	}
	return s.ParserType.Parse(r)
}

// Compile writes item to w. It returns an error if values of the model can only be read.
func (s StructType[T]) Compile(item T, w io.Writer) error {
	if s.CompilerType == nil {
		return errNoCompiler
	}
	return s.CompilerType.Compile(item, w)
}

var errNoParser, errNoCompiler = NewErrCompile("parco: the struct has no parser"), NewErrCompile("parco: the struct has no compiler")

func (s StructType[T]) layout(d *draft) schema.Type[T] {
	of := reflect.TypeFor[T]()
	switch {
	case d.sets && s.ParserType == nil:
		d.wrong(of, "the struct has no parser")
	case d.gets && s.CompilerType == nil:
		d.wrong(of, "the struct has no compiler")
	case d.sets && d.gets:
		p, isParser := own[T](s.ParserType)
		c, isCompiler := own[T](s.CompilerType)
		switch {
		case isParser && isCompiler && same[T](p, c):
			return p.layout(d)
		case isParser || isCompiler:
			d.wrong(of, "the struct is read by one model and written by another")
		default:
			return foreign(reflect.TypeOf(s.CompilerType).String(), 0, s.ParserType, s.CompilerType)
		}
	case d.sets:
		if l, ok := own[T](s.ParserType); ok {
			return l.layout(d)
		}
		return foreign[T](reflect.TypeOf(s.ParserType).String(), 0, s.ParserType, nil)
	default:
		if l, ok := own[T](s.CompilerType); ok {
			return l.layout(d)
		}
		return foreign[T](reflect.TypeOf(s.CompilerType).String(), 0, nil, s.CompilerType)
	}
	return schema.Type[T]{}
}

// same reports whether p and c have the same model.
func same[T any](p, c any) bool {
	m, ok := p.(modeled[T])
	n, also := c.(modeled[T])
	return ok && also && m.fields() == n.fields()
}
