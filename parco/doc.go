// Package parco implements the API of Parco (github.com/sonirico/parco) with package schema. After
// a change of the import, a program writes and reads the same bytes, faster, and gets errors where
// Parco ignores them.
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
// A model, with its nested models, is compiled to one schema at its first use. Errors in the model
// are reported at that time, as [ErrCompile]. Package schema documents the encoding, and
// docs/from-parco.md the differences from Parco and the migration to schema.
//
// # Errors
//
// An error in a message is a [schema.Error] with offset and path, for errors.As. With errors.Is, it
// matches one of schema's errors, and the corresponding error of Parco if there is one. Fields have
// no names in Parco, so paths use their numbers: #4[1] is the second element of the fourth field.
//
// # Your own types
//
// A model may contain your own types, fields, headers, parsers and compilers, as in Parco. Their
// methods are called for each value. They receive a reader of the rest of the message, and must
// read only the bytes of the value. If your type embeds a type of this package, your type's methods
// are called.
//
// # Values
//
// A message is read into a value from the factory, and a nested model into a value from its own
// factory. Empty slices, maps and blobs are read as empty, not nil; within slices, maps and
// options, empty maps and blobs are nil. Parse and Compile do not keep their arguments.
//
// # Cost
//
// Getters and setters are called for each value: about 6 ns for a number, a time or a string, and
// more for values that go through a pool. Fields of package schema have no such cost, because they
// know their offset in the struct. A parser allocates one value for each message, because setters
// take its address.
package parco
