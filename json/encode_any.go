package json

// This file encodes interfaces. The type word of a value is first compared with the type words of
// the types that decoding into type any can produce. Values of all other types are written by their
// ops.

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// encodeAny writes an interface without methods.
func encodeAny(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return e.putAny(n, *mem.At[any](p, 0))
}

// encodeInterface writes an interface with methods other than MarshalJSON and MarshalText.
func encodeInterface(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
	if v.IsNil() {
		return e.putNull(n)
	}
	return e.putAny(n, v.Interface())
}

// putAny writes the value that v contains.
func (e *encoder) putAny(n int, v any) int {
	if s, ok := v.(string); ok {
		return e.putString(n, s)
	}
	if f, ok := v.(float64); ok {
		if f-f != 0 {
			e.failFloat(reflect.TypeFor[float64](), f)
		}
		return decimal.PutFloat64(e.room(n, decimal.FloatRoom), n, f)
	}
	if m, ok := v.(map[string]any); ok {
		return encodeMapped(e, anyMapOp, *mem.RawAt[mem.Raw](mem.RawTo(&m), 0), n)
	}
	if list, ok := v.([]any); ok {
		return e.putList(n, list)
	}
	if v == nil {
		return e.putNull(n)
	}
	if x, ok := v.(bool); ok {
		return putBool(e.room(n, wordRoom), n, x)
	}
	if i, ok := v.(int); ok {
		return putInt(e.room(n, decimal.IntRoom), n, int64(i))
	}
	if i, ok := v.(int64); ok {
		return putInt(e.room(n, decimal.IntRoom), n, i)
	}
	face := mem.FaceOf(v)
	return encodePlans.byWord(face.Type, v).encodeFace(e, face.Data, n)
}

// anyMapOp is the op of map[string]any. Objects that are decoded into type any have this type.
var anyMapOp *encodeOp

func init() { anyMapOp = encodePlans.of(reflect.TypeFor[map[string]any]()) }

// encodeList writes a []any that is a part of a value with a static type.
func encodeList(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	return e.putList(n, *mem.At[[]any](p, 0))
}

// putList writes a []any.
func (e *encoder) putList(n int, list []any) int {
	if len(list) == 0 {
		if list == nil {
			return e.putNull(n)
		}
		return e.putEmpty(n)
	}
	if e.depth++; e.depth > cycleDepth {
		e.open(reflect.ValueOf(list), openSlice{mem.RawTo(&list[0]), len(list)})
	}
	mem.Store8(e.room(n, 2), n, '[')
	n++
	for i := range list {
		n = e.putAny(n, list[i])
		mem.Store8(e.b, n, ',')
		n++
		e.room(n, 1)
	}
	if e.depth--; e.depth >= cycleDepth {
		delete(e.seen, any(openSlice{mem.RawTo(&list[0]), len(list)}))
	}
	return e.close(n, ']')
}
