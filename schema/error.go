package schema

import (
	"errors"
	"fmt"
	"io"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// Error says what is wrong and where: its Offset is in bytes of the message, its Path such as friends[3].name, or grades[2] for the third
// entry of a map. Its text is that of its cause; %+v adds where.
type Error = wire.Error

// What can be wrong with a message, or with a value that is to become one: the causes of an [Error].
var (
	// ErrShort: the input ends before the message does. It is io.ErrUnexpectedEOF too.
	ErrShort = fmt.Errorf("schema: the input ends too early: %w", io.ErrUnexpectedEOF)
	// ErrBool: a bool that is neither 0 nor 1.
	ErrBool = errors.New("schema: a bool that is neither 0 nor 1")
	// ErrRest: the input goes on behind the message.
	ErrRest = errors.New("schema: the input goes on behind the message")
	// ErrOption: a byte before an optional value that is neither 0 nor 1, or before the name of a zone and not 1.
	ErrOption = errors.New("schema: an option that is neither 0 nor 1")
	// ErrOverflow: a length that its header cannot hold or that is negative, or an integer that does not fit where it goes.
	ErrOverflow = errors.New("schema: a number does not fit")
	// ErrLength: a slice of another length than its Fixed says.
	ErrLength = errors.New("schema: a slice of another length")
	// ErrTime: an instant that is no number of nanoseconds since 1970 in 64 bits.
	ErrTime = errors.New("schema: a time before 1678 or after 2261")
	// ErrZone: a time zone that is not known here, or one that its name does not stand for.
	ErrZone = errors.New("schema: an unknown time zone")
	// ErrDepth: a value is nested deeper than MaxDepth.
	ErrDepth = errors.New("schema: nested too deeply")
	// ErrItems: there are more elements that take no bytes than MaxItems.
	ErrItems = errors.New("schema: too many elements without bytes")
	// ErrSize: a message is longer than MaxBytes, or more in memory than there can be.
	ErrSize = errors.New("schema: the message is too long")
	// ErrChanged: a map changed while it was written.
	ErrChanged = errors.New("schema: a map changed while it was written")
	// ErrEnd: messages that follow each other are to be read, by a schema with a Tail or without a byte: nothing tells where they end.
	ErrEnd = errors.New("schema: nothing tells where a message ends")
)

// fault is an Error that does not know yet how deep it lies.
type fault struct {
	at    int // the offset in the bytes at hand
	index int // which of several values of the same program it is in
	path  wire.Path
	cause error
}

// error is the Error; the message starts at the offset from.
func (f *fault) error(from int) error {
	return &Error{Offset: int64(f.at - from), Path: f.path.String(), Cause: f.cause}
}

// short is the fault that the input ends too early, at end: at is where the ops behind o begin.
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
