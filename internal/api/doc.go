// Package api lists the exported identifiers of Go packages, for tests that compare the APIs of two
// packages.
//
// A line describes one exported identifier. The lines have the form of the files in Go's own api
// directory, but use the type names byte and any:
//
//	pkg msgpack, func Marshal(any) ([]byte, error)
//	pkg msgpack, method (*Decoder) Decode(any) error
//	pkg msgpack, type RawMessage []byte
//	pkg msgpcode, var Nil byte
//
// Parameter names are omitted, aliases are resolved, and an unexported named type is replaced by
// its underlying type. So two lines are equal if a caller cannot distinguish the two identifiers.
package api
