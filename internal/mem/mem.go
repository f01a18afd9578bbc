package mem

import (
	"reflect"
	"unsafe"
)

// String returns b as a string without copying it. b must not change while the string is in use.
func String(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Bytes returns the bytes of s without copying them. The caller must not write to them.
func Bytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// SameRoom reports whether a and b begin at the same address and have the same capacity.
func SameRoom(a, b []byte) bool {
	return cap(a) == cap(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

// SameText reports whether a and b occupy the same memory. If they do, they are equal, and their
// bytes need not be compared.
func SameText(a, b string) bool {
	return len(a) == len(b) && unsafe.StringData(a) == unsafe.StringData(b)
}

// Slice is the header of a slice of any type.
type Slice struct {
	Data     Raw
	Len, Cap int
}

// Face consists of the two words of an interface without methods.
type Face struct {
	Type Raw
	Data Raw
}

// FaceOf returns the type word and the data word of v. For a pointer-shaped type, the data word is
// the value itself. For other types, it points to the value.
func FaceOf(v any) Face { return *(*Face)(Raw(&v)) }

// TypeWord returns the type word of an interface that holds values of type t.
func TypeWord(t reflect.Type) Raw { return (*Face)(Raw(&t)).Data }

// Indirect reports how an interface stores a value of type t. It returns true if the data word
// points to the value, and false if the data word is the value itself. Releases of Go differ in
// which structs and arrays they store in the data word itself. So Indirect makes an interface with
// a zero value: if its data word is nil, the data word is the value itself.
func Indirect(t reflect.Type) bool {
	return t.Kind() == reflect.Interface || FaceOf(reflect.Zero(t).Interface()).Data != nil
}

// NewAt returns the address of a new zero value of t.
func NewAt(t reflect.Type) Raw { return reflect.New(t).UnsafePointer() }

// GrowSlice increases the capacity of the slice at s to at least n elements. It keeps the elements
// and the length, and zeroes the new memory.
func GrowSlice(s *Slice, sliceType reflect.Type, n int) {
	v := reflect.NewAt(sliceType, Raw(s)).Elem()
	v.Grow(n - s.Len)
}

// ValueAt returns the addressable value of type t at p, like reflect.NewAt(t, p).Elem(). The
// argument `pointerWord` is the type word of *t, so that ValueAt need not look up that type.
func ValueAt(t reflect.Type, pointerWord Raw, p Pointer) reflect.Value {
	if BoxWorks() {
		return reflect.ValueOf(PointerFace(pointerWord, p)).Elem()
	}
	return reflect.NewAt(t, RawOf(p)).Elem()
}

// EmptyData returns the data pointer of a slice that is empty but not nil.
func EmptyData() Raw { return Raw(&empty) }

var empty struct{}

// Aligned returns n bytes whose address is aligned for every type.
func Aligned(n int) []byte {
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(Raw(unsafe.SliceData(words))), n)
}
