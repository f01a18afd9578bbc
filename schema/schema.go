package schema

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// Schema reads and writes messages whose Go type is T. A Schema never changes, and may be used
// concurrently.
type Schema[T any] struct {
	pg      *program
	options options
	n       *node
}

// Struct is like [Build], but panics if there is a mistake. Use it for schemas in package
// variables.
func Struct[T any](fields ...Field[T]) *Schema[T] {
	s, err := Build(fields...)
	if err != nil {
		panic(err)
	}
	return s
}

// Build returns the schema of messages that contain the given fields of T in the given order. The
// error lists all mistakes.
func Build[T any](fields ...Field[T]) (*Schema[T], error) { return build[T](structOf(fields)) }

func build[T any](n *node) (*Schema[T], error) {
	for _, t := range n.open {
		n.wrong("Self[%v] is not inside a schema of %v", t, t)
	}
	if mistakes := n.mistakes(); len(mistakes) > 0 {
		return nil, mistakesOf(rootOf(n.typ), mistakes)
	}
	c := compiler{programs: make(map[*node]*program)}
	return &Schema[T]{pg: c.of(n), options: defaults, n: n}, nil
}

// Of returns the schema of messages that consist of one value of type t.
func Of[T any](t Type[T]) (*Schema[T], error) {
	n := node{typ: reflect.TypeFor[T]()}
	p := part(&n, t)
	if len(n.faults) > 0 {
		return nil, mistakesOf(rootOf(n.typ), n.faults)
	}
	return build[T](p)
}

// Part returns a type for the struct T with the given fields. It is like Struct(fields...).Type(),
// but may contain a [Self] of an enclosing struct.
func Part[T any](fields ...Field[T]) Type[T] { return Type[T]{structOf(fields)} }

// rootOf returns the name of t in error texts. For a struct type without a name, it returns
// "message", because the type's text would list all fields in each error.
func rootOf(t reflect.Type) string {
	if t.Name() == "" && t.Kind() == reflect.Struct {
		return "message"
	}
	return wire.TypeName(t)
}

func mistakesOf(root string, mistakes []mistake) error {
	var errs []error
	for _, m := range mistakes {
		err := fmt.Errorf("schema: %v: %s", join(root, m.path), m.text)
		if !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// structOf returns the node of a struct with these fields.
func structOf[T any](fields []Field[T]) *node {
	all := collect(fields)
	n := &node{kind: kindStruct, typ: reflect.TypeFor[T](), fields: all.list, faults: all.wrong}
	return n.structured()
}

// structured resolves references in the fields of the struct n, adds mistakes that concern several
// fields, and returns n.
func (n *node) structured() *node {
	for i := range n.fields {
		if f := &n.fields[i]; f.n != nil {
			f.n = f.n.bind(n)
		}
	}
	n.opens()
	if n.typ.Size() > math.MaxUint32 {
		n.wrong("it is larger than 4 GB")
	}
	n.listed()
	for i, f := range n.fields {
		for _, g := range n.fields[:i] {
			if f.inPlace() && g.inPlace() && f.off < g.off+g.n.typ.Size() && g.off < f.off+f.n.typ.Size() {
				n.faults = append(n.faults, mistake{f.name, "it has the same memory as " + g.name})
			}
		}
	}
	return n
}

// listed adds mistakes in the names and in the order of the fields of n.
func (n *node) listed() {
	names := make(map[string]bool)
	for i, f := range n.fields {
		wrong := func(text string) { n.faults = append(n.faults, mistake{f.name, text}) }
		if i > 0 && n.fields[i-1].tail && !f.tail {
			wrong("it follows a Tail")
		}
		switch {
		case f.n == nil:
			continue
		case f.name == "":
			wrong("a field has no name")
		case names[f.name]:
			wrong("two fields have this name")
		case len(f.name) > maxName || !utf8.ValidString(f.name):
			n.faults = append(n.faults, mistake{text: fmt.Sprintf("the name %.20q is longer than %d bytes, or not UTF-8", f.name, maxName)})
		}
		names[f.name] = true
	}
}

const maxName = 255

// inPlace reports whether no other field may use the memory at the field's offset. For a custom
// field, it returns false, because only the functions of the Custom know which part of the memory
// they use.
func (f *field) inPlace() bool {
	return f.n != nil && f.at == nil && f.get == nil && f.n.kind != kindCustom
}

// Type returns the schema as a type, which can be a part of other schemas.
func (s *Schema[T]) Type() Type[T] { return Type[T]{s.n} }

// With returns a copy of the schema with the given options. All other options keep their values.
func (s *Schema[T]) With(set ...Option) *Schema[T] {
	c := *s
	for _, o := range set {
		o(&c.options)
	}
	return &c
}

// Marshal returns the encoding of v as a new []byte.
func (s *Schema[T]) Marshal(v *T) ([]byte, error) { return s.Append(nil, v) }

// Append appends the encoding of v to dst. If dst has enough capacity, it does not allocate, except
// with SortMaps and for some maps. After an error, it returns dst unchanged, but may have written
// to the unused capacity of dst.
func (s *Schema[T]) Append(dst []byte, v *T) ([]byte, error) {
	_ = *v // a nil v panics here: an access far into a large T would not detect it
	var e encoder
	e.o = &s.options
	b := dst
	if cap(b)-len(b) < s.pg.least {
		b = mem.GrowRoom(b, s.pg.expected(s.n.place(mem.PointerTo(v))))
	}
	b = e.run(s.pg, s.n.place(mem.PointerTo(v)), 1, b)
	if e.fault != nil {
		return dst, e.fault.error(len(dst))
	}
	return b, nil
}

// Parse reads a message from b into v, and returns the rest of b. It sets only the fields that the
// schema defines. It reuses memory of v: maps, the arrays of slices, and the variables to which
// options point. After an error, the values of v's fields are unspecified, but v can still be used
// as a target of later calls. Parse never writes to the bytes of a string.
func (s *Schema[T]) Parse(b []byte, v *T) (rest []byte, err error) {
	_ = *v // see Append
	var d decoder
	d.start(b, s.pg, &s.options)
	i := d.run(s.pg, s.n.place(mem.PointerTo(v)), 1, 0)
	if i < 0 {
		return b, d.fault.error(0)
	}
	return b[i:], nil
}

// Unmarshal reads a message from b into v, as Parse does. If b continues after the message, it
// returns [ErrRest].
func (s *Schema[T]) Unmarshal(b []byte, v *T) error {
	_ = *v // see Append
	var d decoder
	d.start(b, s.pg, &s.options)
	switch i := d.run(s.pg, s.n.place(mem.PointerTo(v)), 1, 0); {
	case i < 0:
		return d.fault.error(0)
	case i < len(b):
		return &Error{Offset: int64(i), Cause: ErrRest}
	}
	return nil
}

// ParseAll returns an iterator over the messages in b. All messages are read into the same value of
// type T. The iterator ends after the first error.
func (s *Schema[T]) ParseAll(b []byte) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		if s.endless() {
			yield(nil, &Error{Cause: ErrEnd})
			return
		}
		v := new(T)
		for from := b; len(b) > 0; {
			rest, err := s.Parse(b, v)
			if err != nil {
				err.(*Error).Offset += int64(len(from) - len(b))
				yield(nil, err)
				return
			}
			if !yield(v, nil) {
				return
			}
			b = rest
		}
	}
}

// String returns the notation of the schema as one line of text, including the names of its fields.
func (s *Schema[T]) String() string {
	return pieceOf(s.n).String()
}
