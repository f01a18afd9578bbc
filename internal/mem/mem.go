package mem

import (
	"reflect"
	"unsafe"
)

// String views b as a string, without a copy: b must not change as long as the string is in use.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Bytes views s as bytes, without a copy: they must not be written to.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// SameRoom reports whether a and b begin at the same place and have the same capacity.
func SameRoom(a, b []byte) bool {
	return cap(a) == cap(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

// SameText reports whether a and b are the same place in memory: then they are equal without a look
// at it.
func SameText(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

// Slice is the header of any slice.
type Slice struct {
	Data     Raw
	Len, Cap int
}

// Face is an interface without methods, as its two words.
type Face struct {
	Type Raw
	Data Raw
}

// FaceOf is v's two words. For a pointer-shaped type the data word is the value itself, else it
// points to it.
func FaceOf(v any) Face { return *(*Face)(Raw(&v)) }

// TypeWord is the word that an interface holds for values of type t.
func TypeWord(t reflect.Type) Raw { return (*Face)(Raw(&t)).Data }

// Indirect reports whether an interface holds a pointer to values of t, not the value itself. Which
// structs and arrays are held themselves differs between releases of Go, so the runtime is asked: a
// zero value that is held itself is a nil word.
func Indirect(t reflect.Type) bool {
	return t.Kind() == reflect.Interface || FaceOf(reflect.Zero(t).Interface()).Data != nil
}

// NewAt is the address of a new zero value of t.
func NewAt(t reflect.Type) Raw { return reflect.New(t).UnsafePointer() }

// GrowSlice gives the slice at s room for n elements of t, keeping its elements; the new room is
// zeroed. It leaves the length as it is.
func GrowSlice(s *Slice, sliceType reflect.Type, n int) {
	v := reflect.NewAt(sliceType, Raw(s)).Elem()
	v.Grow(n - s.Len)
}

// ValueAt is the addressable value of type t at p, as reflect.NewAt(t, p).Elem() gives it. With the
// type word of *t it need not look that type up.
func ValueAt(t reflect.Type, pointerWord Raw, p Pointer) reflect.Value {
	if BoxWorks() {
		return reflect.ValueOf(PointerFace(pointerWord, p)).Elem()
	}
	return reflect.NewAt(t, RawOf(p)).Elem()
}

// EmptyData is what a slice without elements, which is not nil, points to.
func EmptyData() Raw { return Raw(&empty) }

var empty struct{}

// Aligned is n bytes that begin where any type may.
func Aligned(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(Raw(unsafe.SliceData(words))), n)
}
