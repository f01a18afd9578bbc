package parco_test

import (
	"math/rand/v2"
	"reflect"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	. "github.com/slipstream-go/slipstream/parco"
)

// These models of the matrix contain lists and arrays of each number type, and options of such
// lists.
type (
	series struct {
		F1  run[bool]
		F2  run[int8]
		F3  []uint8
		F4  run[int16]
		F5  []uint16
		F6  []int32
		F7  []uint32
		F8  run[int64]
		F9  []uint64
		F10 []int
		F11 []uint
		F12 run[float32]
		F13 run[float64]
		F14 []int16
		F15 []uint32
		F16 []int64
		F17 []float32
		F18 []float64
		F19 []*int32
		F20 []*float64
		F21 []time.Time
		F22 *samples
	}
	samples struct {
		F1  trio[bool]
		F2  trio[int8]
		F3  trio[uint16]
		F4  trio[uint32]
		F5  trio[int64]
		F6  trio[uint64]
		F7  trio[float32]
		F8  trio[float64]
		F9  []int64
		F10 []float32
	}
	run[T any]  []T // any length
	trio[T any] []T // an array of length three
)

func (p *run[T]) fill(r *rand.Rand)  { fillNumbers(r, (*[]T)(p), r.IntN(40)) }
func (p *trio[T]) fill(r *rand.Rand) { fillNumbers(r, (*[]T)(p), 3) }

func fillNumbers[T any](r *rand.Rand, p *[]T, n int) {
	*p = make([]T, n)
	for i := range *p {
		corpus.Fill(r, reflect.ValueOf(&(*p)[i]).Elem(), 0)
	}
}

// listField returns a field for the list that at selects, and trioField a field for the array.
func listField[M, T any](header IntType, inner Type[T], at func(*M) *[]T) Field[M, T] {
	return SliceField(header, inner, func(m *M, v SliceView[T]) { *at(m) = v }, func(m *M) SliceView[T] { return *at(m) })
}

func trioField[M, T any](inner Type[T], at func(*M) *trio[T]) Field[M, T] {
	return ArrayField(3, inner, func(m *M, v SliceView[T]) { *at(m) = trio[T](v) }, func(m *M) SliceView[T] { return SliceView[T](*at(m)) })
}

func samplesBuilder() ModelBuilder[samples] {
	b := Builder[samples](nil)
	b = b.Array(trioField(Bool(), func(m *samples) *trio[bool] { return &m.F1 }))
	b = b.Array(trioField(Int8(), func(m *samples) *trio[int8] { return &m.F2 }))
	b = b.Array(trioField(UInt16(be), func(m *samples) *trio[uint16] { return &m.F3 }))
	b = b.Array(trioField(UInt32(le), func(m *samples) *trio[uint32] { return &m.F4 }))
	b = b.Array(trioField(Int64(le), func(m *samples) *trio[int64] { return &m.F5 }))
	b = b.Array(trioField(UInt64(be), func(m *samples) *trio[uint64] { return &m.F6 }))
	b = b.Array(trioField(Float32(le), func(m *samples) *trio[float32] { return &m.F7 }))
	b = b.Array(trioField(Float64(be), func(m *samples) *trio[float64] { return &m.F8 }))
	b = b.Slice(listField(UInt8Header(), Int64(be), func(m *samples) *[]int64 { return &m.F9 }))
	b = b.Slice(listField(UInt8Header(), Float32(le), func(m *samples) *[]float32 { return &m.F10 }))
	return b
}

func seriesBuilder() ModelBuilder[series] {
	h := UInt8Header()
	b := Builder[series](nil)
	b = b.Slice(listField(h, Bool(), func(m *series) *[]bool { return (*[]bool)(&m.F1) }))
	b = b.Slice(listField(h, Int8(), func(m *series) *[]int8 { return (*[]int8)(&m.F2) }))
	b = b.Slice(listField(h, UInt8(), func(m *series) *[]uint8 { return &m.F3 }))
	b = b.Slice(listField(h, Int16(le), func(m *series) *[]int16 { return (*[]int16)(&m.F4) }))
	b = b.Slice(listField(UInt16HeaderBE(), UInt16(le), func(m *series) *[]uint16 { return &m.F5 }))
	b = b.Slice(listField(h, Int32(le), func(m *series) *[]int32 { return &m.F6 }))
	b = b.Slice(listField(h, UInt32(le), func(m *series) *[]uint32 { return &m.F7 }))
	b = b.Slice(listField(UInt16HeaderLE(), Int64(le), func(m *series) *[]int64 { return (*[]int64)(&m.F8) }))
	b = b.Slice(listField(h, UInt64(le), func(m *series) *[]uint64 { return &m.F9 }))
	b = b.Slice(listField(h, Int(le), func(m *series) *[]int { return &m.F10 }))
	b = b.Slice(listField(h, UInt(be), func(m *series) *[]uint { return &m.F11 }))
	b = b.Slice(listField(h, Float32(le), func(m *series) *[]float32 { return (*[]float32)(&m.F12) }))
	b = b.Slice(listField(h, Float64(le), func(m *series) *[]float64 { return (*[]float64)(&m.F13) }))
	b = b.Slice(listField(h, Int16(be), func(m *series) *[]int16 { return &m.F14 }))
	b = b.Slice(listField(Int32BEHeader(), UInt32(be), func(m *series) *[]uint32 { return &m.F15 }))
	b = b.Slice(listField(h, Int64(be), func(m *series) *[]int64 { return &m.F16 }))
	b = b.Slice(listField(h, Float32(be), func(m *series) *[]float32 { return &m.F17 }))
	b = b.Slice(listField(h, Float64(be), func(m *series) *[]float64 { return &m.F18 }))
	b = b.Slice(listField(h, Option(Int32(le)), func(m *series) *[]*int32 { return &m.F19 }))
	b = b.Slice(listField(h, Option(Float64(be)), func(m *series) *[]*float64 { return &m.F20 }))
	b = b.Slice(listField(h, TimeUTC(), func(m *series) *[]time.Time { return &m.F21 }))
	b = b.Option(OptionField(Struct(samplesBuilder()), func(m *series, v *samples) { m.F22 = v }, func(m *series) *samples { return m.F22 }))
	return b
}

const (
	samplesNotation = "{#1 array3(bool), #2 array3(i8), #3 array3(u16be), #4 array3(u32), #5 array3(i64), #6 array3(u64be), #7 array3(f32), #8 array3(f64be), " +
		"#9 list8(i64be), #10 list8(f32)}"
	seriesNotation = "{#1 list8(bool), #2 list8(i8), #3 list8(u8), #4 list8(i16), #5 list16be(u16), #6 list8(i32), #7 list8(u32), #8 list16(i64), " +
		"#9 list8(u64), #10 list8(i64), #11 list8(u64be), #12 list8(f32), #13 list8(f64), #14 list8(i16be), #15 listi32be(u32be), #16 list8(i64be), " +
		"#17 list8(f32be), #18 list8(f64be), #19 list8(opt(i32)), #20 list8(opt(f64be)), #21 list8(time), #22 opt(" + samplesNotation + ")}"
)
