package msgpwire

import "math"

// A function whose name ends in Len or Header appends only the header that precedes the n bytes,
// values or pairs. The caller must have checked that n fits into 32 bits.

func AppendNil(b []byte) []byte { return append(b, Nil) }

func AppendBool(b []byte, v bool) []byte {
	if v {
		return append(b, True)
	}
	return append(b, False)
}

// AppendInt appends v in its shortest form. For positive numbers, it uses the codes of unsigned
// numbers.
func AppendInt(b []byte, v int64) []byte {
	switch {
	case v >= 0:
		return AppendUint(b, uint64(v))
	case v >= -32:
		return append(b, byte(v))
	case v >= math.MinInt8:
		return append(b, Int8, byte(v))
	case v >= math.MinInt16:
		return append(b, Int16, byte(v>>8), byte(v))
	case v >= math.MinInt32:
		return AppendCode32(b, Int32, uint32(v))
	}
	return AppendCode64(b, Int64, uint64(v))
}

// AppendUint appends v in its shortest form.
func AppendUint(b []byte, v uint64) []byte {
	switch {
	case v <= FixintMax:
		return append(b, byte(v))
	case v <= math.MaxUint8:
		return append(b, Uint8, byte(v))
	case v <= math.MaxUint16:
		return append(b, Uint16, byte(v>>8), byte(v))
	case v <= math.MaxUint32:
		return AppendCode32(b, Uint32, uint32(v))
	}
	return AppendCode64(b, Uint64, v)
}

func AppendCode16(b []byte, code byte, v uint16) []byte {
	return append(b, code, byte(v>>8), byte(v))
}

func AppendCode32(b []byte, code byte, v uint32) []byte {
	return append(b, code, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func AppendCode64(b []byte, code byte, v uint64) []byte {
	return append(b, code, byte(v>>56), byte(v>>48), byte(v>>40), byte(v>>32), byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
}

func AppendFloat32(b []byte, v float32) []byte {
	return AppendCode32(b, Float32, math.Float32bits(v))
}

func AppendFloat64(b []byte, v float64) []byte {
	return AppendCode64(b, Float64, math.Float64bits(v))
}

func AppendStringLen(b []byte, n int) []byte {
	switch {
	case n < 32:
		return append(b, Fixstr|byte(n))
	case n <= math.MaxUint8:
		return append(b, Str8, byte(n))
	case n <= math.MaxUint16:
		return AppendCode16(b, Str16, uint16(n))
	}
	return AppendCode32(b, Str32, uint32(n))
}

func AppendString(b []byte, s string) []byte { return append(AppendStringLen(b, len(s)), s...) }

func AppendBytesLen(b []byte, n int) []byte {
	switch {
	case n <= math.MaxUint8:
		return append(b, Bin8, byte(n))
	case n <= math.MaxUint16:
		return AppendCode16(b, Bin16, uint16(n))
	}
	return AppendCode32(b, Bin32, uint32(n))
}

// AppendBytes appends v as bin, or as nil if v is nil.
func AppendBytes(b, v []byte) []byte {
	if v == nil {
		return AppendNil(b)
	}
	return append(AppendBytesLen(b, len(v)), v...)
}

func AppendArrayLen(b []byte, n int) []byte {
	switch {
	case n < 16:
		return append(b, Fixarray|byte(n))
	case n <= math.MaxUint16:
		return AppendCode16(b, Array16, uint16(n))
	}
	return AppendCode32(b, Array32, uint32(n))
}

func AppendMapLen(b []byte, n int) []byte {
	switch {
	case n < 16:
		return append(b, Fixmap|byte(n))
	case n <= math.MaxUint16:
		return AppendCode16(b, Map16, uint16(n))
	}
	return AppendCode32(b, Map32, uint32(n))
}

func AppendExtHeader(b []byte, id int8, n int) []byte {
	switch n {
	case 1:
		return append(b, Fixext1, byte(id))
	case 2:
		return append(b, Fixext2, byte(id))
	case 4:
		return append(b, Fixext4, byte(id))
	case 8:
		return append(b, Fixext8, byte(id))
	case 16:
		return append(b, Fixext16, byte(id))
	}
	switch {
	case n <= math.MaxUint8:
		b = append(b, Ext8, byte(n))
	case n <= math.MaxUint16:
		b = AppendCode16(b, Ext16, uint16(n))
	default:
		b = AppendCode32(b, Ext32, uint32(n))
	}
	return append(b, byte(id))
}
