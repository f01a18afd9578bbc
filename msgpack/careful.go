package msgpack

import "github.com/slipstream-go/slipstream/internal/mem"

// decodeStructCareful reads n pairs into the struct at p, like decodeStruct, but without shortcuts.
// It is used with options that affect single keys and values, and calls a function for each key and
// value.
func (d *Decoder) decodeStructCareful(o *op, p mem.Pointer, n, i int) int {
	if !d.claim(i, n, 2) {
		return -1
	}
	if d.depth++; d.depth > d.limits.depth {
		return d.tooDeep(i)
	}
	seen := d.newKeySet()
	for range n {
		start := i
		if !d.isNil(i) && d.isNameless(i) {
			if i = d.skipJoining(i); i < 0 {
				return -1
			}
			if key := d.b[start:i]; seen.keys != nil && seen.twice(d.keyOf(key), key) {
				return d.fail(start, errKeyTwice)
			}
			if i = d.skipJoining(i); i < 0 {
				return -1
			}
			continue
		}
		var key string
		if key, i = d.readKey(i); i < 0 {
			return -1
		}
		name := mem.Bytes(key)
		k := o.fields.names.Find(name)
		if seen.keys != nil {
			var named any = key
			if k >= 0 {
				named = fieldKey(o.fields.byName[k].index)
			}
			if seen.twice(named, nil) {
				return d.fail(start, errKeyTwice)
			}
		}
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
			to = reachField(o, f, p)
		}
		if i = f.op.decode(d, f.op, to, i); i < 0 {
			d.path.Field(o.fields.list[f.index].Name)
			return -1
		}
	}
	d.depth--
	return i
}
