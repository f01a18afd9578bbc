// Package mem contains the unsafe operations of the codecs. These are the few functions that access
// memory without the compiler's checks.
//
// The comment of each function states the conditions that its caller must have checked. Only this
// package may do the following:
//   - read or write a word at an offset that the caller has checked
//   - access a struct field by its offset
//   - use a string as bytes, or bytes as a string, without a copy
//   - read the two words of an interface
//   - make an interface from a type word and a pointer
//   - read the slots of a map
//   - assign to a map whose type is known only at run time
//
// With the build tag purego, loads and stores check their bounds (load_safe.go), and the compiler
// makes the interfaces (face_safe.go). In this build, maps cannot be walked, and maps whose type is
// known only at run time cannot be assigned to (walk_safe.go, textmap_safe.go).
//
// Two types represent an address. A Raw is an address as it is stored in memory, for example in a
// pointer field, or in the data word of a slice or an interface. A plan is a type compiled to a
// list of ops. A Pointer is the address on which these ops operate. It points into an object of a
// type that the plan describes. Of, ArrayOf and PlaceOf return a Pointer. Without the build tag
// `invariants`, both types are unsafe.Pointer.
//
// With the build tag `invariants`, a Pointer consists of a base, an offset, a size and a type. In
// this build, At and RawAs panic if the requested value lies outside the object or is not aligned.
// They also panic if the words of the value do not have the same classes (such as pointer, length
// or number) as the words of the object. View, RawBytes, RawRoom, RawOf and FirstWord check only
// bounds (pointer_invariants.go). The Load, Store and Text functions, SetString and SetText check
// their bounds.
//
// With this tag, the Store functions and RawRoom panic if the memory contains text that Seal has
// marked. If such text has changed, the next call of Seal panics. If there is no such call, a
// finalizer panics when the text's chunk is collected (seal_invariants.go). The tag can be combined
// with the race detector and with the tag purego. With purego, the compiler checks Load and Store.
// In a build with the tag `invariants`, measured times and allocations are meaningless.
//
// Some functions make no checks, even with the tag `invariants`:
//   - Next moves through the ops of a plan, never through values. The last op is marked.
//   - RawAt and RawAdd access memory that no plan describes.
//   - SetUTC has a parameter of type *time.Time instead of Pointer, so the compiler checks the
//     type.
//   - GrowSlice leaves the work to package reflect.
//   - The code in walk.go and slots.go only reads maps. At start-up, it tests whether maps have the
//     expected memory layout.
package mem
