package schema

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// Error reports an error in a message or a schema, and its position. The error text contains all
// fields:
//
//	schema: items[1].name: string of 300 bytes exceeds Str8's 255 (offset 96)
type Error struct {
	Offset int64  // offset of the value, in bytes from the start of the message; -1 for an error in a schema
	Path   string // path of the value, such as friends[3].name; grades[2] is the third entry of a map; empty for the message itself
	Cause  error  // one of the errors below, possibly wrapped, or an error from a user's function
}

func (e *Error) Error() string { return wire.Located("schema", e.Path, e.Offset, e.Cause) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// nowhere is the Offset of an error in a schema.
const nowhere = -1

// These errors describe faults in messages and in values to encode. They occur as the cause of an
// [Error].
var (
	// ErrShort: the input ends before the end of the message. It wraps io.ErrUnexpectedEOF.
	ErrShort = fmt.Errorf("schema: the input ends too early: %w", io.ErrUnexpectedEOF)
	// ErrBool: the byte of a bool is neither 0 nor 1.
	ErrBool = errors.New("schema: a bool that is neither 0 nor 1")
	// ErrRest: the input continues after the message.
	ErrRest = errors.New("schema: the input continues after the message")
	// ErrOption: the byte before an optional value is neither 0 nor 1, or the byte before the name
	// of a zone is not 1.
	ErrOption = errors.New("schema: an option that is neither 0 nor 1")
	// ErrOverflow: a length is negative or does not fit its header, or an integer does not fit its
	// type.
	ErrOverflow = errors.New("schema: a number does not fit")
	// ErrLength: a slice does not have the length of its Fixed type.
	ErrLength = errors.New("schema: a slice of the wrong length")
	// ErrTime: a time cannot be represented as 64 bits of nanoseconds since 1970.
	ErrTime = errors.New("schema: a time before 1678 or after 2261")
	// ErrZone: the name of a time zone is unknown, or it refers to a zone that differs from the
	// zone of the time.
	ErrZone = errors.New("schema: an unknown time zone")
	// ErrDepth: a value is nested deeper than MaxDepth.
	ErrDepth = errors.New("schema: nested too deeply")
	// ErrItems: the message contains more than MaxItems elements that have no bytes.
	ErrItems = errors.New("schema: too many elements without bytes")
	// ErrSize: the message is longer than MaxBytes, or its value is larger than the address space.
	ErrSize = errors.New("schema: the message is too long")
	// ErrChanged: a map changed while it was written.
	ErrChanged = errors.New("schema: a map changed while it was written")
	// ErrEnd: a sequence of messages cannot be read, because the schema has a Tail, or because its
	// messages may be empty.
	ErrEnd = errors.New("schema: the end of a message is not known")
)

// limitError is an error with its own text, which contains the actual value and the limit. With
// errors.Is, it matches one of the errors above.
type limitError struct {
	is   error
	text string
}

func (e *limitError) Error() string { return e.text }

func (e *limitError) Is(target error) bool { return target == e.is }

// exceeds returns a limitError for the error `is`, which is one of the errors above.
func exceeds(is error, format string, args ...any) error {
	return &limitError{is, fmt.Sprintf(format, args...)}
}

// tooLong returns the error for a value of o with n bytes or elements, if n exceeds the range of
// the header of o.
func (o *op) tooLong(n int) error {
	h := o.sub.n.header
	name, of, unit := "Str", "string", "bytes"
	switch o.sub.n.kind {
	case kindBlob:
		name, of = "Blob", "blob"
	case kindList:
		name, of, unit = "List", "list", "elements"
	case kindMap:
		name, of, unit = "Map", "map", "entries"
	}
	if name == "Str" && (h == H8 || h == H16 || h == H32) {
		name += h.String()
	} else {
		name += "(H" + strings.ToUpper(h.String()) + ")"
	}
	return exceeds(ErrOverflow, "%s of %d %s exceeds %s's %d", of, n, unit, name, headerMax[h])
}

// negative returns the error for the negative length at b[i:].
func (h Header) negative(b []byte, i int) error {
	size := h.size()
	v := int64(extend(readWord(b, i, size, h.big()), uint8(size), true))
	return exceeds(ErrOverflow, "a length of %d: H%s counts 0 to %d", v, strings.ToUpper(h.String()), headerMax[h])
}

// tooDeep returns the error for a value that is nested deeper than MaxDepth.
func tooDeep(o *options) error { return exceeds(ErrDepth, "nested deeper than MaxDepth's %d", o.depth) }

// tooLarge returns the error for a message of more than n bytes, the limit of MaxBytes.
func tooLarge(n int) error {
	return exceeds(ErrSize, "the message is longer than MaxBytes's %d bytes", n)
}

// misfit returns the error for the integer v, which does not fit an integer of size bytes. The
// integer v has eight bytes, and vSigned reports whether v is signed.
func misfit(v uint64, vSigned bool, size uint8, signed bool) error {
	number, kind := strconv.FormatUint(v, 10), "unsigned"
	if vSigned {
		number = strconv.FormatInt(int64(v), 10)
	}
	if signed {
		kind = "signed"
	}
	return exceeds(ErrOverflow, "%s does not fit %s %d bits", number, kind, 8*size)
}

// fault contains the data of an Error while its path is not complete.
type fault struct {
	at    int // the offset in the buffered bytes
	index int // index of the value, if a program is executed for several values
	path  wire.Path
	cause error
}

// error returns f as an Error. The message starts at the offset `from`.
func (f *fault) error(from int) error {
	return &Error{Offset: int64(f.at - from), Path: f.path.String(), Cause: f.cause}
}

// short returns the fault for an input that ends too early. The input ends at the offset `end`. The
// ops after o begin at the offset `at`.
func short(c *code, o *op, at, end int) *fault {
	x := c.index(o) + 1
	pos := c.place(x)
	for ; x < len(c.ops); x++ {
		size := c.ops[x].size()
		if end-at < size || c.ops[x].kind > opRoom {
			break
		}
		at, pos = at+size, pos+c.ops[x].width()
	}
	if x < len(c.ops) && !c.ops[x].variable() {
		at, pos = end, pos+end-at
	}
	path, start := c.path(pos)
	f := &fault{at: at - (pos - start), cause: ErrShort}
	f.path.Inner(path)
	return f
}

// in prepends the position of o to the path of the fault. The op o belongs to the code c. The
// argument `index` is the index of the value that contains o.
func (f *fault) in(c *code, o *op, index int) {
	if f.index >= 0 && o.several() {
		f.path.Index(f.index)
	}
	pos := c.place(c.index(o))
	if o.kind == opBools {
		pos += f.index
	}
	path, _ := c.path(pos)
	f.path.Inner(path)
	f.index = index
}

// several reports whether o reads a list, an array or a map, which consist of several values.
func (o *op) several() bool {
	return o.kind == opList || o.kind == opArray || o.kind == opFixed || o.kind == opMap
}
