package parco

import "time"

func BoolField[T any](tp Type[bool], getter Getter[T, bool], setter Setter[T, bool]) Field[T, bool] {
	return fixed(tp, getter, setter)
}

func BoolFieldGetter[T any](tp Type[bool], getter Getter[T, bool]) Field[T, bool] {
	return fixed(tp, getter, nil)
}

func BoolFieldSetter[T any](tp Type[bool], setter Setter[T, bool]) Field[T, bool] {
	return fixed(tp, nil, setter)
}

func UInt8Field[T any](tp Type[uint8], getter Getter[T, uint8], setter Setter[T, uint8]) Field[T, uint8] {
	return fixed(tp, getter, setter)
}

func UInt8FieldGetter[T any](tp Type[uint8], getter Getter[T, uint8]) Field[T, uint8] {
	return fixed(tp, getter, nil)
}

func UInt8FieldSetter[T any](tp Type[uint8], setter Setter[T, uint8]) Field[T, uint8] {
	return fixed(tp, nil, setter)
}

func Int8Field[T any](tp Type[int8], getter Getter[T, int8], setter Setter[T, int8]) Field[T, int8] {
	return fixed(tp, getter, setter)
}

func Int8FieldGetter[T any](tp Type[int8], getter Getter[T, int8]) Field[T, int8] {
	return fixed(tp, getter, nil)
}

func Int8FieldSetter[T any](tp Type[int8], setter Setter[T, int8]) Field[T, int8] {
	return fixed(tp, nil, setter)
}

func UInt16Field[T any](tp Type[uint16], getter Getter[T, uint16], setter Setter[T, uint16]) Field[T, uint16] {
	return fixed(tp, getter, setter)
}

func UInt16FieldGetter[T any](tp Type[uint16], getter Getter[T, uint16]) Field[T, uint16] {
	return fixed(tp, getter, nil)
}

func UInt16FieldSetter[T any](tp Type[uint16], setter Setter[T, uint16]) Field[T, uint16] {
	return fixed(tp, nil, setter)
}

func Int16Field[T any](tp Type[int16], getter Getter[T, int16], setter Setter[T, int16]) Field[T, int16] {
	return fixed(tp, getter, setter)
}

func Int16FieldGetter[T any](tp Type[int16], getter Getter[T, int16]) Field[T, int16] {
	return fixed(tp, getter, nil)
}

func Int16FieldSetter[T any](tp Type[int16], setter Setter[T, int16]) Field[T, int16] {
	return fixed(tp, nil, setter)
}

func UInt32Field[T any](tp Type[uint32], getter Getter[T, uint32], setter Setter[T, uint32]) Field[T, uint32] {
	return fixed(tp, getter, setter)
}

func UInt32FieldGetter[T any](tp Type[uint32], getter Getter[T, uint32]) Field[T, uint32] {
	return fixed(tp, getter, nil)
}

func UInt32FieldSetter[T any](tp Type[uint32], setter Setter[T, uint32]) Field[T, uint32] {
	return fixed(tp, nil, setter)
}

func Int32Field[T any](tp Type[int32], getter Getter[T, int32], setter Setter[T, int32]) Field[T, int32] {
	return fixed(tp, getter, setter)
}

func Int32FieldGetter[T any](tp Type[int32], getter Getter[T, int32]) Field[T, int32] {
	return fixed(tp, getter, nil)
}

func Int32FieldSetter[T any](tp Type[int32], setter Setter[T, int32]) Field[T, int32] {
	return fixed(tp, nil, setter)
}

func UInt64Field[T any](tp Type[uint64], getter Getter[T, uint64], setter Setter[T, uint64]) Field[T, uint64] {
	return fixed(tp, getter, setter)
}

func UInt64FieldGetter[T any](tp Type[uint64], getter Getter[T, uint64]) Field[T, uint64] {
	return fixed(tp, getter, nil)
}

func UInt64FieldSetter[T any](tp Type[uint64], setter Setter[T, uint64]) Field[T, uint64] {
	return fixed(tp, nil, setter)
}

func Int64Field[T any](tp Type[int64], getter Getter[T, int64], setter Setter[T, int64]) Field[T, int64] {
	return fixed(tp, getter, setter)
}

func Int64FieldGetter[T any](tp Type[int64], getter Getter[T, int64]) Field[T, int64] {
	return fixed(tp, getter, nil)
}

func Int64FieldSetter[T any](tp Type[int64], setter Setter[T, int64]) Field[T, int64] {
	return fixed(tp, nil, setter)
}

func IntField[T any](tp Type[int], getter Getter[T, int], setter Setter[T, int]) Field[T, int] {
	return fixed(tp, getter, setter)
}

func IntFieldGetter[T any](tp Type[int], getter Getter[T, int]) Field[T, int] {
	return fixed(tp, getter, nil)
}

func IntFieldSetter[T any](tp Type[int], setter Setter[T, int]) Field[T, int] {
	return fixed(tp, nil, setter)
}

func Float32Field[T any](tp Type[float32], getter Getter[T, float32], setter Setter[T, float32]) Field[T, float32] {
	return fixed(tp, getter, setter)
}

func Float32FieldGetter[T any](tp Type[float32], getter Getter[T, float32]) Field[T, float32] {
	return fixed(tp, getter, nil)
}

func Float32FieldSetter[T any](tp Type[float32], setter Setter[T, float32]) Field[T, float32] {
	return fixed(tp, nil, setter)
}

func Float64Field[T any](tp Type[float64], getter Getter[T, float64], setter Setter[T, float64]) Field[T, float64] {
	return fixed(tp, getter, setter)
}

func Float64FieldGetter[T any](tp Type[float64], getter Getter[T, float64]) Field[T, float64] {
	return fixed(tp, getter, nil)
}

func Float64FieldSetter[T any](tp Type[float64], setter Setter[T, float64]) Field[T, float64] {
	return fixed(tp, nil, setter)
}

func StringField[T any](tp Type[string], getter Getter[T, string], setter Setter[T, string]) Field[T, string] {
	return fixed(tp, getter, setter)
}

func StringFieldGetter[T any](tp Type[string], getter Getter[T, string]) Field[T, string] {
	return fixed(tp, getter, nil)
}

func StringFieldSetter[T any](tp Type[string], setter Setter[T, string]) Field[T, string] {
	return fixed(tp, nil, setter)
}

// TimeField returns a field of type [TimeLocation] or [TimeUTC].
func TimeField[T any](withLocation bool, getter Getter[T, time.Time], setter Setter[T, time.Time]) Field[T, time.Time] {
	return fixed(timeType(withLocation), getter, setter)
}

func TimeFieldGetter[T any](withLocation bool, getter Getter[T, time.Time]) Field[T, time.Time] {
	return fixed(timeType(withLocation), getter, nil)
}

func TimeFieldSetter[T any](withLocation bool, setter Setter[T, time.Time]) Field[T, time.Time] {
	return fixed(timeType(withLocation), nil, setter)
}

func fixed[T, U any](t Type[U], getter Getter[T, U], setter Setter[T, U]) Field[T, U] {
	return FixedField[T, U]{Type: t, Getter: getter, Setter: setter}
}
