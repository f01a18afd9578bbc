package schema

import (
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// encoder contains the state of encoding one message, except the bytes.
type encoder struct {
	fault *fault
	o     *options
	depth int // number of recursive values that enclose the current value
}

// run appends n values to b. The values are consecutive in memory at p. It writes to the unused
// capacity of b before it extends b.
//
// An op is tried in three places. Only the last place reports errors and extends b:
//
//	place                 handles                                      continues with
//	known, the inner      what needs no call, so that all variables    the next op
//	loop                  stay in registers: numbers, short strings,
//	                      options without a value
//	                      opEnd, of all values but the last            the first op
//	                      opEnd, of the last value                     the caller
//	                      the rest (break known)                       the switch after the loop
//	switch after the      longer strings, and named types              the next op
//	loop                  the rest                                     step
//	step                  all ops, and errors. After it, run makes     the next op, or the
//	                      room for the fixed bytes of the ops that     caller with e.fault
//	                      follow (o.room)
func (e *encoder) run(pg *program, p mem.Pointer, n int, b []byte) []byte {
	i, left := len(b), n
	b = b[:cap(b)]
	o := &pg.enc.ops[0]
	if len(b)-i >= int(o.room) {
		o = mem.Next(o)
	}
	for ; ; o = mem.Next(o) {
	known:
		for ; ; o = mem.Next(o) {
			switch o.kind {
			case opMove1:
				mem.Store8(b, i, *mem.At[uint8](p, uintptr(o.off)))
				i++
			case opMove2:
				mem.Store16(b, i, *mem.At[uint16](p, uintptr(o.off)))
				i += 2
			case opMove4:
				mem.Store32(b, i, *mem.At[uint32](p, uintptr(o.off)))
				i += 4
			case opMove8:
				mem.Store64(b, i, *mem.At[uint64](p, uintptr(o.off)))
				i += 8
			case opSwap2:
				wire.PutBE16(b, i, *mem.At[uint16](p, uintptr(o.off)))
				i += 2
			case opSwap4:
				wire.PutBE32(b, i, *mem.At[uint32](p, uintptr(o.off)))
				i += 4
			case opSwap8:
				wire.PutBE64(b, i, *mem.At[uint64](p, uintptr(o.off)))
				i += 8
			case opInt32:
				v := *mem.At[int64](p, uintptr(o.off))
				if v != int64(int32(v)) {
					break known
				}
				mem.Store32(b, i, uint32(v))
				i += 4
			case opTime:
				t := mem.At[time.Time](p, uintptr(o.off))
				s := t.Unix()
				v := s*1e9 + int64(t.Nanosecond())
				if s < minSeconds || s > maxSeconds || v == zeroNanos {
					break known
				}
				mem.Store64(b, i, uint64(v))
				i += 8
			case opString8, opString16:
				s := *mem.At[string](p, uintptr(o.off))
				h, n := int(o.size1), len(s)
				if n > shortText || len(b)-i < h+n+int(o.room) {
					break known
				}
				putSmall(b, i, n, o.size1)
				i += h
				switch { // with overlapping words, so that no byte after s is written
				case n >= 8:
					mem.Store64(b, i, mem.Text64(s, 0))
					mem.Store64(b, i+n-8, mem.Text64(s, n-8))
				case n >= 4:
					mem.Store32(b, i, mem.Text32(s, 0))
					mem.Store32(b, i+n-4, mem.Text32(s, n-4))
				case n >= 2:
					mem.Store16(b, i, mem.Text16(s, 0))
					mem.Store16(b, i+n-2, mem.Text16(s, n-2))
				case n == 1:
					mem.Store8(b, i, s[0])
				}
				i += n
			case opOpt, opOptString8, opOptString16:
				if *mem.At[mem.Raw](p, uintptr(o.off)) != nil || len(b)-i <= int(o.room) {
					break known
				}
				mem.Store8(b, i, 0)
				i++
			case opOptNumber, opOptBool:
				r, size := *mem.At[mem.Raw](p, uintptr(o.off)), int(o.size1)
				if len(b)-i < 1+size+int(o.room) {
					break known
				}
				if r == nil {
					mem.Store8(b, i, 0)
					i++
					continue
				}
				q := o.value(r)
				mem.Store8(b, i, 1)
				switch size {
				case 1:
					mem.Store8(b, i+1, *mem.At[uint8](q, 0))
				case 2:
					mem.Store16(b, i+1, *mem.At[uint16](q, 0))
				case 4:
					mem.Store32(b, i+1, *mem.At[uint32](q, 0))
				default:
					mem.Store64(b, i+1, *mem.At[uint64](q, 0))
				}
				i += 1 + size
			case opEnd:
				if left--; left <= 0 {
					return b[:i]
				}
				p, o = mem.Add(p, pg.stride), &pg.enc.ops[0]
				if len(b)-i < int(o.room) {
					break known
				}
			default:
				break known
			}
		}
		var s string
		q, h, tag := mem.Add(p, uintptr(o.off)), int(o.size1), 0
		switch o.kind {
		case opString8, opString16:
			s = *mem.At[string](q, 0)
		case opText8, opText16:
			s = o.sub.get.text(q)
		case opOptString8, opOptString16:
			r := *mem.At[mem.Raw](q, 0)
			if r == nil { // and b lacks room for the ops after it
				h = 0
				break
			}
			mem.Store8(b, i, 1)
			s, tag = *mem.At[string](o.value(r), 0), 1
		case opWord:
			if w, ok := o.sub.get.word(q); ok {
				putWord(b, i, w, int(o.room), o.sub.n.big)
				i += int(o.room)
				continue
			}
		default:
			h = 0
		}
		if n := len(s); h > 0 && n>>(8*h) == 0 && len(b)-i >= tag+h+n+int(o.room) {
			putSmall(b, i+tag, n, o.size1)
			copy(b[i+tag+h:], s)
			i += tag + h + n
			continue
		}
		b = e.step(o, mem.Add(p, uintptr(o.off)), b[:i])
		i = len(b)
		if e.fault != nil {
			e.fault.in(&pg.enc, o, n-left)
			return b
		}
		if o.variable() && cap(b)-i < int(o.room) {
			b = mem.GrowRoom(b, int(o.room))
		}
		b = b[:cap(b)]
	}
}

// putSmall writes n at b[i:]. The argument `size` is 1 or 2.
func putSmall(b []byte, i, n int, size uint8) {
	if size == 1 {
		mem.Store8(b, i, byte(n))
	} else {
		mem.Store16(b, i, uint16(n))
	}
}

// shortText is the maximum length of a string that is stored without a function call.
const shortText = 16

// step encodes the value at p for an op that the loop of run does not handle. The slice b must have
// enough capacity for the fixed bytes of the op or its header.
func (e *encoder) step(o *op, p mem.Pointer, b []byte) []byte {
	i := len(b)
	all := b[:cap(b)]
	switch o.kind {
	case opBytes:
		return append(b, mem.View(p, int(o.room))...)
	case opSkip:
		b = all[:i+int(o.room)]
		clear(b[i:])
		return b
	case opInt:
		c := &o.sub.number
		v, ok := c.load(p)
		if !ok {
			return e.wrong(b, misfit(v, c.signed, c.wireSize, c.wireSigned))
		}
		putWord(all, i, v, int(o.room), o.sub.number.big)
		return all[:i+int(o.room)]
	case opWord: // run has tried it without success
		v, ok := o.sub.get.word(p)
		switch c := o.sub.n.conversion(); {
		case ok: // now it fits
			putWord(all, i, v, int(o.room), c.big)
			return all[:i+int(o.room)]
		case o.sub.n.kind == kindTime:
			return e.wrong(b, ErrTime)
		default:
			return e.wrong(b, misfit(v, c.signed, c.wireSize, c.wireSigned))
		}
	case opStart, opRoom: // run makes room after step
		return b
	case opInt32:
		return e.wrong(b, misfit(*mem.At[uint64](p, 0), true, 4, true))
	case opTime:
		v, ok := nanoseconds(mem.At[time.Time](p, 0))
		if !ok {
			return e.wrong(b, ErrTime)
		}
		mem.Store64(all, i, v)
		return all[:i+8]
	case opString8, opString16, opString:
		return e.text(o, *mem.At[string](p, 0), b)
	case opText, opText8, opText16:
		return e.text(o, o.sub.get.text(p), b)
	case opBlob:
		return e.text(o, mem.String(*mem.At[[]byte](p, 0)), b)
	case opTimeZone:
		return e.timeZone(mem.At[time.Time](p, 0), b)
	case opList, opFixed:
		return e.list(o, mem.At[mem.Slice](p, 0), b)
	case opArray:
		return e.run(o.sub.pg, p, o.sub.count, b)
	case opMap:
		return e.entries(o, p, b)
	case opOpt, opOptNumber, opOptBool, opOptString8, opOptString16:
		r := *mem.At[mem.Raw](p, 0)
		if r == nil {
			mem.Store8(all, i, 0)
			return all[:i+1]
		}
		mem.Store8(all, i, 1)
		return e.run(o.sub.pg, o.value(r), 1, all[:i+1])
	case opStruct:
		if e.depth == e.o.depth {
			return e.wrong(b, tooDeep(e.o))
		}
		e.depth++
		b = e.run(o.sub.pg, p, 1, b)
		e.depth--
		return b
	case opAt:
		return e.run(o.sub.pg, o.sub.at(p), 1, b)
	case opCustom:
		return e.custom(o, p, b)
	}
	return e.computed(o, p, b)
}

// wrong sets e.fault for the current op, and returns b.
func (e *encoder) wrong(b []byte, cause error) []byte {
	e.fault = &fault{at: len(b), index: -1, cause: cause}
	return b
}

// header appends n as the header of o. The slice b must have enough capacity for the header.
func (e *encoder) header(o *op, n int, b []byte) []byte {
	h := o.sub.n.header
	if !h.put(b[:cap(b)], len(b), n) {
		return e.wrong(b, o.tooLong(n))
	}
	return b[:len(b)+h.size()]
}

func (e *encoder) text(o *op, s string, b []byte) []byte {
	if b = e.header(o, len(s), b); e.fault != nil {
		return b
	}
	return append(b, s...)
}

func (e *encoder) list(o *op, s *mem.Slice, b []byte) []byte {
	list := *s // a copy, because the slice may change during the call
	switch {
	case o.kind == opList:
		b = e.header(o, list.Len, b)
	case list.Len != o.sub.count:
		return e.wrong(b, exceeds(ErrLength, "got a slice of %d elements, want %d", list.Len, o.sub.count))
	}
	if e.fault != nil || list.Len == 0 {
		return b
	}
	if o.sub.raw > 0 {
		return append(b, mem.View(o.elements(list.Data, list.Cap), list.Len*o.sub.raw)...)
	}
	return e.run(o.sub.pg, o.elements(list.Data, list.Cap), list.Len, b)
}

// computed encodes the value of a computed field, which its getter returns.
func (e *encoder) computed(o *op, p mem.Pointer, b []byte) []byte {
	g := o.sub.get
	v := g.values.Get().(mem.Pointer)
	g.load(p, v)
	b = e.run(o.sub.pg, v, 1, b)
	g.zeroValue(v)
	g.values.Put(v)
	return b
}
