// Package transcode turns MessagePack into JSON and JSON into MessagePack, without making Go values in between.
//
//	AppendJSON           one MessagePack value       → JSON text
//	AppendMessagePack    one JSON document           → a MessagePack value
//	WriteJSON            a stream of MessagePack     → lines of JSON (NDJSON)
//	WriteMessagePack     a stream of JSON values     → MessagePack, one value after the other
//
// # MessagePack to JSON
//
//	nil, false, true         null, false, true
//	int of any width         all its digits, those of a uint64 too
//	float32, float64         the fewest digits that tell it from every other number of its width, as in encoding/json; -0 too
//	NaN, +Inf, -Inf          an error; null by NonFiniteAsNull
//	str                      string; \ufffd for each byte that is not UTF-8, or an error by RejectInvalidUTF8
//	bin                      string: base64 in the standard alphabet, padded
//	array                    array
//	map                      object
//	ext -1, a timestamp      string by RFC 3339, in UTC, for the years 0 to 9999; another one is as any other ext
//	any other ext            an error; {"type":5,"data":"base64"} by ExtAsObject, or null by ExtAsNull
//
// Interned strings of package msgpack are such exts, and so are the types that are registered with it.
//
// The keys of an object are strings. Of those of a map,
//
//	str, bin                 are strings of these bytes
//	nil                      is the empty string, as in package msgpack
//	bool, int, float         are what they are as values, in quotes
//	ext -1                   is the string that it is as a value
//	array, map               are an error
//	NaN, ±Inf, other ext     are an error, whatever the flags
//
// # JSON to MessagePack
//
//	null, false, true                       nil, false, true
//	digits alone, from -2⁶³ to 2⁶⁴-1         int in its shortest form, unsigned if it is not negative
//	-0, any other number                    float64, the nearest; beyond its range, an error
//	string                                  str; U+FFFD for each byte that is not UTF-8 and each half of a surrogate pair,
//	                                        or an error by RejectInvalidUTF8
//	array                                   array
//	object                                  map
//
// An integer beyond 64 bits is such another number: like a long fraction, it is rounded.
//
// # Round trips
//
// In both directions arrays and maps keep their order, and a map keeps all its pairs: a key that is there twice stays so.
//
// JSON that became MessagePack comes back as the same values, numbers rounded as said and with texts of the package's choice: 1.0 as
// 1, 1e2 as 100. MessagePack that became JSON comes back without what JSON does not tell: the width of ints and floats; whether
// a number without a fraction was a float (from 2⁵³ on, the integer that its digits write may be another number, which rounds to
// it); bin, timestamps and exts, which are strings or objects then; and keys that were not strings. The JSON that comes of a second
// round is that of the first, byte for byte.
//
// # Errors
//
// An error is an [Error] with offset and path of the value at fault. It wraps io.ErrUnexpectedEOF where MessagePack ends too early,
// and a *json.SyntaxError where JSON is not valid, with the text that encoding/json has for it. The Append functions give dst as it was
// then.
//
// # Limits
//
// Arrays and maps nest at most 10,000 deep. Time and memory are linear in the bytes of the input, at any depth; what lengths and counts
// claim is compared with the bytes that are there. JSON has at most 7 bytes for each of MessagePack, or 10 by ExtAsObject;
// MessagePack has at most 3 for each of JSON, and 9 more. Besides the result, AppendJSON takes some 400 bytes of stack for each level of
// nesting, and AppendMessagePack 24 bytes for each level and 16 for each array or object of 16 elements or more. MessagePack has no
// form for strings of 2³² bytes and more, nor for arrays and maps of as many elements: these are errors.
//
// # Memory and lifetime
//
// No result refers to the input, and nothing allocates but to make dst longer, and for errors. dst and the input must not overlap,
// and all of dst's capacity may be written to. All functions may be called concurrently.
package transcode
