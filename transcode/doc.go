// Package transcode converts MessagePack to JSON and JSON to MessagePack without building Go
// values.
//
//	AppendJSON           one MessagePack value       → JSON text
//	AppendMessagePack    one JSON document           → a MessagePack value
//	WriteJSON            a stream of MessagePack     → lines of JSON (NDJSON)
//	WriteMessagePack     a stream of JSON values     → MessagePack, one value after the other
//
// # MessagePack to JSON
//
//	nil, false, true         null, false, true
//	int of any width         all its digits, also for a uint64
//	float32, float64         the fewest digits that distinguish it from every other number of its width, as in encoding/json; also for -0
//	NaN, +Inf, -Inf          an error; null with NonFiniteAsNull
//	str                      string; \ufffd for each byte that is not UTF-8, or an error with RejectInvalidUTF8
//	bin                      string: base64 in the standard alphabet, padded
//	array                    array
//	map                      object
//	ext -1, a timestamp      string by RFC 3339, in UTC, for the years 0 to 9999; otherwise it is treated as any other ext
//	any other ext            an error; {"type":5,"data":"base64"} with ExtAsObject, or null with ExtAsNull
//
// The interned strings of package msgpack, and the types registered with that package, count as
// "any other ext".
//
// The keys of a JSON object are strings. The keys of a MessagePack map are converted like this:
//
//	str, bin                 a string of the same bytes
//	nil                      the empty string, as in package msgpack
//	bool, int, float         the same text as for a value, in quotes
//	ext -1                   the same string as for a value
//	array, map               an error
//	NaN, ±Inf, other ext     an error, with any flags
//
// # JSON to MessagePack
//
//	null, false, true                       nil, false, true
//	digits alone, from -2⁶³ to 2⁶⁴-1         int in its shortest form, unsigned if it is not negative
//	-0, any other number                    float64, the nearest; beyond its range, an error
//	string                                  str; U+FFFD for each byte that is not UTF-8 and each half of a surrogate pair,
//	                                        or an error with RejectInvalidUTF8
//	array                                   array
//	object                                  map
//
// An integer of more than 64 bits becomes a float64, and is rounded in the same way as a long
// fraction.
//
// # Round trips
//
// Both directions keep the order of arrays and maps, and all pairs of a map, including repeated
// keys.
//
// From JSON to MessagePack and back, values are unchanged, except that numbers are rounded as
// described above. The text of numbers may change: 1.0 becomes 1, and 1e2 becomes 100.
//
// From MessagePack to JSON and back, the following properties are lost, because JSON cannot express
// them:
//
//   - the width of ints and floats;
//   - whether a number without a fraction was a float. For a float of 2⁵³ or more, the digits in
//     JSON may denote a different integer, which rounds to the same float;
//   - bin, timestamps and other exts, which become strings or objects;
//   - keys that are not strings.
//
// A second round trip produces the same JSON, byte for byte.
//
// # Errors
//
// An error is an [Error] with the offset and the path of the value that failed. For incomplete
// MessagePack input, it wraps io.ErrUnexpectedEOF. For invalid JSON input, it wraps a
// *json.SyntaxError with encoding/json's text. After an error, the Append functions return dst
// unchanged.
//
// # Limits
//
// Arrays and maps may be nested up to 10,000 levels deep. Time and memory are linear in the size of
// the input, at any depth. Lengths and counts in the input are checked against the number of
// available bytes.
//
//	output      JSON: at most 7 bytes for a byte of MessagePack, or 10 with ExtAsObject
//	            MessagePack: at most 3 bytes for a byte of JSON, plus 9
//	memory      AppendJSON: about 400 bytes of stack for a level of nesting
//	            AppendMessagePack: 24 bytes for a level of nesting, and 16 for each array or object of
//	            16 elements or more
//
// Strings of 2³² bytes or more, and arrays and maps of 2³² elements or more, are errors, because
// MessagePack cannot express them.
//
// # Memory and lifetime
//
// Results do not refer to the input. The functions allocate memory only to extend dst, and for
// errors. The memory of dst and of the input must not overlap. The functions may write to all of
// dst's capacity. All functions may be called concurrently.
package transcode
