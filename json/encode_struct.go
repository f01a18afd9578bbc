package json

// The struct loop executes the steps of a struct. Each step writes a text and then a value
// (encode_plan.go).
//
// The only state that passes from one step to the next is n, the length of the output. Each step
// increases n. Space is reserved once for a run of values of known length. Texts of any length are
// stored as whole blocks; the next store overwrites the surplus bytes.

import (
	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// block is the number of bytes that are stored for a text of any length.
const block = mem.BlockSize

func encodeStruct(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	f := &o.fields.plain
	if e.html {
		f = &o.fields.html
	}
	e.room(n, f.room)
	start := n
	for s := f.first; ; s = mem.Next(s) {
		from := p
		if s.omit != nil {
			if from = s.omit.base(e, p); mem.IsNil(from) {
				s = s.omit.last
				continue
			}
		}
		from = mem.Add(from, s.offset)
		mem.StoreBlock(e.b, n, &s.text)
		n += int(s.len)
		switch s.kind {
		case stepNone:
			continue
		case stepString, stepStringEnd:
			v := *mem.At[string](from, 0)
			b := e.room(n, len(v)+int(s.room))
			if uint(len(v)-1) < short {
				if end := putShort(b, n, v, e.html); end >= 0 {
					n = end
				} else {
					n = e.putEscaped(n, v, int(s.room))
				}
			} else if len(v) > 0 {
				n = e.putEscaped(n, v, int(s.room))
			}
			if s.kind == stepStringEnd {
				mem.Store8(e.b, n, '"')
				n++
			}
			continue
		case stepInt64:
			n = putInt(e.b, n, *mem.At[int64](from, 0))
			continue
		case stepInt32:
			n = putInt(e.b, n, int64(*mem.At[int32](from, 0)))
			continue
		case stepInt16:
			n = putInt(e.b, n, int64(*mem.At[int16](from, 0)))
			continue
		case stepInt8:
			n = putInt(e.b, n, int64(*mem.At[int8](from, 0)))
			continue
		case stepUint64:
			n = decimal.PutUint(e.b, n, *mem.At[uint64](from, 0))
			continue
		case stepUint32:
			n = decimal.PutUint(e.b, n, uint64(*mem.At[uint32](from, 0)))
			continue
		case stepUint16:
			n = decimal.PutUint(e.b, n, uint64(*mem.At[uint16](from, 0)))
			continue
		case stepUint8:
			n = decimal.PutUint(e.b, n, uint64(*mem.At[uint8](from, 0)))
			continue
		case stepBool:
			n = putBool(e.b, n, *mem.At[bool](from, 0))
			continue
		case stepFloat64:
			v := *mem.At[float64](from, 0)
			if v-v != 0 {
				e.failFloat(s.op.typ, v)
			}
			n = decimal.PutFloat64(e.b, n, v)
			continue
		case stepFloat32:
			v := *mem.At[float32](from, 0)
			if v-v != 0 {
				e.failFloat(s.op.typ, float64(v))
			}
			n = decimal.PutFloat32(e.b, n, v)
			continue
		case stepTime:
			n = e.putTime(n, s.op, from)
			continue
		case stepEnd:
			if f.omitsFirst {
				if n == start+1 { // all fields were omitted: only the closing brace was written
					mem.Store16(e.b, start, '{'|'}'<<8)
					return start + 2
				}
				mem.Store8(e.b, start, '{')
			}
			return n
		case stepRoom:
		case stepNilable:
			if *mem.FirstWord(from) != nil {
				n = s.op.encode(e, s.op, from, n)
				break
			}
			mem.Store32(e.b, n, textNull)
			n += 4
		default:
			n = s.op.encode(e, s.op, from, n)
		}
		e.room(n, int(s.room))
	}
}
