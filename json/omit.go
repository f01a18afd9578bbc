package json

// This file decides which struct fields are omitted. The following values are omitted: empty values
// of fields with omitempty, zero values of fields with omitzero, and fields that are promoted from
// a nil embedded pointer.

import (
	"reflect"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// An omitTest reports whether the value at p is omitted.
type omitTest func(p mem.Pointer) bool

// quickTest is a simple test that encodeOmit.base executes without calling an omitTest.
type quickTest uint8

const (
	quickNone   quickTest = iota // not a quick test: call the omitTest
	quickNever                   // no value is omitted
	quickWord                    // the first word is 0: pointers, interfaces and other types that can be nil
	quickLength                  // the second word is 0: strings, slices
	quick64                      // the first 8 bytes are 0; quick32: 4 bytes; quick8: 1 byte
	quick32
	quick8
)

var quickNames = [...]string{"by its test", "never", "when its word is 0", "when its length is 0", "when 64 bits are 0", "when 32 bits are 0", "when 8 bits are 0"}

// omits reports whether the field f may be omitted.
func omits(f *field) bool {
	return f.Zero || len(f.Hops) > 0 || f.Omit && canBeEmpty(f.Type)
}

// canBeEmpty reports whether omitempty has an effect on values of t.
func canBeEmpty(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct, reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return false
	case reflect.Array:
		return t.Len() == 0
	}
	return true
}

// omission returns the conditions under which the field f is omitted, except the conditions for
// embedded pointers. The argument `addressable` reports whether the struct is addressable.
func omission(f *field, addressable bool) *encodeOmit {
	addressable = addressable || len(f.Hops) > 0
	o := &encodeOmit{quick: quickNever, asks: f.Zero && hasIsZero(f.Type)}
	empty := f.Omit && canBeEmpty(f.Type)
	switch {
	case f.Zero && empty:
		isEmpty, isZero := emptiness(f.Type), zeroness(f.Type, addressable)
		o.quick, o.test = quickNone, func(p mem.Pointer) bool { return isEmpty(p) || isZero(p) }
	case f.Zero:
		o.quick, o.test = quickNone, zeroness(f.Type, addressable)
		if !o.asks {
			o.quick = quickZero(f.Type)
		}
	case empty:
		o.quick, o.test = quickEmpty(f.Type), emptiness(f.Type)
	}
	return o
}

// emptiness returns the test that omitempty applies to values of type t. The function canBeEmpty
// must return true for t.
func emptiness(t reflect.Type) omitTest {
	switch t.Kind() {
	case reflect.Array, reflect.Map, reflect.Slice, reflect.String:
		return func(p mem.Pointer) bool { return reflect.NewAt(t, mem.RawAs(p, t)).Elem().Len() == 0 }
	}
	return isZero(t)
}

// quickEmpty returns the quick test that is equivalent to emptiness(t). If there is no such test,
// it returns quickNone.
func quickEmpty(t reflect.Type) quickTest {
	if t.Kind() == reflect.Slice {
		return quickLength
	}
	if t.Kind() == reflect.Map {
		return quickNone
	}
	return quickZero(t)
}

// quickZero returns the quick test that is equivalent to isZero(t). If there is no such test, it
// returns quickNone.
func quickZero(t reflect.Type) quickTest {
	switch t.Kind() {
	case reflect.String:
		return quickLength
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return quickWord
	case reflect.Bool, reflect.Int8, reflect.Uint8:
		return quick8
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if t.Size() == 4 {
			return quick32
		}
		return quick64
	}
	return quickNone
}

type zeroer interface{ IsZero() bool }

var zeroerType = reflect.TypeFor[zeroer]()

func hasIsZero(t reflect.Type) bool {
	return t.Implements(zeroerType) || reflect.PointerTo(t).Implements(zeroerType)
}

// zeroness returns the test for omitzero. The test calls the method IsZero of the type, or of a
// pointer to the type. Without such a method, it compares the value with the zero value. A nil
// pointer or interface counts as zero, and IsZero is not called for it. If the value is not
// addressable, a method with a pointer receiver is called for a copy.
func zeroness(t reflect.Type, addressable bool) omitTest {
	switch {
	case t.Implements(zeroerType):
		return func(p mem.Pointer) bool {
			v := reflect.NewAt(t, mem.RawAs(p, t)).Elem()
			switch v.Kind() {
			case reflect.Pointer:
				if v.IsNil() {
					return true
				}
			case reflect.Interface:
				if v.IsNil() || v.Elem().Kind() == reflect.Pointer && v.Elem().IsNil() {
					return true
				}
			}
			return v.Interface().(zeroer).IsZero()
		}
	case reflect.PointerTo(t).Implements(zeroerType):
		return func(p mem.Pointer) bool {
			v := reflect.NewAt(t, mem.RawAs(p, t))
			if !addressable {
				v = reflect.New(t)
				v.Elem().Set(reflect.NewAt(t, mem.RawAs(p, t)).Elem())
			}
			return v.Interface().(zeroer).IsZero()
		}
	}
	return isZero(t)
}

// isZero returns a test for the zero value of t.
//
// This function must not be inlined. Otherwise, the inlined call would contain a copy of the
// closure, and the compiler would not inline mem.RawAs in this copy.
//
//go:noinline
func isZero(t reflect.Type) omitTest {
	return func(p mem.Pointer) bool { return reflect.NewAt(t, mem.RawAs(p, t)).Elem().IsZero() }
}

// base returns the base address for the offset of a step. This is either p, which is the address of
// the struct, or the address to which the last hop leads. If the step is omitted, base returns nil.
func (o *encodeOmit) base(e *encoder, p mem.Pointer) (from mem.Pointer) {
	for i := range o.hops {
		to := *mem.At[mem.Raw](p, o.hops[i].Offset)
		if to == nil {
			return from
		}
		p = mem.Of(to, o.hops[i].Type)
	}
	at := mem.Add(p, o.offset)
	omitted := false
	switch o.quick {
	case quickNever:
	case quickWord:
		omitted = *mem.FirstWord(at) == nil
	case quickLength:
		omitted = *mem.At[mem.Length](at, strconv.IntSize/8) == 0
	case quick64:
		omitted = *mem.At[uint64](at, 0) == 0
	case quick32:
		omitted = *mem.At[uint32](at, 0) == 0
	case quick8:
		omitted = *mem.At[uint8](at, 0) == 0
	default:
		if o.asks {
			e.keepMaps()
		}
		omitted = o.test(at)
	}
	if omitted {
		return from
	}
	return p
}
