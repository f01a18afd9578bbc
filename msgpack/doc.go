// Package msgpack reads and writes MessagePack (https://github.com/msgpack/msgpack/blob/master/spec.md), with the API of
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
// Read into an any, a map whose keys are not strings is a map[K]any, or a map[any]any if its keys are of several types. nil reads
// as the zero value of every type but an array, which it leaves alone.
//
// A type may write and read itself: [CustomEncoder] and [CustomDecoder] first, then [Marshaler] and [Unmarshaler],
// encoding.BinaryMarshaler, encoding.TextMarshaler and their counterparts. What is registered for a type goes before all of
// these: a codec by [Register], an ext by [RegisterExt]. Read into an any, an ext is what it is registered for.
//
// # Tags
//
//	Field int `msgpack:"name,omitempty"`        another name; left out when empty
//	Field T   `msgpack:",omitzero"`             left out when zero, as in encoding/json
//	Field int `msgpack:"name,alias:old"`        read under other names too: as many as there are aliases
//	Field string `msgpack:",intern"`            written once, then as a number; of interfaces, the strings they hold
//	Field int `msgpack:"-"`                     skipped
//	Inner     `msgpack:",inline"`               fields of an embedded struct: inline or noinline
//	_msgpack struct{} `msgpack:",as_array"`     the whole struct as an array; with any_length, one that may be shorter or longer
//	_msgpack struct{} `msgpack:",omitempty"`    omitempty for all fields that follow
//
// Empty is what its own IsZero method says; else false, 0, nil, a string, slice or map without elements, an interface that holds
// something empty, and a struct of which nothing would be written and whose unexported fields are zero.
// [EncodeOptions.JSONOmitEmpty] has the rules of encoding/json.
//
// # Interned strings
//
// With [Encoder.UseInternedStrings], a string that the encoder has written before is written as its number, in 3 or 4 bytes.
// The decoder must have the option on as well and read all that was written, in order, skipped or not. Strings do not count
// inside a [RawMessage], the bytes of a [Marshaler] or the data of an ext: what was written as one of these must be read as
// one. Numbers are read where a string or an any is wanted, and as keys.
//
// # Columns
//
// [Decoder.DecodeColumns] and [Decoder.DecodeRows] read a whole batch into typed slices (package column), with no
// allocation for a cell and none at all when the batch is reused.
//
// # Streams
//
// An [Encoder] writes once for each call, and a [Decoder] reads values from any reader while they arrive. [Values], [Elements] and
// [Entries] loop over streams, arrays and maps that need not fit into memory. A [Buffer] is where messages are built and taken apart:
// headers in front, large bodies by reference, out by one writev. A [Feed] takes bytes as they come and says when a value is whole.
//
// # Parts of a value
//
// [Raw] is a value that is not decoded: a view of its bytes, with steps down to its parts and methods that read them.
// [Decoder.Query] and [Raw.Query] follow a path such as users.*.name. A [RawMessage] is a copy to keep.
//
// # Options
//
// The original's options are methods of [Encoder] and [Decoder]. Those beyond are fields of [DecodeOptions] (strictness, limits,
// views instead of copies) and [EncodeOptions] (canonical output, the rules of encoding/json), which have Unmarshal and Marshal of
// their own.
//
// # Canonical bytes
//
// With [EncodeOptions.Canonical], equal values have equal bytes, whatever their Go types are: for signatures, hashes and comparison.
// The rules are few and do not depend on Go; the file vectors/msgpack.txt has examples. Bytes are canonical if decoding and encoding
// them so gives the same bytes.
//
// # Memory and lifetime
//
// Nothing that is decoded refers to the input, and the input may be reused as soon as a call returns; what is called a view,
// [Buffer.ShareMin] and [DecodeOptions.ZeroCopy] are the exceptions, to be asked for. Memory that a []byte of the target refers to is
// never written, since it may be such a view: see [DecodeOptions.ReuseBytes]. Short strings and []byte share chunks of 2 KB: one that is
// kept keeps at most 2 KB alive, and in an any up to 31 other short values beside it. Claimed lengths are compared with the bytes
// that are there before anything is made for them. Values nest at most 10,000 deep. An [Error] says where: offset and path.
package msgpack
