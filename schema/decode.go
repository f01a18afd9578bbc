package schema

import (
	"math"
	"reflect"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// decoder contains the state of decoding one message, except the target.
type decoder struct {
	b     []byte // 0 ≤ i ≤ len(b) for every offset i in run
	o     *options
	fault *fault
	feed  *feed   // the source of the bytes after b, or nil
	depth int     // number of recursive values that enclose the current value
	items int     // number of elements so far that have no bytes in the input
	owed  int     // minimum size of the elements that follow the current value in enclosing lists
	near  stretch // a copy of a part of the input; strings are substrings of it; near.from ≤ i
	texts texts   // memory for other copied strings
	cut   bool    // the input was longer than the limit for a message, and b is only its beginning
}

// start prepares d, which must be zero, for the message at the beginning of b. It sets fields
// instead of using a composite literal, because the compiler would build a literal of this size in
// other memory and copy it. The processor would wait for that copy.
func (d *decoder) start(b []byte, pg *program, o *options) {
	if len(b) > o.bytes {
		b, d.cut = b[:o.bytes], true
	}
	d.b, d.o, d.texts.ahead = b, o, pg.texts
}

// next prepares d for a message in d.b that follows other messages.
func (d *decoder) next(pg *program, o *options) {
	*d = decoder{b: d.b, o: o, feed: d.feed, texts: texts{ahead: pg.texts}}
}

// ends returns the reason why no more bytes follow d.b.
func (d *decoder) ends() error {
	switch {
	case d.cut:
		return tooLarge(len(d.b))
	case d.feed != nil:
		return d.feed.err
	}
	return ErrShort
}

// run decodes n values from d.b[i:] to consecutive memory at p. It returns the offset after the
// values. On error, it returns -1, and sets d.fault. It may replace d.b by a copy.
//
// An op is tried in three places. Only the last place reports errors and moves the window:
//
//	place                 handles                                      continues with
//	known, the inner      what needs no call: numbers, flags, strings  the next op
//	loop                  whose text is near, options without a value
//	                      opEnd, of all values but the last            the first op
//	                      opEnd, of the last value                     the caller
//	                      the rest (break known)                       the switch after the loop
//	switch after the      strings that must be copied, named types     the next op
//	loop                  a tail at the end of the message             the caller
//	                      the rest                                     step
//	step                  all ops, and errors. After it, run ensures   the next op, or the
//	                      that the next op's bytes are in b            caller with -1
//
// An op of variable size has checked, in each place, that the fixed bytes of the ops after it
// (o.room) are in b.
func (d *decoder) run(pg *program, p mem.Pointer, n int, i int) int {
	b, left, alias := d.b, n, d.o.text == inputText
	o := &pg.dec.ops[0]
	if len(b)-i >= int(o.room) {
		o = mem.Next(o)
	}
	for ; ; o = mem.Next(o) {
	known:
		for ; ; o = mem.Next(o) {
			switch o.kind {
			case opMove1:
				*mem.At[uint8](p, uintptr(o.off)) = mem.Load8(b, i)
				i++
			case opMove2:
				*mem.At[uint16](p, uintptr(o.off)) = mem.Load16(b, i)
				i += 2
			case opMove4:
				*mem.At[uint32](p, uintptr(o.off)) = mem.Load32(b, i)
				i += 4
			case opMove8:
				*mem.At[uint64](p, uintptr(o.off)) = mem.Load64(b, i)
				i += 8
			case opSwap2:
				*mem.At[uint16](p, uintptr(o.off)) = wire.BE16(b, i)
				i += 2
			case opSwap4:
				*mem.At[uint32](p, uintptr(o.off)) = wire.BE32(b, i)
				i += 4
			case opSwap8:
				*mem.At[uint64](p, uintptr(o.off)) = wire.BE64(b, i)
				i += 8
			case opBool:
				v := mem.Load8(b, i)
				if v > 1 {
					break known
				}
				*mem.At[uint8](p, uintptr(o.off)) = v
				i++
			case opInt32:
				*mem.At[int64](p, uintptr(o.off)) = int64(int32(mem.Load32(b, i)))
				i += 4
			case opTime:
				n := mem.Load64(b, i)
				if n > math.MaxInt64 { // before 1970
					break known
				}
				s := n / 1e9
				mem.SetUTC(mem.At[time.Time](p, uintptr(o.off)), int64(s), n-s*1e9)
				i += 8
			case opString8:
				size := int(mem.Load8(b, i))
				next := i + 1 + size
				if size == 0 || len(b)-next < int(o.room) {
					break known
				}
				if alias {
					mem.SetString(mem.At[string](p, uintptr(o.off)), b, i+1, size)
				} else if at := i + 1 - d.near.from; len(d.near.text)-at >= size {
					mem.SetText(mem.At[string](p, uintptr(o.off)), d.near.text, at, size)
				} else {
					break known
				}
				i = next
			case opString16:
				size := int(mem.Load16(b, i))
				next := i + 2 + size
				if size == 0 || len(b)-next < int(o.room) {
					break known
				}
				if alias {
					mem.SetString(mem.At[string](p, uintptr(o.off)), b, i+2, size)
				} else if at := i + 2 - d.near.from; len(d.near.text)-at >= size {
					mem.SetText(mem.At[string](p, uintptr(o.off)), d.near.text, at, size)
				} else {
					break known
				}
				i = next
			case opOpt, opOptString8, opOptString16:
				if mem.Load8(b, i) != 0 || len(b)-i <= int(o.room) {
					break known
				}
				*mem.At[mem.Raw](p, uintptr(o.off)) = nil
				i++
			case opOptNumber, opOptBool:
				q, size := mem.At[mem.Raw](p, uintptr(o.off)), int(o.size1)
				tag := mem.Load8(b, i)
				if tag == 0 && len(b)-i > int(o.room) {
					*q = nil
					i++
					continue
				}
				if tag != 1 || *q == nil || len(b)-i < 1+size+int(o.room) {
					break known
				}
				switch size {
				case 1:
					v := mem.Load8(b, i+1)
					if v > 1 && o.kind == opOptBool {
						break known
					}
					*mem.At[uint8](o.value(*q), 0) = v
				case 2:
					*mem.At[uint16](o.value(*q), 0) = mem.Load16(b, i+1)
				case 4:
					*mem.At[uint32](o.value(*q), 0) = mem.Load32(b, i+1)
				default:
					*mem.At[uint64](o.value(*q), 0) = mem.Load64(b, i+1)
				}
				i += 1 + size
			case opEnd:
				if left--; left <= 0 {
					return i
				}
				p, o = mem.Add(p, pg.stride), &pg.dec.ops[0]
				if len(b)-i < int(o.room) {
					break known
				}
			default:
				break known
			}
		}
		q := mem.Add(p, uintptr(o.off))
		text, at := q, i // the string's place in memory and its offset in b, for string ops
		switch o.kind {
		case opOptString8, opOptString16:
			if mem.Load8(b, i) != 1 || len(b)-i <= int(o.size1) {
				break
			}
			text, at = o.value(o.something(mem.At[mem.Raw](q, 0))), i+1
			fallthrough
		case opString8, opString16: // d.near does not contain the string
			h, size := int(o.size1), readSmall(b, at, o.size1)
			if len(b)-at >= h+size+int(o.room) {
				d.putText(mem.At[string](text, 0), b, at+h, size)
				i = at + h + size
				continue
			}
		case opText8, opText16:
			h, size := int(o.size1), readSmall(b, i, o.size1)
			if len(b)-i >= h+size+int(o.room) {
				var s string
				d.putText(&s, b, i+h, size)
				o.sub.get.setText(q, s)
				i += h + size
				continue
			}
		case opWord:
			w := readWord(b, i, int(o.room), o.sub.n.big)
			if (w <= 1 || o.sub.n.kind != kindBool) && o.sub.get.setWord(q, w) {
				i += int(o.room)
				continue
			}
		case opOptNumber, opOptBool:
			if mem.Load8(b, i) == 1 {
				o.something(mem.At[mem.Raw](q, 0))
			}
		case opTail:
			if i == len(b) && !d.cut {
				d.missing(o, p)
				return i
			}
		}
		owed := d.owed
		d.owe(left-1, pg.least)
		i = d.step(o, q, i)
		if d.owed = owed; i < 0 {
			d.fault.in(&pg.dec, o, n-left)
			return -1
		}
		b = d.b
		if o.variable() && len(b)-i < int(o.room) {
			if b = d.more(i, int(o.room)); b == nil {
				d.fault = short(&pg.dec, o, i, len(d.b))
				d.fault.index, d.fault.cause = n-left, d.ends()
				return -1
			}
		}
	}
}

// readSmall returns the number at b[i:]. The size of the number is 1 or 2 bytes.
func readSmall(b []byte, i int, size uint8) int {
	if size == 1 {
		return int(mem.Load8(b, i))
	}
	return int(mem.Load16(b, i))
}

// wrong sets d.fault for the current op, and returns -1.
func (d *decoder) wrong(i int, cause error) int {
	d.fault = &fault{at: i, index: -1, cause: cause}
	return -1
}

// step decodes a value of an op that the loop of run does not handle, and stores it at p. The input
// must contain the fixed bytes of the op or its header.
func (d *decoder) step(o *op, p mem.Pointer, i int) int {
	b := d.b
	switch o.kind {
	case opBytes:
		copy(mem.View(p, int(o.room)), b[i:])
		return i + int(o.room)
	case opBools:
		return d.bools(p, int(o.room), i)
	case opSkip:
		return i + int(o.room)
	case opInt:
		c := &o.sub.number
		if w := readWord(b, i, int(o.room), c.big); !c.store(p, w) {
			return d.wrong(i, misfit(extend(w, c.wireSize, c.wireSigned), c.wireSigned, c.size, c.signed))
		}
		return i + int(o.room)
	case opWord: // run has tried it without success
		if o.sub.n.kind == kindBool {
			return d.wrong(i, ErrBool)
		}
		c := o.sub.n.conversion()
		w := readWord(b, i, int(o.room), c.big)
		return d.wrong(i, misfit(extend(w, c.wireSize, c.wireSigned), c.wireSigned, c.size, c.signed))
	case opStart, opRoom, opTail: // run checks the room after step
		return i
	case opBool:
		return d.wrong(i, ErrBool)
	case opTime, opTimeAny:
		*mem.At[time.Time](p, 0) = instant(mem.Load64(b, i))
		return i + 8
	case opString8, opString16, opString:
		n, i := d.length(o, i)
		if i >= 0 {
			d.putText(mem.At[string](p, 0), d.b, i, n)
		}
		return i + n
	case opText, opText8, opText16:
		var s string
		n, i := d.length(o, i)
		if i >= 0 {
			d.putText(&s, d.b, i, n)
			o.sub.get.setText(p, s)
		}
		return i + n
	case opBlob:
		n, i := d.length(o, i)
		if i >= 0 {
			d.blob(mem.At[[]byte](p, 0), d.b[i:i+n:i+n])
		}
		return i + n
	case opTimeZone:
		return d.timeZone(mem.At[time.Time](p, 0), i)
	case opList, opFixed:
		return d.list(o, mem.At[mem.Slice](p, 0), i)
	case opArray:
		return d.run(o.sub.pg, p, o.sub.count, i)
	case opMap:
		return d.entries(o, p, i)
	case opOpt, opOptNumber, opOptBool, opOptString8, opOptString16:
		return d.option(o, mem.At[mem.Raw](p, 0), i)
	case opStruct:
		if d.depth == d.o.depth {
			return d.wrong(i, tooDeep(d.o))
		}
		d.depth++
		d.texts.ahead += o.sub.pg.texts
		i = d.run(o.sub.pg, p, 1, i)
		d.depth--
		return i
	case opAt:
		return d.run(o.sub.pg, o.sub.at(p), 1, i)
	case opCustom:
		return d.custom(o, p, i)
	}
	return d.computed(o, p, i)
}

// length reads the header of o at i, which contains a number of bytes. It returns this number, and
// the offset after the header. If the input does not contain that many bytes, n is 0 and the offset
// is -1.
func (d *decoder) length(o *op, i int) (n, at int) {
	h := o.sub.n.header
	n, at = h.read(d.b, i), i+h.size()
	switch {
	case n < 0:
		return 0, d.wrong(i, h.negative(d.b, i))
	case len(d.b)-at < n && d.more(at, n) == nil:
		return 0, d.wrong(i, d.ends())
	}
	return n, at
}

// option decodes an option. If *p is not nil, it reuses the value that *p points to.
func (d *decoder) option(o *op, p *mem.Raw, i int) int {
	switch mem.Load8(d.b, i) {
	case 0:
		*p = nil
		return i + 1
	case 1:
		return d.run(o.sub.pg, o.value(o.something(p)), 1, i+1)
	}
	return d.wrong(i, ErrOption)
}

// something returns *p. If *p is nil, it first sets *p to a pointer to a new value.
func (o *op) something(p *mem.Raw) mem.Raw {
	if *p == nil {
		*p = o.sub.n.newElem()
	}
	return *p
}

// value returns r as a mem.Pointer. The argument r points to the value of an option.
func (o *op) value(r mem.Raw) mem.Pointer {
	if !mem.Guarded {
		return mem.Of(r, nil)
	}
	return mem.Of(r, o.sub.n.elem.typ)
}

// elements returns r as a mem.Pointer. The argument r points to the n elements of a slice.
func (o *op) elements(r mem.Raw, n int) mem.Pointer {
	if !mem.Guarded {
		return mem.ArrayOf(r, nil, n)
	}
	return mem.ArrayOf(r, o.sub.n.elem.typ, n)
}

// computed decodes the value of a computed field, and passes it to the field's setter.
func (d *decoder) computed(o *op, p mem.Pointer, i int) int {
	g := o.sub.get
	v := g.values.Get().(mem.Pointer)
	if i = d.run(o.sub.pg, v, 1, i); i >= 0 {
		g.store(p, v)
	}
	g.zeroValue(v)
	g.values.Put(v)
	return i
}

// missing sets the missing fields of a Tail to zero.
func (d *decoder) missing(o *op, p mem.Pointer) {
	for k := range o.sub.leftOver {
		f := &o.sub.leftOver[k]
		switch {
		case f.n == nil:
		case f.get != nil:
			f.get.store(p, mem.Of(mem.NewAt(f.n.typ), f.n.typ))
		case f.at != nil:
			zero(f.n.typ, f.at(mem.Add(p, uintptr(o.off))))
		default:
			zero(f.n.typ, mem.Add(p, uintptr(o.off)+f.off))
		}
	}
}

// zero sets the value of type t at p to its zero value.
func zero(t reflect.Type, p mem.Pointer) { reflect.NewAt(t, mem.RawAs(p, t)).Elem().SetZero() }
