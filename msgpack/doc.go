// Package msgpack reads and writes MessagePack
// (https://github.com/msgpack/msgpack/blob/master/spec.md). It implements the API of
// github.com/vmihailenco/msgpack/v5.
//
// # Bytes
//
//	code      value                 what follows the code
//	00..7f    int 0..127
//	80..8f    map of 0..15          key, value, key, value …
//	90..9f    array of 0..15        element, element …
//	a0..bf    str of 0..31 bytes    the bytes
//	c0 c2 c3  nil false true
//	c1        never used
//	c4 c5 c6  bin                   u8 u16 u32 length, the bytes
//	c7 c8 c9  ext                   u8 u16 u32 length, i8 type, the bytes
//	ca cb     float32 float64       IEEE 754
//	cc..cf    uint8..uint64
//	d0..d3    int8..int64
//	d4..d8    ext of 1 2 4 8 16     i8 type, the bytes
//	d9 da db  str                   u8 u16 u32 length, the bytes
//	dc dd     array                 u16 u32 count, the elements
//	de df     map                   u16 u32 count, the pairs
//	e0..ff    int -32..-1
//
// All numbers are big-endian.
//
// # Go and MessagePack
//
//	Go                              written as                            read from
//	int, uint (and their kinds)     the shortest int                      any int; a float without a fraction
//	int8 … uint64                   their own width                       the same
//	float32, float64                float32, float64                      any number
//	string                          str                                   str, bin
//	[]byte, [n]byte                 bin                                   bin, str
//	slice, array                    array                                 array
//	map                             map                                   map
//	struct                          map by field names; array by option   map; array, by position
//	time.Time                       ext -1                                ext -1; str by RFC 3339; array of seconds, nanoseconds
//	time.Duration                   int64, nanoseconds                    any int
//	Ext                             ext                                   any ext
//	pointer, interface              what it holds, or nil                 see below
//	any, when reading                                                     int8 … uint64 as sent, float32, float64, string,
//	                                                                      []byte, []any, map[string]any, time.Time
//
// In a target of type any, a map whose keys are not strings becomes a map[K]any, or a map[any]any
// if its keys have several types. A nil in the input sets the target to its zero value, but leaves
// a Go array unchanged.
//
// A type can have methods that encode and decode its values. The package looks for interfaces in
// this order: [CustomEncoder] and [CustomDecoder], [Marshaler] and [Unmarshaler],
// encoding.BinaryMarshaler and encoding.BinaryUnmarshaler, encoding.TextMarshaler and
// encoding.TextUnmarshaler. A codec set by [Register] and an ext type set by [RegisterExt] have
// precedence over methods. Decoding an ext into type any yields a value of the Go type that is
// registered for the ext.
//
// # Tags
//
//	Field int `msgpack:"name,omitempty"`        another name; omitted when empty
//	Field T   `msgpack:",omitzero"`             omitted when zero, as in encoding/json
//	Field int `msgpack:"name,alias:old"`        also read under this name; may be repeated
//	Field string `msgpack:",intern"`            written once, then as a number; also a string in an interface
//	Field int `msgpack:"-"`                     skipped
//	Inner     `msgpack:",inline"`               fields of an embedded struct: inline or noinline
//	_msgpack struct{} `msgpack:",as_array"`     the whole struct as an array; with any_length, of any length
//	_msgpack struct{} `msgpack:",omitempty"`    omitempty for all fields that follow
//
// If a type has an IsZero method, the method reports whether a value is empty. Otherwise, the
// following values are empty: false, 0, nil, a string, slice or map of length 0, an interface that
// contains an empty value, and a struct whose fields would all be omitted and whose unexported
// fields are zero. [EncodeOptions.JSONOmitEmpty] selects the rules of encoding/json.
//
// # Interned strings
//
// With [Encoder.UseInternedStrings], the encoder numbers its strings. If it has written a string
// before, it writes the string's number instead, in 3 or 4 bytes. The decoder needs the same
// option, and must read or skip all values in the order in which they were written. Strings inside
// a [RawMessage], the bytes of a [Marshaler] or the data of an ext are not numbered. So a value
// that was written in one of these forms must also be read in one of these forms: as a RawMessage,
// by an [Unmarshaler], or as an ext. The decoder accepts the number of a string in place of any
// string, including a key or a string that is decoded into type any.
//
// # Columns
//
// [Decoder.DecodeColumns] and [Decoder.DecodeRows] read a batch into typed slices (package column).
// They do not allocate per cell, and do not allocate at all if the batch is reused. They return an
// error for text that is not UTF-8, and for an integer that would be rounded in a column of floats.
//
// # Streams
//
// An [Encoder] calls Write once per value. A [Decoder] reads values from any io.Reader. [Values],
// [Elements] and [Entries] return iterators over streams, arrays and maps that may be larger than
// memory. A [Buffer] is a queue of bytes for building and parsing messages. It can prepend a header
// to the body, refer to large bodies without copying them, and write everything with one writev. A
// [Feed] accepts chunks of any size, and reports when a value is complete.
//
// # Parts of a value
//
// A [Raw] is a view of the bytes of an encoded value. Its methods return the parts of the value as
// Raw, or as Go values. [Decoder.Query] and [Raw.Query] select parts by a path such as
// users.*.name. A [RawMessage] is a copy of the bytes of an encoded value.
//
// # Options
//
// The options of vmihailenco/msgpack are methods of [Encoder] and [Decoder]. Other options are
// fields of [DecodeOptions] (strictness, limits, views instead of copies) and of [EncodeOptions]
// (canonical output, the rules of encoding/json). [DecodeOptions.Unmarshal] and
// [EncodeOptions.Marshal] apply them to a single value.
//
// # Canonical bytes
//
// With [EncodeOptions.Canonical], equal values have equal bytes, independent of their Go types. Use
// this option for signatures, hashes and comparison. The rules do not depend on Go;
// vectors/msgpack.txt contains examples. To check whether bytes are canonical, decode them, encode
// them with this option, and compare.
//
// # Memory and lifetime
//
// Decoded values do not refer to the input, and the caller may reuse the input as soon as a call
// returns. There are exceptions, which the caller must request: with [Raw], [Buffer.ShareMin] and
// [DecodeOptions.ZeroCopy], results are views of the input. A []byte in the target may be such a
// view. So the decoder does not overwrite its bytes, unless [DecodeOptions.ReuseBytes] is set.
//
// Short strings and []byte share chunks of 2 KB. So a retained string or []byte keeps up to 2 KB
// alive. Short values that were decoded into type any share slabs: a retained value also keeps up
// to 31 other short values alive.
//
// # Limits and errors
//
// Before the decoder allocates memory for a length or a count in the input, it checks this number
// against the available bytes. Values may be nested up to 10,000 levels deep. An [Error] contains
// the offset and the path of the value that failed.
package msgpack
