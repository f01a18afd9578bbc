// Package mem contains the unsafe operations of the codecs: the few functions that access memory
// without the compiler's checks.
//
// Only this package may do the following. The comment of each function states what its caller must
// have checked.
//   - read or write a word at an offset that the caller has checked
//   - access a struct field by its offset
//   - use a string as bytes, or bytes as a string, without a copy
//   - read the two words of an interface
//   - make an interface from a type word and a pointer
//   - read the slots of a map
//   - assign to a map whose type is known only at run time
//
// With the build tag purego, loads and stores check their bounds (load_safe.go), and the compiler
// makes the interfaces (face_safe.go). Walks through maps and assignments to maps of run-time types
// are not available then (walk_safe.go, textmap_safe.go).
//
// Two types represent an address. A Raw is an address as stored in memory: a pointer field, or the
// data word of a slice or an interface. A Pointer is an address that the ops of a compiled type (a
// plan) work with: it points into an object whose type the plan knows. Of, ArrayOf and PlaceOf
// return a Pointer. Without the tag invariants, both types are unsafe.Pointer.
//
// With the build tag invariants, a Pointer consists of a base, an offset, a size and a type. Then
// At and RawAs panic if the T lies outside the object or is not aligned. They also panic if T and
// the object differ in which words are pointers, lengths and numbers. View, RawBytes, RawRoom,
// RawOf and FirstWord check only bounds (pointer_invariants.go). The Load, Store and Text
// functions, SetString and SetText check their bounds.
//
// With this tag, a Store or a RawRoom that touches text marked by Seal panics. If such text has
// changed, the next Seal panics, or else a finalizer when the text's chunk is collected
// (seal_invariants.go). The tag can be combined with purego, where the compiler checks Load and
// Store, and with the race detector. In such a build, measured times and allocations are
// meaningless.
//
// Some functions check nothing, even with the tag invariants:
//   - Next steps through the ops of a plan, never through values. A mark shows which op is the
//     last.
//   - RawAt and RawAdd access memory that no plan describes.
//   - SetUTC takes an argument of its Go type.
//   - GrowSlice leaves the work to package reflect.
//   - The walks in walk.go and slots.go only read. At start-up they test whether maps have the
//     expected memory layout.
package mem
