// Package json is github.com/slipstream-go/slipstream/json under the names that Go's own tests of
// encoding/json use. They are laid beside this file when they run: see goroot_test.go of that
// package. Nothing here may answer in its stead: what a test wants of an internal of encoding/json
// is asked of the public functions.
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

// Constructors: the tests write literals of these two, which have a field that only encoding/json
// may name.

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

// Internals that the tests of each Go name; those of one without jsonv2 are in shim_classic.go.

var errUnexpectedEnd = errors.New("unexpected end of JSON input")

type scanner struct{}

// checkValid is the error of Unmarshal for data that is not JSON, and it must agree with Valid.
// With jsonv2 it takes no scanner.
func checkValid(data []byte, _ ...*scanner) error {
	var raw RawMessage
	err := Unmarshal(data, &raw)
	if Valid(data) != (err == nil) {
		return fmt.Errorf("json: Valid says %v, Unmarshal says %v", Valid(data), err)
	}
	return err
}
