package parco_test

import (
	"encoding/binary"
	"io"
	"time"

	. "github.com/slipstream-go/slipstream/parco"
)

// This file declares every name of Parco's API with its signature. If it compiles, programs that
// were written for Parco compile too.

type (
	order  = binary.ByteOrder
	model  = Animal
	fields = interface { // the parameter type of methods that add fields
		Parse(*model, io.Reader) error
		Compile(*model, io.Writer) error
	}
	builderAny = interface {
		ParseAny(io.Reader) (any, error)
		CompileAny(any, io.Writer) error
	}
)

// Interfaces and types.
var (
	_ interface {
		ByteLength() int
		Parse(io.Reader) (model, error)
		Compile(model, io.Writer) error
	} = Type[model](nil)
	_ interface {
		Parse(io.Reader) (model, error)
	} = ParserType[model](nil)
	_ interface {
		Compile(model, io.Writer) error
	} = CompilerType[model](nil)
	_ IntType = Type[int](nil)
	_ interface {
		ID() string
		Parse(*model, io.Reader) error
		Compile(*model, io.Writer) error
	} = Field[model, int](nil)
	_ func(*model) int                                                             = Getter[model, int](nil)
	_ func(*model, int)                                                            = Setter[model, int](nil)
	_ Iterable[int]                                                                = SliceView[int]([]int{})
	_ func(SliceView[int], func(int) error) error                                  = SliceView[int].Range
	_ func(SliceView[int]) SliceView[int]                                          = SliceView[int].Unwrap
	_ func(model) int                                                              = SizerFunc[model](nil)
	_ func([]byte) (model, error)                                                  = ParserFunc[model](nil)
	_ func(model, []byte) error                                                    = CompilerFunc[model](nil)
	_ func(byteLength int, p ParserFunc[model], c CompilerFunc[model]) Type[model] = NewFixedType[model]
	_ func([]byte, int) BufferCursor                                               = NewBufferCursor
	_ io.Reader                                                                    = (*BufferCursor)(nil)
	_                                                                              = FixedField[model, int]{Id: "", Type: Type[int](nil), Setter: nil, Getter: nil}
	_                                                                              = StructType[model]{ParserType: nil, CompilerType: nil}
	_ interface{ ParseBytes([]byte) (int, error) }                                 = IntLE().(interface{ ParseBytes([]byte) (int, error) })
	_ interface{ CompileBytes(int, []byte) error }                                 = IntLE().(interface{ CompileBytes(int, []byte) error })
)

// Numbers.
var (
	_ func() Type[bool]         = Bool
	_ func() Type[byte]         = Byte
	_ func() Type[int8]         = Int8
	_ func() Type[uint8]        = UInt8
	_ func(order) Type[int16]   = Int16
	_ []func() Type[int16]      = []func() Type[int16]{Int16LE, Int16BE}
	_ func(order) Type[uint16]  = UInt16
	_ []func() Type[uint16]     = []func() Type[uint16]{UInt16LE, UInt16BE, UInt16LEFactory, UInt16BEFactory}
	_ func(order) Type[uint16]  = UInt16Factory
	_ func(order) Type[int32]   = Int32
	_ []func() Type[int32]      = []func() Type[int32]{Int32LE, Int32BE}
	_ func(order) Type[uint32]  = UInt32
	_ []func() Type[uint32]     = []func() Type[uint32]{UInt32LE, UInt32BE}
	_ func(order) Type[int64]   = Int64
	_ []func() Type[int64]      = []func() Type[int64]{Int64LE, Int64BE}
	_ func(order) Type[uint64]  = UInt64
	_ []func() Type[uint64]     = []func() Type[uint64]{UInt64LE, UInt64BE}
	_ func(order) Type[int]     = Int
	_ []func() Type[int]        = []func() Type[int]{IntLE, IntBE}
	_ func(order) Type[uint]    = UInt
	_ []func() Type[uint]       = []func() Type[uint]{UIntLE, UIntBE}
	_ func(order) Type[float32] = Float32
	_ []func() Type[float32]    = []func() Type[float32]{Float32LE, Float32BE}
	_ func(order) Type[float64] = Float64
	_ []func() Type[float64]    = []func() Type[float64]{Float64LE, Float64BE}
)

