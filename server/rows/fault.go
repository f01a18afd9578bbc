package rows

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slipstream-go/slipstream/json"
	"github.com/slipstream-go/slipstream/msgpack"
	"github.com/slipstream-go/slipstream/msgpack/msgpcode"
	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/refusal"
)

// An error of a codec contains a cause, a path and an offset. Clients get one line of text that
// contains the cause and the offset. Instead of the path, the line mentions the row and the column.
// It also suggests a remedy.

// place is a function that finds the column and the row in the path of an error. If the path
// contains no column, the returned column is empty. If the path contains no row, the returned row
// is -1.
type place func(path string) (column string, row int)

// none is the place function for paths that contain neither a column nor a row.
func none(string) (string, int) { return "", -1 }

// inColumns is the place function for paths in a map of arrays: "name" or "name[3]".
func inColumns(path string) (string, int) {
	if i := strings.LastIndexByte(path, '['); i >= 0 && strings.HasSuffix(path, "]") {
		if row, err := strconv.Atoi(path[i+1 : len(path)-1]); err == nil {
			return path[:i], row
		}
	}
	return path, -1
}

// inRows is the place function for paths in an array of rows, or in lines: "[3]" or "[3].name".
func inRows(path string) (string, int) {
	if i := strings.IndexByte(path, ']'); i > 0 && path[0] == '[' {
		if row, err := strconv.Atoi(path[1:i]); err == nil {
			return strings.TrimPrefix(path[i+1:], "."), row
		}
	}
	return path, -1
}

// inRow is the place function for paths in a single row: "name".
func inRow(path string) (string, int) { return path, -1 }

// inLine is the place function for paths in a single line: "[0]" or "[0].name".
func inLine(path string) (string, int) {
	name, _ := inRows(path)
	return name, -1
}

// The function in returns a place function that always returns the given column, and no row.
func in(name string) place { return func(string) (string, int) { return name, -1 } }

// fault converts an error from the decoder or from a batch to an error for the client. The argument
// `where` finds the column and the row in the error's path. Row numbers in paths are relative to
// the value that the decoder has read.
func (j *Job) fault(err error, where place) *refusal.Error {
	e := located(err)
	if e == nil {
		if errors.Is(err, io.EOF) {
			return refusal.Errorf("the body ends where a value should begin: it was cut short").At(int64(len(j.Body)))
		}
		return refusal.Errorf("%s", refusal.Plain(err))
	}
	at := int64(j.base) + e.Offset
	if j.d != nil && (errors.Is(e.Cause, io.EOF) || errors.Is(e.Cause, io.ErrUnexpectedEOF)) {
		return refusal.Errorf("the body ends in the middle of a value, or a length in it is wrong: it was cut short, or is not MessagePack").At(at)
	}
	name, row := where(e.Path)
	text := j.explain(e.Cause, at)
	if name != "" {
		text = fmt.Sprintf("column %q: %s", refusal.Clip(name), text)
	}
	return refusal.Errorf("%s", text).In(refusal.Clip(name)).OfRow(row).At(at)
}

// Fault converts an error from a batch to an error for the client. The returned error contains
// neither a column nor a row.
func (j *Job) Fault(err error) *refusal.Error { return j.fault(err, none) }

// located returns the [msgpack.Error] that err wraps, or nil.
func located(err error) *msgpack.Error {
	var s *schema.Error
	if errors.As(err, &s) {
		return &msgpack.Error{Offset: s.Offset, Path: s.Path, Cause: s.Cause}
	}
	var e *msgpack.Error // package json uses the same type
	errors.As(err, &e)
	return e
}

// explain returns the text of a codec's error. If a client may not understand the codec's own text,
// explain replaces or completes it.
func (j *Job) explain(cause error, at int64) string {
	text := refusal.Plain(cause)
	var syntax *json.SyntaxError
	if errors.As(cause, &syntax) {
		return "not valid JSON: " + text
	}
	if what, ok := strings.CutSuffix(text, " instead of an array of rows or an object of columns"); ok {
		return "the body is " + what + ": send an array of objects, or an object of columns"
	}
	if errors.Is(cause, schema.ErrShort) {
		return "the body ends inside this value, or a length is wrong: the body is truncated, or was written with another schema"
	}
	got := "nothing"
	if at < int64(len(j.Body)) {
		got = describe(j.Body[at])
	}
	switch {
	case strings.HasSuffix(text, "decoding array length"):
		return got + " instead of an array of cells: a column is an array, and a single row is sent as an array of one map"
	case strings.HasSuffix(text, "decoding map length"):
		return "got " + got + ", want a map with column names as keys"
	case strings.HasSuffix(text, "decoding string/bytes length"):
		return "got " + got + ", want a name: names are strings"
	case strings.HasSuffix(text, "instead of an array of cells"):
		return text + ": a column is an array, and a single row is sent as an array of one object"
	case strings.HasSuffix(text, " is not UTF-8"):
		return text + ": send UTF-8"
	case strings.Contains(text, " in a column of "):
		return text + ": a column has one type, or ints and floats"
	case strings.HasPrefix(text, "the column has "):
		return text + ": give all columns the same number of rows"
	case strings.HasPrefix(text, "more than ") && strings.HasSuffix(text, " columns"):
		return text + " in one table: send fewer"
	case strings.HasSuffix(text, "most cells would be null"):
		return text + "; send fewer columns, or rows of other columns in another request"
	case text == "the column is repeated":
		return text + ": send it once"
	}
	return text
}

// describe returns the name of the type that a MessagePack type code indicates.
func describe(code byte) string {
	switch {
	case isMap(code):
		return "a map"
	case isArray(code):
		return "an array"
	case msgpcode.IsString(code):
		return "a string"
	case msgpcode.IsBin(code):
		return "a bin"
	case msgpcode.IsExt(code):
		return "an ext"
	case code == msgpcode.Float, code == msgpcode.Double:
		return "a float"
	case code == msgpcode.Nil:
		return "nil"
	case code == 0xc1:
		return "the unused code c1"
	case code == msgpcode.False, code == msgpcode.True:
		return "a bool"
	}
	return "an int"
}

func isMap(code byte) bool {
	return msgpcode.IsFixedMap(code) || code == msgpcode.Map16 || code == msgpcode.Map32
}

func isArray(code byte) bool {
	return msgpcode.IsFixedArray(code) || code == msgpcode.Array16 || code == msgpcode.Array32
}

func isInt(code byte) bool {
	return msgpcode.IsFixedNum(code) || code >= msgpcode.Uint8 && code <= msgpcode.Int64
}
