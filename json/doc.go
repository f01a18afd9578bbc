// Package json is encoding/json, faster: the same functions and types, the same bytes, the same values, the same errors to the letter and the
// offset. To use it, change the import.
//
//	import "github.com/slipstream-go/slipstream/json" // was: encoding/json
//
// The types are encoding/json's own, by alias: errors.As finds a *json.SyntaxError of either package, and a method
// MarshalJSON or UnmarshalJSON is a method for both. What counts as JSON, and which Go value it becomes, is in the documentation of
// encoding/json and in RFC 8259; it is not repeated here. Tests run the tests of the Go that is installed against this package.
//
// # What is promised of errors
//
//   - Input that is not valid leaves the target as it was, and no method of the caller has been called with a part of it. The error has
//     encoding/json's text and offset: it is encoding/json's own, which is asked when something is wrong.
//   - A value that does not fit its target does not keep the others from being decoded; the first one is the error, with the path of fields.
//   - An error of a method of the caller ends decoding, and is returned as it is.
//
// With GOEXPERIMENT=jsonv2, as in Go 1.27, encoding/json has other errors, and some other results. They are the ones of this package then: it
// leaves what may differ to encoding/json, and what ends with an error is tried again there, methods of the caller's included.
//
// # Beyond encoding/json
//
//	Append, Parse                marshal after what is in a buffer; decode the first value of one; with flags for each call
//	MarshalOf, UnmarshalOf       for values that are in no interface: an allocation less
//	Get                          one value by its path, the others only checked
//	Lines                        NDJSON, in bounded memory, with the numbers of bad lines
//	ParseColumns, ParseLines     rows or columns into typed columns, and ParseRow, ParseCell; their [Error] has path and offset
//	Tokenizer, RawValue, Kind    a document token by token, without allocating
//	Escape, Unescape             strings by themselves, and AppendEscape, AppendUnescape
//	UnmarshalRead, MarshalWrite  from a reader, to a writer, in one call
//	RejectDuplicateNames         and other [ParseFlags]: exact case of names, integers kept whole in an any, views instead of copies
//
// Append, Parse, the Tokenizer, Escape, Unescape and the flags are those of github.com/segmentio/encoding/json.
//
// # Memory and lifetime
//
// Nothing that is decoded refers to the input, unless a flag asks for views, and the input may be reused as soon as a call returns; an
// UnmarshalJSON gets a part of the input and must copy what it keeps. Short strings are cut from chunks of 4 KB: one that is kept keeps
// at most 4 KB alive, and in an any up to 31 other short values beside it. Memory is made for what is there, not for what the input
// claims. Arrays and objects nest at most 10,000 deep, as in encoding/json. What Marshal returns belongs to the caller.
//
// All functions may be called at the same time. A [Decoder], an [Encoder] and a [Tokenizer] are for one goroutine each.
package json