// Headers.
var (
	_ = []func() Type[int]{
		Int8Header, UInt8Header, UInt16HeaderLE, UInt16HeaderBE, Int16LEHeader, Int16BEHeader, Int32LEHeader, Int32BEHeader,
		UInt32LEHeader, UInt32BEHeader, Int64LEHeader, Int64BEHeader, UInt64LEHeader, UInt64BEHeader, IntLEHeader, IntBEHeader, UIntLEHeader, UIntBEHeader,
	}
	_ = []func(order) Type[int]{UInt16Header, Int16Header, Int32Header, UInt32Header, Int64Header, UInt64Header, IntHeader, UIntHeader}
)

// Strings, and types that contain other types.
var (
	_                            = []func() Type[string]{SmallVarchar, Varchar}
	_                            = []func(order) Type[string]{VarcharOrder, Text, LongText}
	_                            = []func(IntType) Type[string]{String, NewVarcharType}
	_ func(IntType) Type[[]byte] = Blob

	_ func(IntType, Type[model]) SliceType[model]                     = Slice[model]
	_ func(int, Type[model]) ArrayType[model]                         = Array[model]
	_ func(IntType, Type[string], Type[model]) Type[map[string]model] = MapType[string, model]
	_ func(Type[model]) OptionalType[model]                           = Option[model]
	_ func(ModelBuilder[model]) StructType[model]                     = Struct[model]
	_ func(ParserType[model]) StructType[model]                       = StructPar[model]
	_ func(CompilerType[model]) StructType[model]                     = StructCo[model]
	_ func(ParserType[model], CompilerType[model]) StructType[model]  = StructParco[model]
	_ []func() Type[time.Time]                                        = []func() Type[time.Time]{TimeUTC, TimeLocation}
	_ []func(int) Type[any]                                           = []func(int) Type[any]{SkipType, SkipTypeFactory}
	_ Type[Iterable[model]]                                           = SliceType[model]{}
	_ Type[Iterable[model]]                                           = ArrayType[model]{}
	_ Type[*model]                                                    = OptionalType[model]{}
	_ Type[model]                                                     = StructType[model]{}
	_ Type[Iterable[Iterable[model]]]                                 = Slice[Iterable[model]](UInt8Header(), SliceType[model]{})
)

// Fields of single values. Fields of the other types have corresponding signatures.
type (
	maker[U any]  = func(Type[U], Getter[model, U], Setter[model, U]) Field[model, U]
	getter[U any] = func(Type[U], Getter[model, U]) Field[model, U]
	setter[U any] = func(Type[U], Setter[model, U]) Field[model, U]
)

