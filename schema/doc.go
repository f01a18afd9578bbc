// Package schema reads and writes a binary format whose schema is Go code. Both ends know the
// schema, so messages contain values only: no names, tags, types or versions. The encoding is the
// same as in Parco (github.com/sonirico/parco).
//
//	var pets = schema.Struct(
//		schema.F("name", func(p *Pet) *string { return &p.Name }, schema.Str8),
//		schema.F("age", func(p *Pet) *uint8 { return &p.Age }, schema.U8))
//
//	b, err = pets.Append(b, &pet)
//	rest, err := pets.Parse(b, &pet)
//
// # Bytes
//
// A message is the sequence of its fields, in the order of the schema, without padding.
//
//	03 63 61 74   03        {name str8, age u8}: a length and as many bytes; a number
//	02  01 00  02 00        list8(u16): a count, elements
//	01  01 61 05            map8(str8,u8): a count, and for each entry a key and a value
//	00 / 01 05              opt(u8): nothing / something
//
// # Go and bytes
//
//	Go                      Type                      bytes
//	bool                    Bool                      00 or 01; nothing else is read
//	int8 … uint64           U8 I8 U16 I16 … U64 I64   as many as the name says, two's complement
//	int, uint               Int, Uint                 8, on every machine
//	float32, float64        F32, F64                  4, 8: IEEE 754
//	string                  Str(h)                    header, bytes, which need not be UTF-8; Str8, Str16, Str32 for short
//	[]byte                  Blob(h)                   header, bytes
//	[]E                     List(h, e)                header, elements
//	[n]E                    Array[[n]E](e)            elements
//	[]E, always n long      Fixed(n, e)               elements
//	map[K]V                 Map(h, k, v)              header, key, value, key, value …
//	*V                      Opt(v)                    00 for nil; or 01, value
//	time.Time               Time                      8: nanoseconds since 1970
//	time.Time               TimeZone                  the same, 01, the name of the zone as Str8
//	struct                  s.Type(), Part(…)         fields
//	the struct around it    Self[T]()                 fields
//	any of the same memory  As[V](t)                  those of t
//	any                     Custom(name, …)           what functions write and read
//	                        Skip[T](n)                n, zeros when written
//
// Numbers are little-endian, except for types such as U16BE. A header h is a number: [H8], [H16],
// [H32], [H64], their big-endian forms, and signed forms for compatibility with Parco.
//
// # Nil, empty and zero values
//
// A nil slice or map is written like an empty one. When an empty slice or map is read, a nil target
// stays nil, and any other target is emptied. The zero time is written as in Parco, as an instant
// in 1754, and that instant is read as the zero time. Any other time that does not fit 64 bits of
// nanoseconds cannot be written: the error is [ErrTime]. A time zone is written as its name. If the
// reader does not know the name, or knows another zone by that name, the error is [ErrZone]. Local
// is the reader's zone. Each zone has only one name: Europe//Berlin, for example, is unknown.
//
// # Later versions
//
// Add new fields at the end, in a [Tail]. Readers see zero values for fields that an older message
// lacks; with an older schema, Parse returns the bytes of unknown fields as the rest. Bytes
// reserved by [Skip] can become fields. [Compat] compares two schemas by their [Shape], and reports
// whether each can read the other's messages. A Shape describes the encoding, and can be stored in
// a file. Two schemas with the same [Schema.Fingerprint], of 8 bytes, have the same encoding.
//
// # Several schemas
//
// A [Registry] distinguishes messages of several schemas by an id before each message, like Parco's
// Multi. Each version has its own id, and [Upgrade] converts older versions, so that a program
// handles only the newest. For long-lived data, [Framed] writes the schema's fingerprint and the
// length before each message.
//
//	00   03 63 61 74   03                                         id u8; a message
//	7b c4 df ac f9 6b ec 42   05 00 00 00   03 63 61 74   03      fingerprint, length u32; a message
//
// # Errors and limits
//
// Reading fails for input that ends too early, bools and options other than 0 and 1, negative
// lengths, and numbers that do not fit. Writing fails for lengths that do not fit their header, and
// for times that have no encoding. An [*Error] contains the field's path and the offset, and its
// text contains both.
//
// No input causes a panic. Elements are allocated only if the input is at least as long as their
// minimum encoding. So memory is bounded by the length of the input times a factor that depends on
// the schema. For example, structs of 1 KB with a minimum encoding of one byte need up to 1 KB of
// memory for each byte of input. [MaxItems] limits elements that take no bytes, [MaxDepth] the
// nesting of recursive types, and [MaxBytes] the length of a message.
//
// # Memory
//
// Parse reuses the memory of the target: the arrays of slices, maps, and the targets of options. It
// reuses the memory of a []byte only with [ReuseBlobs], because a []byte may be a view of an input.
// A map of more than 1000 entries is replaced if the message contains fewer than an eighth as many,
// because clearing a large map is slow. Elements of a reused slice are overwritten field by field,
// so Go fields that are not in the schema keep their values. If two pointers of the target share a
// value, it is overwritten twice. If the caller keeps a pointer p from an option of the target, *p
// changes: it is set to the new string, for example. The bytes of the old string are never
// overwritten.
//
// Strings and blobs are copies of the input. A string of the target may be kept if it equals the
// new string. Other strings of up to 256 bytes share chunks of up to 2 KB with strings of the same
// message. [OwnStrings] allocates each string separately. With [Alias], all strings are views of
// the input.
//
// # Columns
//
// [Shape.Columns] decodes a batch of messages directly into typed columns (package column). The
// batch is a sequence of messages, one for each row, or one message of lists, one for each column.
//
// # Speed
//
// A schema is compiled to a flat program. Structs and arrays are inlined. Consecutive fields of
// fixed size share one bounds check, and adjacent ones are copied together. A list of little-endian
// numbers is one copy. An accessor ([F]) is called when the schema is built, to find the offset of
// its field. It is called again only if it does more than select a field. Schemas from tags
// ([Derive]) use reflection to allocate lists and maps.
package schema
