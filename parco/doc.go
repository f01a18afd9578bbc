// Package parco is the API of Parco (github.com/sonirico/parco) over package schema: change the import, and a program writes and reads the same
// bytes, faster, and with errors for what is wrong.
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
// A model becomes one schema, with all that lies in it, when it is first used. What is wrong with the model is an [ErrCompile] then. The
// bytes are drawn in package schema; docs/from-parco.md tells what differs from Parco, and how to go on.
//
// # Errors
//
// An error of a message is a [schema.Error], with its offset and the path of the field: errors.As. It is one of schema's errors, and one of
// Parco's where it has one for it: errors.Is. Fields have no names in Parco, so they are called by their numbers: in #4[1], at byte 12, is
// the second element of the fourth field.
//
// # What is not of this package
//
// Types, fields, parsers and compilers of one's own may be in a model, where Parco's may; so may headers. They are called for each value,
// with a reader of all that follows: they must take the bytes of the value only. What embeds a type of this package is its own type: its
// methods are called.
//
// # Values
//
// A message is read into what the factory makes, a model within another too. Slices, maps and blobs that are empty on the wire are read
// as empty ones, not nil, as fields and alone; within others, maps and blobs are nil then. What is given to Parse and Compile is not kept.
//
// # Cost
//
// Getters and setters are called for each value: some 6 ns for a number, a time or a string, more for what must lie in memory meanwhile. A field of
// package schema has none of it: it knows where in the struct it is. A parser makes one value for each message, because setters take
// its address.
package parco