var (
	_, _, _ = maker[bool](BoolField[model]), getter[bool](BoolFieldGetter[model]), setter[bool](BoolFieldSetter[model])
	_, _, _ = maker[uint8](UInt8Field[model]), getter[uint8](UInt8FieldGetter[model]), setter[uint8](UInt8FieldSetter[model])
	_, _, _ = maker[int8](Int8Field[model]), getter[int8](Int8FieldGetter[model]), setter[int8](Int8FieldSetter[model])
	_, _, _ = maker[uint16](UInt16Field[model]), getter[uint16](UInt16FieldGetter[model]), setter[uint16](UInt16FieldSetter[model])
	_, _, _ = maker[int16](Int16Field[model]), getter[int16](Int16FieldGetter[model]), setter[int16](Int16FieldSetter[model])
	_, _, _ = maker[uint32](UInt32Field[model]), getter[uint32](UInt32FieldGetter[model]), setter[uint32](UInt32FieldSetter[model])
	_, _, _ = maker[int32](Int32Field[model]), getter[int32](Int32FieldGetter[model]), setter[int32](Int32FieldSetter[model])
	_, _, _ = maker[uint64](UInt64Field[model]), getter[uint64](UInt64FieldGetter[model]), setter[uint64](UInt64FieldSetter[model])
	_, _, _ = maker[int64](Int64Field[model]), getter[int64](Int64FieldGetter[model]), setter[int64](Int64FieldSetter[model])
	_, _, _ = maker[int](IntField[model]), getter[int](IntFieldGetter[model]), setter[int](IntFieldSetter[model])
	_, _, _ = maker[float32](Float32Field[model]), getter[float32](Float32FieldGetter[model]), setter[float32](Float32FieldSetter[model])
	_, _, _ = maker[float64](Float64Field[model]), getter[float64](Float64FieldGetter[model]), setter[float64](Float64FieldSetter[model])
	_, _, _ = maker[string](StringField[model]), getter[string](StringFieldGetter[model]), setter[string](StringFieldSetter[model])

	_ func(bool, Getter[model, time.Time], Setter[model, time.Time]) Field[model, time.Time] = TimeField[model]
	_ func(bool, Getter[model, time.Time]) Field[model, time.Time]                           = TimeFieldGetter[model]
	_ func(bool, Setter[model, time.Time]) Field[model, time.Time]                           = TimeFieldSetter[model]

	_ func(IntType, Type[int], Setter[model, SliceView[int]], Getter[model, SliceView[int]]) Field[model, int] = SliceField[model, int]
	_ func(IntType, Type[int], Getter[model, SliceView[int]]) Field[model, int]                                = SliceFieldGetter[model, int]
	_ func(IntType, Type[int], Setter[model, SliceView[int]]) Field[model, int]                                = SliceFieldSetter[model, int]
	_ func(int, Type[int], Setter[model, SliceView[int]], Getter[model, SliceView[int]]) Field[model, int]     = ArrayField[model, int]
	_ func(int, Type[int], Getter[model, SliceView[int]]) Field[model, int]                                    = ArrayFieldGetter[model, int]
	_ func(int, Type[int], Setter[model, SliceView[int]]) Field[model, int]                                    = ArrayFieldSetter[model, int]

	_ func(IntType, Type[int8], Type[int], Setter[model, map[int8]int], Getter[model, map[int8]int]) Field[model, map[int8]int] = MapField[model, int8, int]
	_ func(IntType, Type[int8], Type[int], Getter[model, map[int8]int]) Field[model, map[int8]int]                              = MapFieldGetter[model, int8, int]
	_ func(IntType, Type[int8], Type[int], Setter[model, map[int8]int]) Field[model, map[int8]int]                              = MapFieldSetter[model, int8, int]

	_ func(Type[int], Setter[model, *int], Getter[model, *int]) OptionalField[model, int] = OptionField[model, int]
	_ func(Type[int], Getter[model, *int]) OptionalField[model, int]                      = OptionFieldGetter[model, int]
	_ func(Type[int], Setter[model, *int]) OptionalField[model, int]                      = OptionFieldSetter[model, int]
	_ func(Getter[model, all], CompilerType[all]) Field[model, all]                       = StructFieldGetter[model, all]
	_ func(Setter[model, all], ParserType[all]) Field[model, all]                         = StructFieldSetter[model, all]
	_ func(Type[any]) Field[model, any]                                                   = SkipField[model]
	_ func(int) Field[model, any]                                                         = DefaultSkipField[model]
	_ Field[model, *int]                                                                  = OptionalField[model, int]{}
)

// StructField accepts an unnamed interface type.
func _(get Getter[all, model], set Setter[all, model], b ModelBuilder[model]) (Field[all, model], Field[all, model]) {
	return StructField(get, set, b), StructField[all, model](get, set, Struct(b))
}

// Models.
type (
	b = ModelBuilder[model]
	p = Parser[model]
	c = Compiler[model]
)

var (
	_ func(Factory[model]) b             = Builder[model]
	_ func(Factory[model]) *p            = ParserModel[model]
	_ func() *c                          = CompilerModel[model]
	_ func(b, model, io.Writer) error    = b.Compile
	_ func(b, io.Reader) (model, error)  = b.Parse
	_ func(b, any, io.Writer) error      = b.CompileAny
	_ func(b, io.Reader) (any, error)    = b.ParseAny
	_ func(b) (*p, *c)                   = b.Parco
	_ func(b) *c                         = b.Compiler
	_ func(c, model, io.Writer) error    = c.Compile
	_ func(*p, io.Reader) (model, error) = (*p).Parse
	_ func(*p, []byte) (model, error)    = (*p).ParseBytes
	_ func(b, int) b                     = b.Skip
	_ func(*p, int) *p                   = (*p).Skip
	_ func(*c, int) *c                   = (*c).Skip
	_ builderAny                         = b{}
)

// These are the methods that add fields to a builder, a Parser and a Compiler. The unnamed
// functions show signatures whose types are unnamed.
func _(x b, y *p, z *c, f fields) (b, *p, *c) {
	x = x.Struct(f).Map(f).Slice(f).Array(f).Option(f).Field(f)
	y = y.Struct(f).Map(f).Slice(f).Array(f).Option(f).Field(f)
	z = z.Struct(f).Map(f).Slice(f).Array(f).Option(f).Field(f)
	return x, y, z
}

