// Package json provides github.com/slipstream-go/slipstream/json under the names that Go's own
// tests of encoding/json use. To run these tests, goroot_test.go in Slipstream's package json adds
// them to the directory of this file as an overlay. This file must not implement JSON itself: if a
// test uses an internal function of encoding/json, this file implements the function with exported
// functions of Slipstream's package.
package json

//lint:file-ignore U1000,SA1019 used by tests that are not there yet

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/slipstream-go/slipstream/json"
)

type (
	Decoder               = json.Decoder
	Delim                 = json.Delim
	Encoder               = json.Encoder
	InvalidUTF8Error      = json.InvalidUTF8Error
	InvalidUnmarshalError = json.InvalidUnmarshalError
	Marshaler             = json.Marshaler
	MarshalerError        = json.MarshalerError
	Number                = json.Number
	RawMessage            = json.RawMessage
	SyntaxError           = json.SyntaxError
	Token                 = json.Token
	UnmarshalFieldError   = json.UnmarshalFieldError
	UnmarshalTypeError    = json.UnmarshalTypeError
	Unmarshaler           = json.Unmarshaler
	UnsupportedTypeError  = json.UnsupportedTypeError
	UnsupportedValueError = json.UnsupportedValueError
)

var (
	Compact       = json.Compact
	HTMLEscape    = json.HTMLEscape
	Indent        = json.Indent
	Marshal       = json.Marshal
	MarshalIndent = json.MarshalIndent
	NewDecoder    = json.NewDecoder
	NewEncoder    = json.NewEncoder
	Unmarshal     = json.Unmarshal
	Valid         = json.Valid
)

// These constructors create values of two types. The tests contain literals of these types, which
// have a field that only encoding/json can access.

func syntaxError(msg string, offset int64) *SyntaxError {
	e := &SyntaxError{Offset: offset}
	setHidden(e, "msg", msg)
	return e
}

func marshalerError(t reflect.Type, err error, sourceFunc string) *MarshalerError {
	e := &MarshalerError{Type: t, Err: err}
	setHidden(e, "sourceFunc", sourceFunc)
	return e
}

func setHidden(to any, field, value string) {
	f := reflect.ValueOf(to).Elem().FieldByName(field)
	reflect.NewAt(f.Type(), f.Addr().UnsafePointer()).Elem().SetString(value)
}

// These are the internal identifiers that the tests of every Go version use. The identifiers that
// only the tests without jsonv2 use are in shim_classic.go.

var errUnexpectedEnd = errors.New("unexpected end of JSON input")

type scanner struct{}

// checkValid returns the error of Unmarshal for data that is not valid JSON. The result must agree
// with Valid. With jsonv2, the function takes no scanner.
func checkValid(data []byte, _ ...*scanner) error {
	var raw RawMessage
	err := Unmarshal(data, &raw)
	if Valid(data) != (err == nil) {
		return fmt.Errorf("json: Valid says %v, Unmarshal says %v", Valid(data), err)
	}
	return err
}
