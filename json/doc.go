// Package json encodes and decodes JSON with the API and the behaviour of encoding/json, but
// faster. It has the same types, output, decoded values and errors, including the text and the
// offset of errors. To use it, change the import.
//
//	import "github.com/slipstream-go/slipstream/json" // was: encoding/json
//
// The types are aliases of encoding/json's types, so errors.As works with the *json.SyntaxError of
// either package. Both packages call MarshalJSON and UnmarshalJSON. The documentation of
// encoding/json and RFC 8259 define the syntax and the mapping to Go values. The tests also run
// encoding/json's own tests, from the installed Go version, against this package.
//
// # Errors
//
//   - If the input is invalid, the target is unchanged, and none of the target's methods is called.
//     The error is created by encoding/json itself, so its text and offset are the same.
//   - A value that does not fit its target does not stop decoding. The error reports the first such
//     value, with the path of its field.
//   - An error returned by an UnmarshalJSON or UnmarshalText method stops decoding. The caller
//     receives this error unchanged.
//
// In Go 1.27, and in Go 1.26 with GOEXPERIMENT=jsonv2, encoding/json is a new implementation. It
// returns different errors and, in some cases, different results. In such a program, this package
// returns the same errors and results as the new implementation, because it calls encoding/json
// where results may differ. After an error, it decodes the input again with encoding/json, so
// methods may be called twice.
//
// # Beyond encoding/json
//
//	Append, Parse                marshal after what is in a buffer; decode the first value of one; with flags for each call
//	MarshalOf, UnmarshalOf       marshal and unmarshal a value that is not in an interface, with one allocation fewer
//	Get                          finds one value by its path, and only checks the other values
//	Lines                        decodes NDJSON in bounded memory; errors contain line numbers
//	ParseColumns, ParseLines     decode rows or columns into typed columns, like ParseRow and ParseCell; an [Error] contains path and offset
//	Tokenizer, RawValue, Kind    read a document token by token, without allocating
//	Escape, Unescape             convert a single string, like AppendEscape and AppendUnescape
//	UnmarshalRead, MarshalWrite  read from a reader, or write to a writer, in one call
//	RejectDuplicateNames         a flag, like the other [ParseFlags]: exact case of names, exact integers in an any, views instead of copies
//
// Append, Parse, the Tokenizer, Escape, Unescape and the flags have the API of
// github.com/segmentio/encoding/json.
//
// # Memory and lifetime
//
// Decoded values do not refer to the input, unless a flag asks for views. The input may be reused
// after a call returns. UnmarshalJSON receives a part of the input, and must copy the bytes that it
// keeps. Short strings share chunks of 4 KB, so a retained string keeps at most 4 KB alive. A
// retained string that was decoded into type any also keeps up to 31 other short values alive.
// Memory use is proportional to the size of the input. Arrays and objects may be nested up to
// 10,000 levels deep, as in encoding/json. The result of Marshal belongs to the caller.
//
// All functions may be called concurrently. A [Decoder], an [Encoder] or a [Tokenizer] must not be
// used by more than one goroutine at a time.
package json