type (
	bm[U any] = func(b, Getter[model, U], Setter[model, U]) b
	bo[U any] = func(b, order, Getter[model, U], Setter[model, U]) b
	pm[U any] = func(*p, Setter[model, U]) *p
	po[U any] = func(*p, order, Setter[model, U]) *p
	cm[U any] = func(*c, Getter[model, U]) *c
	co[U any] = func(*c, order, Getter[model, U]) *c
)

var (
	_, _, _ = []bm[string]{b.Varchar, b.SmallVarchar}, []pm[string]{(*p).Varchar, (*p).SmallVarchar}, []cm[string]{(*c).Varchar, (*c).SmallVarchar}
	_, _, _ = bm[bool](b.Bool), pm[bool]((*p).Bool), cm[bool]((*c).Bool)
	_, _, _ = []bm[uint8]{b.Byte, b.UInt8}, []pm[uint8]{(*p).Byte, (*p).UInt8}, []cm[uint8]{(*c).Byte, (*c).UInt8}
	_, _, _ = bm[int8](b.Int8), pm[int8]((*p).Int8), cm[int8]((*c).Int8)
	_, _, _ = bo[uint16](b.UInt16), po[uint16]((*p).UInt16), co[uint16]((*c).UInt16)
	_, _, _ = []bm[uint16]{b.UInt16LE, b.UInt16BE}, []pm[uint16]{(*p).UInt16LE, (*p).UInt16BE}, []cm[uint16]{(*c).UInt16LE, (*c).UInt16BE}
	_, _, _ = bo[int16](b.Int16), po[int16]((*p).Int16), co[int16]((*c).Int16)
	_, _, _ = bo[uint32](b.UInt32), po[uint32]((*p).UInt32), co[uint32]((*c).UInt32)
	_, _, _ = bo[int32](b.Int32), po[int32]((*p).Int32), co[int32]((*c).Int32)
	_, _, _ = bo[uint64](b.UInt64), po[uint64]((*p).UInt64), co[uint64]((*c).UInt64)
	_, _, _ = bo[int64](b.Int64), po[int64]((*p).Int64), co[int64]((*c).Int64)
	_, _, _ = bo[uint](b.UInt), po[uint]((*p).UInt), co[uint]((*c).UInt)
	_, _, _ = bo[int](b.Int), po[int]((*p).Int), co[int]((*c).Int)
	_, _, _ = bo[float32](b.Float32), po[float32]((*p).Float32), co[float32]((*c).Float32)
	_, _, _ = bo[float64](b.Float64), po[float64]((*p).Float64), co[float64]((*c).Float64)
	_, _, _ = bo[string](b.Text), po[string]((*p).Text), co[string]((*c).Text)

	_       func(b, IntType, Getter[model, []byte], Setter[model, []byte]) b    = b.Blob
	_       func(*p, IntType, Setter[model, []byte]) *p                         = (*p).Blob
	_       func(*c, IntType, Getter[model, []byte]) *c                         = (*c).Blob
	_       func(b, bool, Getter[model, time.Time], Setter[model, time.Time]) b = b.Time
	_       func(*p, bool, Setter[model, time.Time]) *p                         = (*p).Time
	_       func(*c, bool, Getter[model, time.Time]) *c                         = (*c).Time
	_, _, _                                                                     = []bm[time.Time]{b.TimeUTC, b.TimeLocation},
		[]pm[time.Time]{(*p).TimeUTC, (*p).TimeLocation}, []cm[time.Time]{(*c).TimeUTC, (*c).TimeLocation}
)

// Registries.
type multi = ModelMultiBuilder[string]

func _(m *multi, x interface{ ParcoID() string }, n interface{ ParcoID() int }, w io.Writer) []error {
	return []error{m.Compile(x, w), CompileModel(n, w)}
}

func _(m *multi, x builderAny) (*multi, error) {
	if err := RegisterModel(0, x); err != nil {
		return nil, err
	}
	return m.MustRegister("", x).Register("", x)
}

var (
	_ func(Type[string]) *multi                    = MultiBuilder[string]
	_ func(*multi, string, any, io.Writer) error   = (*multi).CompileAny
	_ func(*multi, io.Reader) (string, any, error) = (*multi).Parse
	_ func(int, any, io.Writer) error              = CompileAnyModel
	_ func(io.Reader) (int, any, error)            = ParseModel
)

