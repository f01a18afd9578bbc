package msgpack

// The slow-complete struct loop, for options of the decoder that the fast one knows nothing of.

import "github.com/slipstream-go/slipstream/internal/mem"

// decodeStructCareful reads n pairs at i into the fields of the struct at p, each key and each value through its function.
func (d *Decoder) decodeStructCareful(o *op, p mem.Pointer, n, i int) int {
	if d.depth++; d.depth > maxDepth {
		return d.fail(i, errDepth)
	}
	for ; n > 0; n-- {
		start := i
		var key string
		if key, i = d.readKey(i); i < 0 {
			return -1
		}
		name := mem.Bytes(key)
		k := o.fields.names.Find(name)
		if k < 0 {
			if d.flags&disallowUnknown != 0 {
				return d.fail(start, unknownField(name))
			}
			if i = d.skipJoining(i); i < 0 {
				return -1
			}
			continue
		}
		f := o.fields.byName[k]
		to := mem.Add(p, uintptr(f.offset))
		if f.hops {
			if to = reachField(o, f, p, d.isNil(i)); to == nil {
				i++
				continue
			}
		}
		if i = f.op.decode(d, f.op, to, i); i < 0 {
			d.path.Field(o.fields.list[f.index].Name)
			return -1
		}
	}
	d.depth--
	return i
}
