package json

import "encoding/json"

// The types of encoding/json are its own: errors.As finds them, and a type that implements
// Marshaler or Unmarshaler for it does so here. Their documentation is there.
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
