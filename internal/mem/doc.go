// Package mem is the unsafe room: the few verbs by which the codecs touch memory without the compiler's help.
//
// What may be done here and nowhere else: read or write a word at an offset that the caller has checked, reach a struct
// field by its offset, view a string as bytes or bytes as a string, look at the two words of an interface, make an interface
// from a type word and a pointer, read the slots of a map, and assign to one whose type is met at run time. Each verb states what its caller must have checked.
//
// The tag purego replaces the unchecked words by checked ones (load_safe.go), boxing by the compiler's own (face_safe.go) and
// the walk through a map and the assignment to one by none (walk_safe.go, textmap_safe.go).
package mem
