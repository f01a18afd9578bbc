package json

import (
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// syntaxText is where a SyntaxError has its text, which only its own package can set.
var syntaxText, _ = reflect.TypeFor[SyntaxError]().FieldByName("msg")

// syntaxError is encoding/json's error with this text.
func syntaxError(text string, offset int64) error {
	e := &SyntaxError{Offset: offset}
	if syntaxText.Type == reflect.TypeFor[string]() {
		*mem.At[string](mem.PointerTo(e), syntaxText.Offset) = text
	}
	return e
}
