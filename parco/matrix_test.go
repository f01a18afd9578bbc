package parco_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/internal/corpus/schemaoracle"
	. "github.com/slipstream-go/slipstream/parco"
)

// TestMatrix reads every kind of field, in every position of a model, from every source, by every entry.
func TestMatrix(t *testing.T) {
	var all []matrix.Kind
	all = append(all, positions("Bool", Bool())...)
	all = append(all, positions("Byte", Byte())...)
	all = append(all, positions("Int8", Int8())...)
	all = append(all, positions("UInt16LE", UInt16LE())...)
	all = append(all, positions("UInt16BE", UInt16BE())...)
	all = append(all, positions("Int32LE", Int32(le))...)
	all = append(all, positions("UInt32BE", UInt32(be))...)
	all = append(all, positions("Int64BE", Int64(be))...)
	all = append(all, positions("UInt64LE", UInt64(le))...)
	all = append(all, positions("IntLE", Int(le))...)
	all = append(all, positions("UIntBE", UInt(be))...)
	all = append(all, positions("Float32LE", Float32(le))...)
	all = append(all, positions("Float64BE", Float64(be))...)
	all = append(all, positions("SmallVarchar", SmallVarchar())...)
	all = append(all, positions("Varchar", Varchar())...)
	all = append(all, positions("VarcharBE", VarcharOrder(be))...)
	all = append(all, positions("Text", Text(le))...)
	all = append(all, positions("LongText", LongText(be))...)
	all = append(all, positions("Blob", Blob(UInt8Header()))...)
	all = append(all, positions("TimeUTC", TimeUTC())...)
	all = append(all, positions("TimeLocation", TimeLocation())...)
	all = append(all, positions[Pair]("Pair", Struct(pairBuilder))...)
	matrix.Run(t, matrix.Format{
		Messages: all,
		Subject:  func(k matrix.Kind) (*matrix.Subject, error) { return k.Data.(func() (*matrix.Subject, error))() },
		Fill:     fillTime,
		Spare:    true,
	})
}

// fillTime makes times that have bytes.
func fillTime(r *rand.Rand, v reflect.Value) bool {
	t, ok := v.Addr().Interface().(*time.Time)
	if ok {
		*t = time.Unix(0, int64(r.Uint64())).UTC()
	}
	return ok
}

// Pair is a model in others. Its fields are named by their numbers, as those of all models here.
type Pair struct {
	F1 *string
	F2 uint64
}

var pairBuilder = Builder[Pair](ObjectFactory[Pair]()).
	Option(OptionField(Varchar(), func(p *Pair, s *string) { p.F1 = s }, func(p *Pair) *string { return p.F1 })).
	UInt64(le, func(p *Pair) uint64 { return p.F2 }, func(p *Pair, n uint64) { p.F2 = n })

