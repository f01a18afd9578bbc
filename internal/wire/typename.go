package wire

import (
	"reflect"
	"strconv"
)

// TypeName returns a name of t for a one-line text. The name is the result of t.String(), in which
// the fields and methods of unnamed types are abbreviated, as in struct {…}.
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
		case c == '"': // the tag of a field: braces in it do not count
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
