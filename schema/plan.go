package schema

// Each node is compiled once to a program, which contains a flat list of ops for each direction.
// Structs and arrays in the node are inlined with their offsets. Parts that can be repeated or
// missing have their own programs.
//
//	op        what it does                                             op.room
//	fixed     moves a fixed number of bytes                            this number, if the kind does not define it
//	variable  begins with a header or without one, and ends with       bytes of the fixed ops after it, and of the
//	          a check that there is room for the ops after it          header of the next variable op
//
// So each run of fixed ops needs only one check. On little-endian machines, adjacent fields are
// moved together if the distance between them is the same in memory and in the encoding.

import (
	"reflect"
	"slices"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// step is an op before adjacent ops are merged.
type step struct {
	op
	moves  bool // the bytes of the value are the same in memory and in the encoding
	checks bool // the bytes are checked when they are read
	tail   bool // used only for reading
	path   string
	each   int

	continues bool // continues the array of the previous step
}

// compiler compiles the programs of one schema.
type compiler struct{ programs map[*node]*program }

// of returns the program of n.
func (c *compiler) of(n *node) *program {
	if pg := c.programs[n]; pg != nil {
		return pg
	}
	pg := &program{stride: n.typ.Size(), least: n.least(), texts: n.texts()}
	c.programs[n] = pg
	steps := c.value(nil, n, 0, "")
	pg.enc, pg.dec = assemble(steps, false), assemble(steps, true)
	pg.sized = pg.enc.sized()
	return pg
}

// entries returns the program of the entries of a map.
func (c *compiler) entries(n *node) *program {
	pg := &program{least: n.key.least() + n.elem.least(), texts: n.key.texts() + n.elem.texts()}
	steps := c.value(nil, n.key, 0, "")
	steps = c.value(steps, n.elem, n.mapOf.value, "")
	pg.enc, pg.dec = assemble(steps, false), assemble(steps, true)
	pg.sized = pg.enc.sized()
	return pg
}

// value appends the steps for a value of the node n at the offset off.
func (c *compiler) value(steps []step, n *node, off uintptr, path string) []step {
	s := step{path: path}
	s.off = uint32(off)
	switch n.kind {
	case kindInt, kindFloat, kindBool:
		s.number(n)
	case kindTime:
		s.kind = opTime
	case kindTimeZone:
		s.kind, s.sub = opTimeZone, &sub{n: n}
	case kindString:
		s.kind, s.sub = opString, &sub{n: n}
		switch n.header {
		case H8:
			s.kind, s.size1 = opString8, 1
		case H16:
			s.kind, s.size1 = opString16, 2
		}
	case kindBlob:
		s.kind, s.sub = opBlob, &sub{n: n}
	case kindList:
		s.kind = opList
		s.sub = c.list(n)
	case kindCustom:
		s.kind, s.sub = opCustom, &sub{n: n}
	case kindArray:
		if !n.slice {
			return c.array(steps, n, off, path)
		}
		s.kind, s.sub = opFixed, c.list(n)
	case kindMap:
		s.kind = opMap
		s.sub = &sub{n: n, pg: c.entries(n)}
		s.sub.least, s.sub.reuses = s.sub.pg.least, n.key.reuses() || n.elem.reuses()
		if mem.TextMaps && n.key.kind == kindString {
			s.sub.numbers, s.sub.pairs = n.elem.kind == kindBool || n.elem.plain(), n.elem.kind == kindString
		}
		if t := n.mapOf.typ; t.Elem().Size() <= inSlot {
			s.sub.shape, s.sub.shaped = mem.ShapeOf(t)
		}
	case kindOpt:
		s.kind, s.sub = opOpt, &sub{n: n, pg: c.of(n.elem)}
		switch {
		case n.elem.kind == kindBool:
			s.kind, s.size1 = opOptBool, 1
		case n.elem.rawSize() > 0:
			s.kind, s.size1 = opOptNumber, uint8(n.elem.size)
		case n.elem.kind == kindString && n.elem.header == H8:
			s.kind, s.size1 = opOptString8, 1
		case n.elem.kind == kindString && n.elem.header == H16:
			s.kind, s.size1 = opOptString16, 2
		}
	case kindSelf:
		s.kind, s.sub = opStruct, &sub{n: n, pg: c.of(n.elem)}
	case kindStruct:
		for k := range n.fields {
			steps = c.field(steps, n.fields, k, off, path)
		}
		return steps
	}
	return append(steps, s)
}

// list returns the sub of an op for the elements of a slice.
func (c *compiler) list(n *node) *sub {
	return &sub{
		n: n, pg: c.of(n.elem), count: n.count, stride: n.elem.typ.Size(), least: n.elem.least(), raw: n.elem.rawSize(),
		bytes: n.elem.typ == reflect.TypeFor[byte](),
	}
}

// inSlot is the maximum size of a value that a map stores next to its key.
const inSlot = 128

// rawSize returns the size of values of n if their bytes are the same in memory and in the
// encoding. Otherwise, it returns 0.
func (n *node) rawSize() int {
	if n.kind == kindBool || n.plain() && (n.size == 1 || !n.big && !mem.Checked) {
		return n.size
	}
	return 0
}

// number sets s to the step for a number or a flag.
func (s *step) number(n *node) {
	s.moves, s.checks = n.rawSize() > 0, n.kind == kindBool
	switch {
	case n.kind == kindBool:
		s.kind = opBool
	case n.converts() && n.conversion() == (conversion{8, 4, true, true, false}):
		s.kind = opInt32
	case n.converts():
		s.kind, s.room, s.sub = opInt, uint16(n.size), &sub{n: n, number: n.conversion()}
	case n.size == 1:
		s.kind = opMove1
	case n.big:
		s.kind = map[int]opKind{2: opSwap2, 4: opSwap4, 8: opSwap8}[n.size]
	default:
		s.kind = map[int]opKind{2: opMove2, 4: opMove4, 8: opMove8}[n.size]
	}
}

// field appends the steps for fields[k] of a struct. The struct is at the offset off.
func (c *compiler) field(steps []step, fields []field, k int, off uintptr, path string) []step {
	f := &fields[k]
	path = join(path, f.name)
	if f.tail {
		steps = append(steps, step{tail: true, path: path, op: op{kind: opTail, off: uint32(off), sub: &sub{leftOver: fields[k:]}}})
	}
	switch {
	case f.n == nil:
		for left := f.skip; left > 0; left -= maxFixed {
			steps = append(steps, step{path: path, op: op{kind: opSkip, room: uint16(min(left, maxFixed))}})
		}
		return steps
	case f.at != nil:
		return append(steps, step{path: path, op: op{kind: opAt, off: uint32(off), sub: &sub{pg: c.of(f.n), at: f.at}}})
	case f.get == nil:
		return c.value(steps, f.n, off+f.off, path)
	}
	s := step{path: path, op: op{kind: opGet, off: uint32(off), sub: &sub{n: f.n, get: f.get}}}
	switch {
	case f.get.word != nil:
		s.kind, s.room = opWord, uint16(f.n.least())
	case f.get.text != nil && f.n.header == H8:
		s.kind, s.size1 = opText8, 1
	case f.get.text != nil && f.n.header == H16:
		s.kind, s.size1 = opText16, 2
	case f.get.text != nil:
		s.kind = opText
	default:
		s.sub.pg = c.of(f.n)
	}
	return append(steps, s)
}

const (
	maxFixed  = 4096   // maximum number of bytes that one op moves
	maxRoom   = 0xf000 // maximum number of bytes that one check covers
	maxInline = 16     // maximum number of inlined steps of an array
)

// array appends the steps for the array at offset off.
func (c *compiler) array(steps []step, n *node, off uintptr, path string) []step {
	stride := n.elem.typ.Size()
	if size := n.elem.rawSize(); size > 0 {
		kind := opBytes
		if n.elem.kind == kindBool {
			kind = opBools
		}
		each := maxFixed / size
		for k := 0; k < n.count; k += each {
			part := min(n.count-k, each)
			s := step{path: path, each: size, moves: true, checks: kind == opBools}
			s.op = op{kind: kind, room: uint16(part * size), off: uint32(off + uintptr(k)*stride)}
			s.continues = k > 0
			steps = append(steps, s)
		}
		return steps
	}
	if element := c.value(nil, n.elem, 0, ""); len(element)*n.count <= maxInline {
		for k := range n.count {
			steps = c.value(steps, n.elem, off+uintptr(k)*stride, path+"["+strconv.Itoa(k)+"]")
		}
		return steps
	}
	s := &sub{n: n, pg: c.of(n.elem), count: n.count, stride: stride}
	return append(steps, step{path: path, op: op{kind: opArray, off: uint32(off), sub: s}})
}

// assemble returns the code for steps in one direction.
func assemble(steps []step, decode bool) code {
	c := code{ops: []op{{kind: opStart}}}
	pos, counted := 0, 0
	for x := 0; x < len(steps); {
		s := &steps[x]
		if s.tail && !decode {
			x++
			continue
		}
		for ; counted < len(c.ops); counted++ {
			pos += c.ops[counted].width()
		}
		to, total := x+1, s.size()
		if s.movable(decode) && !mem.Checked {
			for to < len(steps) && steps[to].movable(decode) && int(steps[to].off) == int(s.off)+total && total+steps[to].size() <= maxFixed {
				total += steps[to].size()
				to++
			}
		}
		at := pos
		for _, m := range steps[x:to] {
			if !m.continues {
				c.labels = append(c.labels, label{at, m.path, m.each})
			}
			at += m.size()
		}
		if to > x+1 {
			c.move(int(s.off), total)
		} else {
			c.ops = append(c.ops, s.in(decode))
		}
		x = to
	}
	c.reserve()
	return c
}

func (s *step) movable(decode bool) bool { return s.moves && !(s.checks && decode) }

// in returns the op for s in one direction.
func (s *step) in(decode bool) op {
	o := s.op
	switch {
	case decode:
		if o.kind == opTime && !mem.UTCWorks {
			o.kind = opTimeAny
		}
	case o.kind == opBool:
		o.kind = opMove1
	case o.kind == opBools:
		o.kind = opBytes
	}
	return o
}

// move appends the ops that move size bytes.
func (c *code) move(off, size int) {
	if size > 32 {
		c.ops = append(c.ops, op{kind: opBytes, room: uint16(size), off: uint32(off)})
		return
	}
	for _, part := range []struct {
		kind opKind
		size int
	}{{opMove8, 8}, {opMove4, 4}, {opMove2, 2}, {opMove1, 1}} {
		for ; size >= part.size; size -= part.size {
			c.ops = append(c.ops, op{kind: part.kind, off: uint32(off)})
			off += part.size
		}
	}
}

// reserve sets the field `room` of each variable op. It iterates over the ops from the end to the
// beginning, and counts the bytes that each variable op must check for the ops after it.
func (c *code) reserve() {
	var ops []op
	run := 0
	c.ops = append(c.ops, op{kind: opEnd})
	for x := len(c.ops) - 1; x > 0; x-- {
		o := c.ops[x]
		if !o.variable() && run+o.size() > maxRoom {
			ops = append(ops, op{kind: opRoom, room: uint16(run)})
			run = 0
		}
		if o.variable() {
			o.room, run = uint16(run), 0
		}
		run += o.size()
		ops = append(ops, o)
	}
	ops = append(ops, op{kind: opStart, room: uint16(run)})
	slices.Reverse(ops)
	c.ops = ops
}
