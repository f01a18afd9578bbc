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
	opBytes // moves `room` bytes
	opSkip  // skips `room` bytes
	opBool  // copied; checked when it is read
	opBools // moves `room` bools; checked when they are read
	opTime
	opTimeAny // replaces opTime for reading if mem.SetUTC does not work
	opInt32   // an int64 whose encoding has 4 bytes
	opInt     // an integer that may not fit; sub contains the sizes
	opWord    // a number with a getter and a setter

	opStart // the first op of a program, which is only a bounds check; also the first variable kind
	opRoom  // another bounds check
	opString8
	opString16
	opString // a string with any header
	opBlob
	opTimeZone
	opList
	opArray
	opFixed
	opMap
	opOpt       // an option of any type
	opOptNumber // an option of a number whose bytes are the same in memory and in the encoding
	opOptBool
	opOptString8
	opOptString16
	opStruct
	opAt   // a value at the address that a function returns
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
	size1 uint8 // for opString8 and similar kinds, the size of the header; for opOptNumber and opOptBool, the size of the value
	room  uint16
	off   uint32 // offset in memory
	sub   *sub   // for ops that need more data
}

// sub contains further data of an op.
type sub struct {
	pg       *program // program of the elements, the entries, or the value
	n        *node    // the node that is read and written
	count    int      // number of elements of an array, or of a Fixed slice
	stride   uintptr  // distance between consecutive elements in memory
	raw      int      // the size of an element, if the list is copied as a whole; otherwise 0
	least    int      // minimum encoded size of an element
	bytes    bool     // the list is a []byte, which may be a view of an input if another schema has read it as a blob
	shape    mem.MapShape
	shaped   bool
	numbers  bool // the entries of a map are strings and numbers
	pairs    bool // the entries of a map are strings and strings
	reuses   bool // reading an entry of a map reuses memory that the previous entry refers to
	at       func(mem.Pointer) mem.Pointer
	get      *getter
	number   conversion
	leftOver []field // the fields that are missing if the message ends here
}

// program contains the code that encodes and decodes values of a node.
type program struct {
	enc, dec code
	sized    []op    // the ops in enc whose encoded length depends on the value
	stride   uintptr // the size of a value in memory
	least    int     // minimum encoded size of a value
	texts    int     // number of strings in a value, except strings in lists and maps
}

// code is the part of a program for one direction: encoding or decoding.
type code struct {
	ops    []op    // from opStart to opEnd
	labels []label // sorted by pos
}

// label names a place in a program. The position of a place is the sum of the widths of all ops
// before it. The width of an op is the number of bytes of a fixed op, or of a variable op's header.
// The width of a variable op also includes one more position, except for the kinds opStart and
// opRoom. Each op is counted as if it were executed exactly once.
type label struct {
	pos  int
	path string
	each int // the element size of an array at this place, or 0
}

func (o *op) variable() bool { return o.kind >= opStart }

var fixedSizes = [opStart]int{opMove1: 1, opMove2: 2, opMove4: 4, opMove8: 8, opSwap2: 2, opSwap4: 4, opSwap8: 8, opBool: 1, opTime: 8, opTimeAny: 8, opInt32: 4}

// size returns the number of bytes of a fixed op, or of the header of a variable op.
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

// width returns the number of positions that an op occupies.
func (o *op) width() int {
	if o.kind > opRoom {
		return o.size() + 1
	}
	return o.size()
}

// index returns the index of o in c.ops.
func (c *code) index(o *op) int {
	x := 0
	for o != &c.ops[x] {
		x++
	}
	return x
}

// place returns the position of the op with the index x.
func (c *code) place(x int) int {
	pos := 0
	for k := range c.ops[:x] {
		pos += c.ops[k].width()
	}
	return pos
}

// path returns the path of the value at the position pos, and the position at which the value
// begins.
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
