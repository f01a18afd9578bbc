// Package parco implements the API of Parco (github.com/sonirico/parco) with package schema. A
// program only needs to change its import. It then writes and reads the same bytes, but faster, and
// receives errors in cases where Parco ignores them.
//
//	b := parco.Builder(parco.ObjectFactory[Animal]()).
//		SmallVarchar(
//			func(a *Animal) string { return a.Specie },
//			func(a *Animal, s string) { a.Specie = s }).
//		UInt8(
//			func(a *Animal) uint8 { return a.Age },
//			func(a *Animal, n uint8) { a.Age = n })
//	parser, compiler := b.Parco()
//
//	err := compiler.Compile(animal, w)
//	animal, err := parser.Parse(r)
//
// A model, including its nested models, is compiled to one schema at its first use. Errors in the
// model are reported at that time, as [ErrCompile]. Package schema documents the encoding. The page
// docs/from-parco.md describes the differences from Parco, and the migration to package schema.
//
// # Errors
//
// An error in a message is a [schema.Error] with an offset and a path; use errors.As to get it.
// With errors.Is, it matches one of the errors of package schema, and the corresponding error of
// Parco if there is one. Fields have no names in Parco, so paths contain the numbers of fields:
// #4[1] is the second element of the fourth field.
//
// # Your own types
//
// A model may contain your own types, fields, headers, parsers and compilers, as in Parco. Their
// methods are called for each value. The methods receive a reader of the rest of the message, and
// must read only the bytes of the value. If your type embeds a type of this package, the methods of
// your type are called, not the methods of the embedded type.
//
// # Values
//
// A message is read into a value from the model's factory, and a nested model into a value from the
// nested model's factory. Empty slices, maps and blobs are read as empty values, not as nil. Within
// slices, maps and options, however, empty maps and blobs are read as nil. Parse and Compile do not
// keep their arguments.
//
// # Cost
//
// Getters and setters are called for each value. A call takes about 6 ns for a number, a time or a
// string, and more for values that are passed through a pool. Fields of package schema do not have
// this cost, because their offset in the struct is known. A parser allocates one value for each
// message, because setters take the address of this value.
package parco
