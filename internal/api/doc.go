// Package api prints what Go packages export, for tests that hold one package's surface to
// another's.
//
// A line stands for one exported name, in the form of the files in Go's own api directory, with
// byte and any written so:
//
//	pkg msgpack, func Marshal(any) ([]byte, error)
//	pkg msgpack, method (*Decoder) Decode(any) error
//	pkg msgpack, type RawMessage []byte
//	pkg msgpcode, var Nil byte
//
// Names of parameters are left out, aliases are followed, and an unexported named type stands as
// what it is made of, so that two lines are equal when a caller cannot tell the two symbols apart.
package api
