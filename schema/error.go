package schema

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// Error reports what is wrong with a message or a schema, and where. The text contains all fields:
//
//	schema: items[1].name: string of 300 bytes exceeds Str8's 255 (offset 96)
type Error struct {
	Offset int64  // of the value, in bytes from the start of the message; -1 for what is wrong with a schema
	Path   string // of the value, as friends[3].name; grades[2] is the third entry of a map; empty for the message itself
	Cause  error  // one of the errors below, perhaps wrapped, or that of a function
}

func (e *Error) Error() string { return wire.Located("schema", e.Path, e.Offset, e.Cause) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// nowhere is the Offset of what is wrong with a schema, not with a message.
const nowhere = -1

// Errors of messages, and of values that are encoded: the causes of an
// [Error].
var (
	// ErrShort: the input ends before the end of the message. It wraps io.ErrUnexpectedEOF.
	ErrShort = fmt.Errorf("schema: the input ends too early: %w", io.ErrUnexpectedEOF)
	// ErrBool: a bool is neither 0 nor 1.
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
	ErrLength = errors.New("schema: a slice of another length")
	// ErrTime: a time cannot be represented as 64 bits of nanoseconds since 1970.
	ErrTime = errors.New("schema: a time before 1678 or after 2261")
	// ErrZone: the time zone is unknown to the reader, or its name stands for another zone.
	ErrZone = errors.New("schema: an unknown time zone")
	// ErrDepth: a value is nested deeper than MaxDepth.
	ErrDepth = errors.New("schema: nested too deeply")
	// ErrItems: the message has more than MaxItems elements that take no bytes.
	ErrItems = errors.New("schema: too many elements without bytes")
	// ErrSize: the message is longer than MaxBytes, or its value is larger than the address space.
	ErrSize = errors.New("schema: the message is too long")
	// ErrChanged: a map changed while it was written.
	ErrChanged = errors.New("schema: a map changed while it was written")
	// ErrEnd: a sequence of messages cannot be read, because the schema has a Tail or its messages
	// have no bytes.
	ErrEnd = errors.New("schema: the end of a message is not known")
)

// limitError is one of the errors above with a text of its own: what was found, and what is
// allowed.
type limitError struct {
	is   error
	text string
}

func (e *limitError) Error() string { return e.text }

func (e *limitError) Is(target error) bool { return target == e.is }

// exceeds returns an error that is one of the errors above.
func exceeds(is error, format string, args ...any) error {
	return &limitError{is, fmt.Sprintf(format, args...)}
}

// tooLong is the overflow of n bytes or elements of o, which its header cannot count.
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

// negative is the overflow of the number at b[i:], which is below zero.
func (h Header) negative(b []byte, i int) error {
	size := h.size()
	v := int64(extend(readWord(b, i, size, h.big()), uint8(size), true))
	return exceeds(ErrOverflow, "a length of %d: H%s counts 0 to %d", v, strings.ToUpper(h.String()), headerMax[h])
}

// tooDeep is the error of a value that MaxDepth does not allow.
func tooDeep(o *options) error { return exceeds(ErrDepth, "nested deeper than MaxDepth's %d", o.depth) }

// tooLarge is the error of a message of more than n bytes, which are all that MaxBytes allows.
func tooLarge(n int) error {
	return exceeds(ErrSize, "the message is longer than MaxBytes's %d bytes", n)
}

// misfit is the overflow of the integer v, of eight bytes with a sign or without, that an integer
// of size bytes cannot be.
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

// fault is an Error that does not know yet how deep it lies.
type fault struct {
	at    int // the offset in the buffered bytes
	index int // which of several values of the same program it is in
	path  wire.Path
	cause error
}

// error is the Error; the message starts at the offset from.
func (f *fault) error(from int) error {
	return &Error{Offset: int64(f.at - from), Path: f.path.String(), Cause: f.cause}
}

// short is the fault that the input ends too early, at end: at is where the ops after o begin.
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

// in adds that the fault lies in what o leads to; o is an op of c, in value number index.
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

// several reports whether what o leads to are several values.
func (o *op) several() bool {
	return o.kind == opList || o.kind == opArray || o.kind == opFixed || o.kind == opMap
}
