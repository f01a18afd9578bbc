// Package jsonfault rewrites the errors of encoding/json for users who do not know the Go types
// into which a document is decoded.
package jsonfault

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Plain returns an error whose text contains no Go types, if err is a [json.UnmarshalTypeError]. An
// example is "fields.name: got a number, want a string". The new error wraps err. Other errors are
// returned unchanged.
func Plain(err error) error {
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err
	}
	text := "got " + found(mismatch.Value) + ", want " + wanted(mismatch.Type)
	if mismatch.Field != "" {
		text = mismatch.Field + ": " + text
	}
	return plainError{text, err}
}

type plainError struct {
	text  string
	cause error
}

func (e plainError) Error() string { return e.text }
func (e plainError) Unwrap() error { return e.cause }

// The function found describes the value in the document. The argument `value` is the description
// in the error: "array", or "number 1.5" if the number itself is invalid.
func found(value string) string {
	if number, ok := strings.CutPrefix(value, "number "); ok {
		return number
	}
	switch value {
	case "array", "object":
		return "an " + value
	}
	return "a " + value
}

var readsText = reflect.TypeFor[encoding.TextUnmarshaler]()

// The function wanted describes the kind of JSON value from which a Go type is decoded.
func wanted(t reflect.Type) string {
	switch k := t.Kind(); {
	case k == reflect.Pointer:
		return wanted(t.Elem())
	case t.Implements(readsText) || reflect.PointerTo(t).Implements(readsText):
		return "a string"
	case k == reflect.Struct || k == reflect.Map:
		return "an object"
	case k == reflect.String || k == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "a string"
	case k == reflect.Slice || k == reflect.Array:
		return "an array"
	case k == reflect.Bool:
		return "a bool"
	case k == reflect.Float32 || k == reflect.Float64:
		return "a number"
	case reflect.Int <= k && k <= reflect.Int64:
		return fmt.Sprintf("an integer of %d bits", t.Bits())
	case reflect.Uint <= k && k <= reflect.Uintptr:
		return fmt.Sprintf("an unsigned integer of %d bits", t.Bits())
	}
	return "another value"
}