// Factories, pools and helpers.
var (
	_ Factory[model]                 = ObjectFactory[model]()
	_ Factory[model]                 = FuncFactory[model](func() model { return model{} })
	_ PoolFactory[model]             = PooledFactory[model](ObjectFactory[model]())
	_ PoolFactory[model]             = PooledFactory[model](ObjectFactory[model](), WithResetFunc(func(*model) {}))
	_ PoolFactory[model]             = (*NativePooledFactory[model])(nil)
	_ func() *Pool                   = NewPool
	_ *Pool                          = SinglePool
	_ Pooler                         = SinglePool
	_ func(Pooler, int) *[]byte      = Pooler.Get
	_ func(Pooler, *[]byte)          = Pooler.Put
	_ func(model) *model             = Ptr[model]
	_ func(bool, model, model) model = If[model]
	_ func([]byte) string            = FormatBytes
	_ func(string) []byte            = String2Bytes
	_ func([]byte) string            = Bytes2String
	_ func(int) int                  = MaxSize
	_ func(int) int64                = MaxByteSize64
	_ [10_000_000]struct{}           = [MaxReasonableSliceLength]struct{}{}
	_ [10_000_000]struct{}           = [MaxReasonableMapLength]struct{}{}
	_ [100 * 1024 * 1024]struct{}    = [MaxReasonableVarSize]struct{}{}
)

// Functions that encode and decode numbers.
type (
	put[T any]  = func(T, []byte, order) error
	take[T any] = func([]byte, order) (T, error)
)

var (
	_ func(uint8, []byte) error   = CompileUInt8
	_ func([]byte) (uint8, error) = ParseUInt8
	_ func(int8, []byte) error    = CompileInt8
	_ func([]byte) (int8, error)  = ParseInt8
	_ func(int, []byte) error     = CompileUInt8Header
	_ func([]byte) (int, error)   = ParseUInt8Header
	_ func(int, []byte) error     = CompileInt8Header
	_ func([]byte) (int, error)   = ParseInt8Header

	_, _ = put[uint16](CompileUInt16), take[uint16](ParseUInt16)
	_, _ = put[int16](CompileInt16), take[int16](ParseInt16)
	_, _ = put[uint32](CompileUInt32), take[uint32](ParseUInt32)
	_, _ = put[int32](CompileInt32), take[int32](ParseInt32)
	_, _ = put[uint64](CompileUInt64), take[uint64](ParseUInt64)
	_, _ = put[int64](CompileInt64), take[int64](ParseInt64)
	_, _ = put[uint](CompileUInt), take[uint](ParseUInt)
	_, _ = put[int](CompileInt), take[int](ParseInt)
	_, _ = put[float32](CompileFloat32), take[float32](ParseFloat32)
	_, _ = put[float64](CompileFloat64), take[float64](ParseFloat64)
	_, _ = put[time.Time](CompileTime), take[time.Time](ParseTime)

	_ func(order) ParserFunc[uint16]   = ParseUInt16Factory
	_ func(order) CompilerFunc[uint16] = CompileUInt16Factory
	_ func(order) ParserFunc[int]      = ParseUInt16HeaderFactory
	_ func(order) CompilerFunc[int]    = CompileUInt16HeaderFactory
	_ func([]byte) (string, error)     = ParseString
	_ func(string, []byte) error       = CompileString
	_ func(string, io.Writer) error    = CompileStringWriter
	_ func() ParserFunc[string]        = ParseStringFactory
	_ func() CompilerFunc[string]      = CompileStringFactory
	_ func([]byte) ([]byte, error)     = ParseBlob
	_ func([]byte, io.Writer) error    = CompileBlob
)

// Constants of Parco's pool with their values, and field types that programs name.
var (
	_ [100]int  = [MaxPoolMapSize]int{}
	_ [8192]int = [DefaultPoolAnySize]int{}

	_ Field[model, bool] = BasicSliceField[model, bool]{}
	_ Field[model, bool] = BasicArrayField[model, bool]{}
)

// Errors.
var (
	_ = []error{ErrNotIntegerType, ErrOverflow, ErrCannotRead, ErrCannotWrite, ErrAlreadyRegistered, ErrUnknownType, ErrInvalidLength}

	_ error = ErrUnSufficientBytes{}
	_ error = ErrFieldNotFound{}
	_ error = ErrTypeAssertion{}
	_ error = ErrCompile{}

	_ func(want, have int) ErrUnSufficientBytes = NewErrUnSufficientBytesError
	_ func(string) ErrFieldNotFound             = NewErrFieldNotFoundError
	_ func(want, have string) ErrTypeAssertion  = NewErrTypeAssertionError
	_ func(string) ErrCompile                   = NewErrCompile
)
