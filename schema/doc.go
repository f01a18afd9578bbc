// Package schema reads and writes a binary format whose schema is Go code. Both ends know the schema, so nothing of it is on the wire: no
// names, tags, types or versions. The bytes are those of Parco (github.com/sonirico/parco).
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
// A message is its fields, one after the other, in the order of the schema. There is no padding.
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
// Numbers are little-endian; U16BE and those like it are big-endian. A header h is a number of its own: [H8], [H16], [H32], [H64], big-endian
// ones, and signed ones for what Parco has of them.
//
// # What is nothing
//
// Nothing on the wire tells a nil slice or map from an empty one. When one without elements is read, nil stays nil, and what is
// there is emptied. The zero time is written as Parco writes it, which is an instant in 1754, and that instant reads as the zero time. Other
// times that 64 bits of nanoseconds do not hold cannot be written: [ErrTime]. A zone is known by its name only: one that the reader
// cannot find by it, or finds another by it, is [ErrZone]. Local is the reader's zone. A zone has one name: Europe//Berlin is none.
//
// # Later versions
//
// Fields that are added at the end go into a [Tail]: who reads an older message gets zeros for them, and who reads with an older schema is left
// with the rest. Bytes kept free by [Skip] can become fields. What else may change, [Compat] tells: it compares two schemas by their [Shape], which
// is what they have on the wire, as data that can be kept in a file. A [Schema.Fingerprint] tells in 8 bytes whether they are the same.
//
// # Several schemas
//
// A [Registry] tells messages of several schemas apart by an id before each, as Parco's Multi does. Older versions have ids of their own:
// [Upgrade] makes new ones of them, so that programs know the newest only. What is kept for long may be [Framed]: the fingerprint of its schema
// and its length are before each message.
//
//	00   03 63 61 74   03                                         id u8; a message
//	7b c4 df ac f9 6b ec 42   05 00 00 00   03 63 61 74   03      fingerprint, length u32; a message
//
// # What is refused
//
// Reading is strict: input that ends too early, bools and options other than 0 and 1, negative lengths, numbers that do not fit.
// So is writing: lengths that their header cannot hold, times without bytes. An [*Error] has the path of the field and the offset, in its text too.
//
// Whatever the input is, reading it does not panic. Before anything is allocated for elements, as many bytes must be there as they take at least;
// so memory is bounded by the input, times what the schema makes of one byte: a list of structs of 1 KB that may take one byte each makes
// 1 KB of each byte. Elements that take no byte at all are bounded by [MaxItems], values within values of their own type by [MaxDepth], a
// message by [MaxBytes].
//
// # Memory
//
// Parse uses what the target holds again: the arrays of slices, maps, and what options point to, but not the memory of blobs, unless
// [ReuseBlobs] is set. A map of more than 1000 entries is replaced when
// fewer than an eighth of them come: to empty it would take long, each time. Elements of a slice that is used again are written over field by
// field, so what the schema has no field for keeps its value there; what two pointers of a target lead to in common is written over twice.
// A pointer that is kept elsewhere sees the new value: where an option points to a string, that string is set, as *p = s sets it. The
// bytes of the string that was there are not written to.
//
// Strings and blobs are copies of the input. A string that is equal already may stay as it is. Of the others, those of up to 256 bytes share
// chunks of up to 2 KB with others of their message. [OwnStrings] gives each memory of its own; with [Alias] all of them are the input itself.
//
// # Columns
//
// A batch of messages goes straight into typed columns (package column), by [Shape.Columns]: messages that are rows one after the other, or one
// message of lists, which are the columns.
//
// # Speed
//
// A schema becomes a flat program: structs and arrays are inlined, a run of fields of fixed size has one check of its bounds, neighbours
// are moved together, lists of little-endian numbers are one copy. An accessor ([F]) is called when the schema is built, to find out where
// its field is, and not again unless it does more than select a field. Schemas from tags ([Derive]) use reflection where lists and maps are
// made.
package schema
