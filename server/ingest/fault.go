package ingest

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
)

// The errors of the codecs say what, and give where apart. Clients get both in one line, with rows
// and columns called by those names, and with a way out.

// place reads the path of an error: which column it is about, and which row; -1 if none.
type place func(path string) (column string, row int)

// none: paths say nothing.
func none(string) (string, int) { return "", -1 }

// inColumns: paths are those of a map of arrays, "name" or "name[3]".
func inColumns(path string) (string, int) {
	if i := strings.LastIndexByte(path, '['); i >= 0 && strings.HasSuffix(path, "]") {
		if row, err := strconv.Atoi(path[i+1 : len(path)-1]); err == nil {
			return path[:i], row
		}
	}
	return path, -1
}

// inRows: paths are those of an array of rows, or of lines, "[3]" or "[3].name".
func inRows(path string) (string, int) {
	if i := strings.IndexByte(path, ']'); i > 0 && path[0] == '[' {
		if row, err := strconv.Atoi(path[1:i]); err == nil {
			return strings.TrimPrefix(path[i+1:], "."), row
		}
	}
	return path, -1
}

// inRow: paths are those of a row, "name".
func inRow(path string) (string, int) { return path, -1 }

// inLine: paths are those of a line by itself, "[0]" or "[0].name".
func inLine(path string) (string, int) {
	name, _ := inRows(path)
	return name, -1
}

// in is the place of every value of one column.
func in(name string) place { return func(string) (string, int) { return name, -1 } }

// fault puts an error of the decoder, or of a batch, into words for the client. Rows are counted
// where the path begins.
func (j *job) fault(err error, where place) *refusal {
	e := located(err)
	if e == nil {
		if errors.Is(err, io.EOF) {
			return invalid("the body ends where a value should begin: it was cut short").at(int64(len(j.body)))
		}
		return invalid("%s", plain(err))
	}
	at := int64(j.base) + e.Offset
	if j.d != nil && (errors.Is(e.Cause, io.EOF) || errors.Is(e.Cause, io.ErrUnexpectedEOF)) {
		return invalid("the body ends in the middle of a value, or a length in it is wrong: it was cut short, or is not MessagePack").at(at)
	}
	name, row := where(e.Path)
	text := j.explain(e.Cause, at)
	if name != "" {
		text = fmt.Sprintf("column %q: %s", clip(name), text)
	}
	return invalid("%s", text).in(clip(name)).ofRow(row).at(at)
}

// located returns the Error of a codec in err, or nil.
func located(err error) *msgpack.Error {
	var s *schema.Error
	if errors.As(err, &s) {
		return &msgpack.Error{Offset: s.Offset, Path: s.Path, Cause: s.Cause}
	}
	var e *msgpack.Error // which is that of JSON too
	errors.As(err, &e)
	return e
}

// explain says in this package's words what is not self-explanatory in those of a codec.
func (j *job) explain(cause error, at int64) string {
	text := plain(cause)
	var syntax *json.SyntaxError
	if errors.As(cause, &syntax) {
		return "not valid JSON: " + text
	}
	if what, ok := strings.CutSuffix(text, " instead of an array of rows or an object of columns"); ok {
		return "the body is " + what + ": send an array of objects, or an object of columns"
	}
	if errors.Is(cause, schema.ErrShort) {
		return "the body ends in the middle of it, or a length in it is wrong: it was cut short, or is of another schema"
	}
	got := "nothing"
	if at < int64(len(j.body)) {
		got = describe(j.body[at])
	}
	switch {
	case strings.HasSuffix(text, "decoding array length"):
		return got + " instead of an array of cells: a column is an array, and a single row is sent as an array of one map"
	case strings.HasSuffix(text, "decoding map length"):
		return got + " where a map from column names must be"
	case strings.HasSuffix(text, "decoding string/bytes length"):
		return got + " where a name must be: names are strings"
	case strings.HasSuffix(text, "instead of an array of cells"):
		return text + ": a column is an array, and a single row is sent as an array of one object"
	case strings.HasSuffix(text, " is not UTF-8"):
		return text + ": send UTF-8"
	case strings.Contains(text, " in a column of "):
		return text + ": a column has one type, or ints and floats"
	case strings.HasPrefix(text, "the column has "):
		return text + ": give all columns as many"
	case strings.HasPrefix(text, "more than ") && strings.HasSuffix(text, " columns"):
		return text + " in one table: send fewer"
	case strings.HasSuffix(text, "most cells would be null"):
		return text + "; send fewer columns, or rows of other columns in another request"
	case text == "the column is repeated":
		return text + ": send it once"
	}
	return text
}

// plain is an error's text without the name of the package that it is from.
func plain(err error) string {
	text := err.Error()
	text = strings.TrimPrefix(text, "msgpack: ")
	text = strings.TrimPrefix(text, "json: ")
	text = strings.TrimPrefix(text, "schema: ")
	return strings.TrimPrefix(text, "column: ")
}

// describe says what a code of MessagePack announces.
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
