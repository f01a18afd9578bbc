package json

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// syntaxText is the unexported field of SyntaxError that contains the error text.
var syntaxText, _ = reflect.TypeFor[SyntaxError]().FieldByName("msg")

// syntaxError returns encoding/json's SyntaxError with this text.
func syntaxError(text string, offset int64) error {
	e := &SyntaxError{Offset: offset}
	if syntaxText.Type == reflect.TypeFor[string]() {
		*mem.At[string](mem.PointerTo(e), syntaxText.Offset) = text
	}
	return e
}
