package wire

import (
	"reflect"
	"strconv"
)

// TypeName returns the name of t for a text of one line. It is t's own, without the fields and the
// methods of types that have no name: struct {…}.
func TypeName(t reflect.Type) string {
	text := t.String()
	var short []byte
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '{':
			if depth++; depth == 1 && text[i+1] != '}' {
				short = append(short, "{…}"...)
			} else if depth == 1 {
				short = append(short, "{}"...)
			}
		case c == '}':
			depth--
		case c == '"': // the tag of a field, in which a brace means nothing
			tag, err := strconv.QuotedPrefix(text[i:])
			if err == nil {
				i += len(tag) - 1
			}
		case depth == 0:
			short = append(short, c)
		}
	}
	return string(short)
}
