// Package mem is the unsafe room: the few verbs by which the codecs touch memory without the
// compiler's help.
//
// What may be done here and nowhere else: read or write a word at an offset that the caller has
// checked, reach a struct field by its offset, view a string as bytes or bytes as a string, look at
// the two words of an interface, make an interface from a type word and a pointer, read the slots
// of a map, and assign to one whose type is met at run time. Each verb states what its caller must
// have checked.
//
// The tag purego replaces the unchecked words by checked ones (load_safe.go), boxing by the
// compiler's own (face_safe.go) and the walk through a map and the assignment to one by none
// (walk_safe.go, textmap_safe.go).
//
// An address has two types. Raw is what lies in memory: a pointer field, the data word of a slice
// or an interface. Pointer is what ops carry: a place whose object the plan names. Of, ArrayOf and
// PlaceOf make a Pointer of a Raw. Without tags both are unsafe.Pointer.
//
// The tag invariants makes Pointer a base, an offset, a size and a type. Then At and RawAs panic
// when the T lies outside the object, is not aligned, or asks for pointers, lengths and numbers
// where the object has others. View, RawBytes, RawRoom, RawOf and FirstWord check bounds only
// (pointer_invariants.go). Load, Store, Text, SetString and SetText check their bounds. A Store or
// a RawRoom over text that Seal was told of panics, and so do the next Seal and the collector if
// such text has changed (seal_invariants.go). The tag combines with purego, where the compiler
// checks Load and Store, and with the race detector. Allocations and time mean nothing in such a
// build.
//
// Not checked, and why: Next, which goes through the ops of a plan, of which the last says that it
// is the last, and never through values; RawAt and RawAdd, which are for memory that no plan
// describes; SetUTC, whose argument has its Go type; GrowSlice, which package reflect does; the
// walks of walk.go and slots.go, which try at start-up whether maps lie in memory as they take it,
// and only read.
package mem
