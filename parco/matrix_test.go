package parco_test

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/internal/corpus/schemaoracle"
	. "github.com/slipstream-go/slipstream/parco"
)

// TestMatrix reads every kind of field, in every position of a model, from every source, with every
// exported function.
func TestMatrix(t *testing.T) {
	all := []matrix.Kind{
		modelKind("numbers", 12, numbersNotation, numbersBuilder()),
		modelKind("texts", 9, textsNotation, textsBuilder()),
		modelKind("lists", 7, listsNotation, listsBuilder()),
		modelKind("note", 1, noteNotation, noteBuilder()),
		modelKind("widths", 13, widthsNotation, widthsBuilder()),
		modelKind("parts", 4, partsNotation, partsBuilder()),
		modelKind("tree", 2, treeNotation, treeBuilder()),
		modelKind("series", 21, seriesNotation, seriesBuilder()),
		registryKind(),
	}
	matrix.Run(t, matrix.Format{
		Messages: all,
		Subject:  func(k matrix.Kind) (*matrix.Subject, error) { return k.Data.(func() (*matrix.Subject, error))() },
		Fill:     fillModel,
		Spare:    true,
		Tangled:  true,
	})
}

// The names of the fields are their numbers.
type (
	numbers struct {
		F1  bool
		F2  int8
		F3  uint16
		F4  *bool
		F5  int32
		F6  uint64
		F7  *uint64
		F8  int
		F9  float64
		F10 *uint16
		F11 time.Time
		F12 uint8
	}
	texts struct {
		F1 string
		F2 uint16
		F3 *string
		F4 *string
		F5 string
		F6 []byte
		F7 *string
		F8 time.Time
		F9 string
	}
	note struct {
		F1 uint8
		F2 *string
		F3 *uint64
	}
	lists struct {
		F1 []note
		F2 uint64
		F3 map[string]string
		F4 []string
		F5 map[uint16]note
		F6 *note
		F7 []*string
		F8 *string
	}
)

func numbersBuilder() ModelBuilder[numbers] {
	return Builder[numbers](nil).
		Bool(func(m *numbers) bool { return m.F1 }, func(m *numbers, v bool) { m.F1 = v }).
		Int8(func(m *numbers) int8 { return m.F2 }, func(m *numbers, v int8) { m.F2 = v }).
		UInt16BE(func(m *numbers) uint16 { return m.F3 }, func(m *numbers, v uint16) { m.F3 = v }).
		Option(OptionField(Bool(), func(m *numbers, v *bool) { m.F4 = v }, func(m *numbers) *bool { return m.F4 })).
		Int32(le, func(m *numbers) int32 { return m.F5 }, func(m *numbers, v int32) { m.F5 = v }).
		UInt64(be, func(m *numbers) uint64 { return m.F6 }, func(m *numbers, v uint64) { m.F6 = v }).
		Option(OptionField(UInt64(le), func(m *numbers, v *uint64) { m.F7 = v }, func(m *numbers) *uint64 { return m.F7 })).
		Int(le, func(m *numbers) int { return m.F8 }, func(m *numbers, v int) { m.F8 = v }).
		Float64(be, func(m *numbers) float64 { return m.F9 }, func(m *numbers, v float64) { m.F9 = v }).
		Option(OptionField(UInt16BE(), func(m *numbers, v *uint16) { m.F10 = v }, func(m *numbers) *uint16 { return m.F10 })).
		TimeUTC(func(m *numbers) time.Time { return m.F11 }, func(m *numbers, v time.Time) { m.F11 = v }).
		UInt8(func(m *numbers) uint8 { return m.F12 }, func(m *numbers, v uint8) { m.F12 = v })
}

func textsBuilder() ModelBuilder[texts] {
	return Builder[texts](nil).
		SmallVarchar(func(m *texts) string { return m.F1 }, func(m *texts, v string) { m.F1 = v }).
		UInt16LE(func(m *texts) uint16 { return m.F2 }, func(m *texts, v uint16) { m.F2 = v }).
		Option(OptionField(SmallVarchar(), func(m *texts, v *string) { m.F3 = v }, func(m *texts) *string { return m.F3 })).
		Option(OptionField(Text(be), func(m *texts, v *string) { m.F4 = v }, func(m *texts) *string { return m.F4 })).
		Varchar(func(m *texts) string { return m.F5 }, func(m *texts, v string) { m.F5 = v }).
		Field(FixedField[texts, []byte]{Type: Blob(UInt8Header()), Getter: func(m *texts) []byte { return m.F6 }, Setter: func(m *texts, v []byte) { m.F6 = v }}).
		Option(OptionField(Varchar(), func(m *texts, v *string) { m.F7 = v }, func(m *texts) *string { return m.F7 })).
		TimeLocation(func(m *texts) time.Time { return m.F8 }, func(m *texts, v time.Time) { m.F8 = v }).
		Field(FixedField[texts, string]{Type: LongText(le), Getter: func(m *texts) string { return m.F9 }, Setter: func(m *texts, v string) { m.F9 = v }})
}

