package schema

import (
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

type opKind uint8

const (
	opMove1 opKind = iota
	opMove2
	opMove4
	opMove8
	opSwap2
	opSwap4
	opSwap8
	opBytes // room of them
	opSkip  // room bytes
	opBool  // moved, but checked when read
	opBools // room of them
	opTime
	opTimeAny // read where mem.SetUTC does not work
	opInt32   // an int64 that is 4 bytes on the wire
	opInt     // an integer that may not fit: sub tells where
	opWord    // a number with a getter and a setter

	opStart // the first op: nothing but the check. It is the first variable op
	opRoom  // another
	opString8
	opString16
	opString // of any header
	opBlob
	opTimeZone
	opList
	opArray
	opFixed
	opMap
	opOpt       // of anything
	opOptNumber // of a number that is the same in memory and on the wire
	opOptBool
	opOptString8
	opOptString16
	opStruct
	opAt   // a value where a function says
	opText // a string with a getter and a setter
	opText8
	opText16
	opGet // any other value with a getter and a setter
	opCustom
	opTail // the message may end here
	opEnd
)

// op is one step of a program.
type op struct {
	kind  opKind
	size1 uint8 // of opString8 and those like it the size of the header, of opOptNumber and opOptBool that of the value
	room  uint16
	off   uint32 // in memory
	sub   *sub   // of all that need more
}

// sub is what an op needs besides.
type sub struct {
	pg       *program // of elements, entries, or the value
	n        *node    // what is read and written
	count    int      // of an array, or of a slice that is as long as one
	stride   uintptr  // from element to element
	raw      int      // the size of elements that a list moves as a whole, or 0
	least    int      // bytes that an element takes at least
	bytes    bool     // a list is a []byte: its memory may be a view of an input, by another schema's blob
	shape    mem.MapShape
	shaped   bool
	numbers  bool // the entries of a map are strings and numbers
	pairs    bool // or strings and strings
	reuses   bool // reading an entry of a map uses again what the one before it leads to
	at       func(mem.Pointer) mem.Pointer
	get      *getter
	number   conversion
	leftOver []field // the fields that are missing if the message ends here
}

// program is how values of a node are encoded and decoded.
type program struct {
	enc, dec code
	sized    []op    // the ops of enc whose length depends on the value
	stride   uintptr // the size of a value in memory
	least    int     // bytes that a value takes at least
	texts    int     // strings of a value, but for those in lists and maps
}

// code is a program in one direction.
type code struct {
	ops    []op    // from opStart to opEnd
	labels []label // by pos
}

// label names a place of a program. A place is counted as the bytes of fixed ops and headers before
// it, and one for each variable op but the first and opRoom, as if all were there once.
type label struct {
	pos  int
	path string
	each int // the size of the elements of an array that lies there, or 0
}

func (o *op) variable() bool { return o.kind >= opStart }

var fixedSizes = [opStart]int{opMove1: 1, opMove2: 2, opMove4: 4, opMove8: 8, opSwap2: 2, opSwap4: 4, opSwap8: 8, opBool: 1, opTime: 8, opTimeAny: 8, opInt32: 4}

// size is the bytes of a fixed op, or of the header of a variable one.
func (o *op) size() int {
	switch o.kind {
	case opBytes, opSkip, opBools, opInt, opWord:
		return int(o.room)
	case opString8, opText8, opOpt, opOptNumber, opOptBool, opOptString8, opOptString16:
		return 1
	case opString16, opText16:
		return 2
	case opString, opBlob, opList, opMap, opText:
		return o.sub.n.header.size()
	case opTimeZone:
		return 8 + 1 + 1
	case opStart, opRoom, opArray, opFixed, opStruct, opAt, opGet, opCustom, opTail, opEnd:
		return 0
	}
	return fixedSizes[o.kind]
}

// width is how many places an op takes.
func (o *op) width() int {
	if o.kind > opRoom {
		return o.size() + 1
	}
	return o.size()
}

// index is the number of o, which is one of the ops.
func (c *code) index(o *op) int {
	x := 0
	for o != &c.ops[x] {
		x++
	}
	return x
}

// place is the place of op x.
func (c *code) place(x int) int {
	pos := 0
	for k := range c.ops[:x] {
		pos += c.ops[k].width()
	}
	return pos
}

// path is the path to the value at a place, and the place where that begins.
func (c *code) path(pos int) (path string, start int) {
	var found label
	for _, l := range c.labels {
		if l.pos > pos {
			break
		}
		found = l
	}
	if found.each == 0 {
		return found.path, found.pos
	}
	k := (pos - found.pos) / found.each
	return found.path + "[" + strconv.Itoa(k) + "]", found.pos + k*found.each
}
