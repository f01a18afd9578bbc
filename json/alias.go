package json

import "encoding/json"

// These types are aliases of encoding/json's types. So errors.As works with the error types of both
// packages, and a type that implements Marshaler or Unmarshaler of one package also implements the
// interface of the other package. Package encoding/json documents them.
type (
	Marshaler   = json.Marshaler
	Unmarshaler = json.Unmarshaler

	Delim      = json.Delim
	Number     = json.Number
	RawMessage = json.RawMessage
	Token      = json.Token

	InvalidUnmarshalError = json.InvalidUnmarshalError
	MarshalerError        = json.MarshalerError
	SyntaxError           = json.SyntaxError
	UnmarshalTypeError    = json.UnmarshalTypeError
	UnsupportedTypeError  = json.UnsupportedTypeError
	UnsupportedValueError = json.UnsupportedValueError

	// Deprecated: it is no longer returned, as in encoding/json.
	InvalidUTF8Error = json.InvalidUTF8Error //lint:ignore SA1019 part of the API
	// Deprecated: it is no longer returned, as in encoding/json.
	UnmarshalFieldError = json.UnmarshalFieldError //lint:ignore SA1019 part of the API
)