func noteBuilder() ModelBuilder[note] {
	return Builder[note](nil).
		UInt8(func(m *note) uint8 { return m.F1 }, func(m *note, v uint8) { m.F1 = v }).
		Option(OptionField(Varchar(), func(m *note, v *string) { m.F2 = v }, func(m *note) *string { return m.F2 })).
		Option(OptionField(UInt64(le), func(m *note, v *uint64) { m.F3 = v }, func(m *note) *uint64 { return m.F3 }))
}

func listsBuilder() ModelBuilder[lists] {
	notes := Struct(noteBuilder())
	return Builder[lists](nil).
		Slice(SliceField(UInt8Header(), notes, func(m *lists, v SliceView[note]) { m.F1 = v }, func(m *lists) SliceView[note] { return m.F1 })).
		UInt64(le, func(m *lists) uint64 { return m.F2 }, func(m *lists, v uint64) { m.F2 = v }).
		Map(MapField(UInt16HeaderLE(), SmallVarchar(), Varchar(), func(m *lists, v map[string]string) { m.F3 = v }, func(m *lists) map[string]string { return m.F3 })).
		Slice(SliceField(Int32BEHeader(), SmallVarchar(), func(m *lists, v SliceView[string]) { m.F4 = v }, func(m *lists) SliceView[string] { return m.F4 })).
		Map(MapField(UInt8Header(), UInt16BE(), notes, func(m *lists, v map[uint16]note) { m.F5 = v }, func(m *lists) map[uint16]note { return m.F5 })).
		Option(OptionField(notes, func(m *lists, v *note) { m.F6 = v }, func(m *lists) *note { return m.F6 })).
		Slice(SliceField(UInt8Header(), Option(Varchar()), func(m *lists, v SliceView[*string]) { m.F7 = v }, func(m *lists) SliceView[*string] { return m.F7 })).
		Option(OptionField(SmallVarchar(), func(m *lists, v *string) { m.F8 = v }, func(m *lists) *string { return m.F8 }))
}

// These constants contain the encodings of the models in the notation of package schema. They are
// spelled out here, so that a field with another order or size fails the test.
const (
	numbersNotation = "{#1 bool, #2 i8, #3 u16be, #4 opt(bool), #5 i32, #6 u64be, #7 opt(u64), #8 i64, #9 f64be, #10 opt(u16be), #11 time, #12 u8}"
	textsNotation   = "{#1 str8, #2 u16, #3 opt(str8), #4 opt(str32be), #5 str16, #6 blob8, #7 opt(str16), #8 timezone, #9 str64}"
	listsNotation   = "{#1 list8(" + noteNotation + "), #2 u64, #3 map16(str8,str16), #4 listi32be(str8), #5 map8(u16be," + noteNotation + "), " +
		"#6 opt(" + noteNotation + "), #7 list8(opt(str16)), #8 opt(str8)}"
	noteNotation   = "{#1 u8, #2 opt(str16), #3 opt(u64)}"
	treeNotation   = "{#1 list8(^0), #2 u8, #3 opt(^0)}"
	widthsNotation = "{#1 f32, #2 i16, #3 i64be, #4 u64, #5 u32be, #6 u8, skip3, #8 u16be, #9 str32, #10 blob16be, #11 time, #12 f32be, #13 i16be, #14 opt(str16)}"
	partsNotation  = "{#1 array3(u16), #2 " + noteNotation + ", #3 array2(" + noteNotation + "), #4 u8, #5 opt(u64be)}"
)

// modelOptions are the options of the oracle. Fields are named by their numbers, and empty values
// are not nil.
var modelOptions = schemaoracle.Options{
	Field:  func(name string) (string, bool) { return "F" + strings.TrimPrefix(name, "#"), true },
	Filled: true,
}

// modelOf returns the layout of b, or an error if it differs from notation.
func modelOf[T any](name, notation string, b ModelBuilder[T]) (*schemaoracle.Layout, error) {
	s, err := b.Schema()
	if err != nil {
		return nil, err
	}
	if s.String() != notation {
		return nil, fmt.Errorf("%s is %s, want %s", name, s, notation)
	}
	return schemaoracle.Parse(notation)
}

// modelKind returns the kind for messages of a model. In messages that ParseBytes reads, the fields
// from number required on may be missing.
func modelKind[T any](name string, required int, notation string, b ModelBuilder[T]) matrix.Kind {
	k := matrix.Kind{Name: name, Type: reflect.TypeFor[T]()}
	k.Data = func() (*matrix.Subject, error) {
		layout, err := modelOf(name, notation, b)
		if err != nil {
			return nil, err
		}
		parser, compiler := b.Parco()
		// After success, the new value replaces the target. After an error, the target is
		// unchanged.
		oracle := func(l *schemaoracle.Layout) matrix.Decode {
			return func(b []byte, target reflect.Value) (int, error) {
				v := reflect.New(target.Type().Elem())
				n, err := l.Decode(b, v, modelOptions)
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
				r := open(b)
				v, err := parser.Parse(r)
				rest, _ := io.ReadAll(iotest.OneByteReader(r)) // a BufferCursor returns all bytes or none
				return len(b) - len(rest), put(target, v, err)
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
				{Name: "Parse", Exact: true, Stream: func(r io.Reader) func(reflect.Value) error {
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
