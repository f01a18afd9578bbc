// Package schema reads and writes a binary format whose schema is Go code. Both ends know the
// schema, so messages contain only values, without names, tags, types or versions. The encoding is
// the same as in Parco (github.com/sonirico/parco).
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
// A nil slice or map is written like an empty slice or map. When an empty slice or map is read, a
// nil target stays nil, and any other target is emptied. The zero time is written as in Parco, as
// an instant in 1754, and that instant is read as the zero time. Any other time that does not fit
// 64 bits of nanoseconds cannot be written: the error is [ErrTime]. A time zone is written as its
// name. If the reader does not know the name, or the name refers to another zone, the error is
// [ErrZone]. The name Local means the reader's local zone. Each zone has only one name. For
// example, the name Europe//Berlin is unknown.
//
// # Later versions
//
// Add new fields at the end, in a [Tail]. Readers see zero values for fields that an older message
// lacks; with an older schema, Parse returns the bytes of unknown fields as the rest. Bytes
// reserved by [Skip] can be replaced by fields. [Compat] compares two schemas by their [Shape], and
// reports whether each can read the other's messages. A Shape describes the encoding, and can be
// stored in a file. Schemas with the same 8-byte [Schema.Fingerprint] have the same encoding.
//
// # Several schemas
//
// A [Registry] distinguishes messages of several schemas by an id before each message, like Parco's
// Multi. Each version of a schema has its own id, and [Upgrade] converts older versions, so that a
// program handles only the newest version. For long-lived data, [Framed] writes the schema's
// fingerprint and the message's length before each message.
//
//	00   03 63 61 74   03                                         id u8; a message
//	7b c4 df ac f9 6b ec 42   05 00 00 00   03 63 61 74   03      fingerprint, length u32; a message
//
// # Errors and limits
//
// Reading fails for input that ends too early, for bools and options other than 0 and 1, for
// negative lengths, and for numbers that do not fit. Writing fails for lengths that do not fit
// their header, and for times that have no encoding. An [*Error] contains the path and the offset
// of the field, and the error text contains both.
//
// No input causes a panic. Elements are allocated only if the input is at least as long as their
// minimum encoding. So memory use is limited to the length of the input times a factor that depends
// on the schema. For example, structs of 1 KB with a minimum encoding of one byte need up to 1 KB
// of memory per byte of input. [MaxItems] limits the number of elements that take no bytes,
// [MaxDepth] limits the nesting of recursive types, and [MaxBytes] limits the length of a message.
//
// # Memory
//
// Parse reuses the memory of the target: maps, the arrays of slices, and the variables to which
// options point. It reuses the memory of a []byte only with [ReuseBlobs], because a []byte may be a
// view of an input. Clearing a large map is slow. So a map with more than 1000 entries is replaced
// if the message contains fewer than an eighth of that number of entries. Elements of a reused
// slice are overwritten field by field, so Go fields that are not in the schema keep their values.
// If two pointers in the target point to the same variable, this variable is overwritten twice. If
// the caller keeps a pointer p from an option in the target, Parse changes *p: for example, it sets
// *p to a new string. The bytes of the old string are never overwritten.
//
// Strings and blobs are copies of the input. If a string in the target equals the new string, Parse
// may keep the old string. Other strings of up to 256 bytes share chunks of up to 2 KB with strings
// of the same message. With [OwnStrings], each string is allocated separately. With [Alias], all
// strings are views of the input.
//
// # Columns
//
// [Shape.Columns] decodes a batch of records directly into typed columns (package column). A batch
// is either a sequence of messages with one message per row, or a single message with one list per
// column.
//
// # Speed
//
// A schema is compiled to a flat program. Structs and arrays are inlined. Consecutive fields of
// fixed size share one bounds check, and fields that are adjacent in memory are copied together. A
// list of little-endian numbers is copied in one step. When the schema is built, an accessor ([F])
// is called to find the offset of its field. After that, it is called again only if it does more
// than select a field. Schemas from struct tags ([Derive]) use reflection to allocate lists and
// maps.
package schema
