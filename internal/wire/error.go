package wire

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Error is an error with the position of the invalid value.
//
// Its text is only the text of its cause, because programs compare the error texts of the codecs
// that this module replaces. The position is in the fields, and in the output of the format verb
// %+v.
type Error struct {
	Offset int64  // offset of the invalid value, in bytes from the start of the input
	Path   string // path of the invalid value, such as users[3].name; empty at the top
	Cause  error
}

func (e *Error) Error() string { return e.Cause.Error() }

func (e *Error) Unwrap() error { return e.Cause }

// Where returns a text that describes the path and the offset.
func (e *Error) Where() string {
	if e.Path == "" {
		return "at byte " + strconv.FormatInt(e.Offset, 10)
	}
	return "in " + e.Path + ", at byte " + strconv.FormatInt(e.Offset, 10)
}

// Located returns an error text with path and offset, for example "schema: items[1].name: the cause
// (offset 96)". If the cause begins with the package name, the name is not repeated. A negative
// offset means that the offset is unknown.
func Located(pkg, path string, offset int64, cause error) string {
	text := pkg + ": "
	if path != "" {
		text += path + ": "
	}
	text += strings.TrimPrefix(cause.Error(), pkg+": ")
	if offset >= 0 {
		text += " (offset " + strconv.FormatInt(offset, 10) + ")"
	}
	return text
}

// Format prints the cause. With the verb %+v, it also prints the path and the offset.
func (e *Error) Format(s fmt.State, verb rune) {
	_, _ = io.WriteString(s, e.Error())
	if verb == 'v' && s.Flag('+') {
		_, _ = io.WriteString(s, " "+e.Where())
	}
}

// Path collects the steps of the path to a value. The decoder of each enclosing value adds one step
// when it receives an error from the decoder of the inner value. So the innermost step comes first.
type Path []string

// Reset empties p. It also drops the references to the names in p, because names may be of any
// size.
func (p *Path) Reset() {
	clear(*p)
	*p = (*p)[:0]
}

// Field adds the step that leads to the field or map key with the given name.
func (p *Path) Field(name string) { *p = append(*p, "."+name) }

// Index adds the step that leads to the element with the index i.
func (p *Path) Index(i int) { *p = append(*p, "["+strconv.Itoa(i)+"]") }

// Inner adds a path that contains all inner steps.
func (p *Path) Inner(path string) {
	if path != "" && path[0] != '[' {
		path = "." + path
	}
	*p = append(*p, path)
}

// String returns the path from the outermost step to the innermost.
func (p Path) String() string {
	size := 0
	for _, step := range p {
		size += len(step)
	}
	var s strings.Builder
	s.Grow(size)
	for i := len(p) - 1; i >= 0; i-- {
		s.WriteString(p[i])
	}
	return strings.TrimPrefix(s.String(), ".")
}