// positions are models with a V in every position.
func positions[V any](name string, t Type[V]) []matrix.Kind {
	type (
		first struct {
			F1 V
			F2 uint16
		}
		between struct {
			F1 string
			F2 V
			F3 string
		}
		optional struct {
			F1 *V
			F2 uint64
			F3 *V
		}
		listed struct {
			F1 []V
			F2 uint64
			F3 map[uint16]V
			F4 []V
			F5 map[string]V
		}
		inner struct {
			F1 *V
			F2 V
			F3 uint64
		}
		outer struct {
			F1 inner
			F2 []inner
			F3 map[string]inner
			F4 *inner
			F5 uint8
		}
	)
	inners := Builder[inner](ObjectFactory[inner]()).
		Option(OptionField(t, func(m *inner, v *V) { m.F1 = v }, func(m *inner) *V { return m.F1 })).
		Field(FixedField[inner, V]{Type: t, Setter: func(m *inner, v V) { m.F2 = v }, Getter: func(m *inner) V { return m.F2 }}).
		UInt64(le, func(m *inner) uint64 { return m.F3 }, func(m *inner, n uint64) { m.F3 = n })
	return []matrix.Kind{
		modelKind("first "+name, 2, Builder[first](ObjectFactory[first]()).
			Field(FixedField[first, V]{Type: t, Setter: func(m *first, v V) { m.F1 = v }, Getter: func(m *first) V { return m.F1 }}).
			UInt16LE(func(m *first) uint16 { return m.F2 }, func(m *first, n uint16) { m.F2 = n })),
		modelKind("between "+name, 3, Builder[between](ObjectFactory[between]()).
			SmallVarchar(func(m *between) string { return m.F1 }, func(m *between, s string) { m.F1 = s }).
			Field(FixedField[between, V]{Type: t, Setter: func(m *between, v V) { m.F2 = v }, Getter: func(m *between) V { return m.F2 }}).
			Varchar(func(m *between) string { return m.F3 }, func(m *between, s string) { m.F3 = s })),
		modelKind("optional "+name, 2, Builder[optional](ObjectFactory[optional]()).
			Option(OptionField(t, func(m *optional, v *V) { m.F1 = v }, func(m *optional) *V { return m.F1 })).
			UInt64(le, func(m *optional) uint64 { return m.F2 }, func(m *optional, n uint64) { m.F2 = n }).
			Option(OptionField(t, func(m *optional, v *V) { m.F3 = v }, func(m *optional) *V { return m.F3 }))),
		modelKind("listed "+name, 5, Builder[listed](ObjectFactory[listed]()).
			Slice(SliceField(UInt8Header(), t, func(m *listed, v SliceView[V]) { m.F1 = v }, func(m *listed) SliceView[V] { return m.F1 })).
			UInt64(le, func(m *listed) uint64 { return m.F2 }, func(m *listed, n uint64) { m.F2 = n }).
			Map(MapField(UInt16HeaderLE(), UInt16BE(), t, func(m *listed, v map[uint16]V) { m.F3 = v }, func(m *listed) map[uint16]V { return m.F3 })).
			Slice(SliceField(Int32BEHeader(), t, func(m *listed, v SliceView[V]) { m.F4 = v }, func(m *listed) SliceView[V] { return m.F4 })).
			Map(MapField(UInt8Header(), SmallVarchar(), t, func(m *listed, v map[string]V) { m.F5 = v }, func(m *listed) map[string]V { return m.F5 }))),
		modelKind("nested "+name, 5, Builder[outer](ObjectFactory[outer]()).
			Struct(StructField(func(m *outer) inner { return m.F1 }, func(m *outer, v inner) { m.F1 = v }, Struct(inners))).
			Slice(SliceField(UInt8Header(), Type[inner](Struct(inners)), func(m *outer, v SliceView[inner]) { m.F2 = v }, func(m *outer) SliceView[inner] { return m.F2 })).
			Map(MapField(UInt8Header(), SmallVarchar(), Type[inner](Struct(inners)), func(m *outer, v map[string]inner) { m.F3 = v }, func(m *outer) map[string]inner { return m.F3 })).
			Option(OptionField(Type[inner](Struct(inners)), func(m *outer, v *inner) { m.F4 = v }, func(m *outer) *inner { return m.F4 })).
			UInt8(func(m *outer) uint8 { return m.F5 }, func(m *outer, n uint8) { m.F5 = n })),
	}
}

// modelKind is the kind of the messages of a model. ParseBytes may find the fields from number required on missing.
func modelKind[T any](name string, required int, b ModelBuilder[T]) matrix.Kind {
	k := matrix.Kind{Name: name, Type: reflect.TypeFor[T]()}
	k.Data = func() (*matrix.Subject, error) {
		s, err := b.Schema()
		if err != nil {
			return nil, err
		}
		layout, err := schemaoracle.Parse(s.String())
		if err != nil {
			return nil, fmt.Errorf("%s: %v", name, err)
		}
		parser, compiler := b.Parco()
		o := schemaoracle.Options{
			Field:  func(name string) (string, bool) { return "F" + strings.TrimPrefix(name, "#"), true },
			Filled: true,
		}
		// A value that was read replaces that of the target, which so stays as it is after an error.
		oracle := func(l *schemaoracle.Layout) matrix.Decode {
			return func(b []byte, target reflect.Value) (int, error) {
				v := reflect.New(target.Type().Elem())
				n, err := l.Decode(b, v, o)
				if err == nil {
					target.Elem().Set(v.Elem())
				}
				return n, err
			}
		}
		put := func(target reflect.Value, v T, err error) error {
			if err == nil {
				*target.Interface().(*T) = v
			}
			return err
		}
		bytewise := func(open func(b []byte) io.Reader) matrix.Decode {
			return func(b []byte, target reflect.Value) (int, error) {
				v, err := parser.Parse(open(b))
				return -1, put(target, v, err)
			}
		}
		return &matrix.Subject{
			Encode: func(v reflect.Value) ([]byte, error) {
				var w bytes.Buffer
				err := compiler.Compile(v.Interface().(T), &w)
				return w.Bytes(), err
			},
			Oracle: oracle(layout),
			Ways: []matrix.Way{
				{Name: "ParseBytes", Oracle: oracle(layout.WithTail(required)), Bytes: func(b []byte, target reflect.Value) (int, error) {
					v, err := parser.ParseBytes(b)
					return -1, put(target, v, err)
				}},
				{Name: "Parse of a bytes.Buffer", Bytes: bytewise(func(b []byte) io.Reader { return bytes.NewBuffer(b) })},
				{Name: "Parse of a BufferCursor", Bytes: bytewise(func(b []byte) io.Reader {
					c := NewBufferCursor(b, 0)
					return &c
				})},
				{Name: "Parse", Stream: func(r io.Reader) func(reflect.Value) error {
					return func(target reflect.Value) error {
						v, err := parser.Parse(r)
						return put(target, v, err)
					}
				}},
			},
		}, nil
	}
	return k
}
