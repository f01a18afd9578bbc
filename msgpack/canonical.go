package msgpack

// Canonical encoding: equal values have the same encoding, independent of their Go types.
//
// A value is encoded as usual, and then its bytes are rewritten. So the same code handles maps and
// structs of every type, the output of methods, and RawMessage. The comment of
// EncodeOptions.Canonical and vectors/msgpack.txt describe the rules.
//
//	index   finds where each array and map ends, in one pass
//	value   writes the values, those of a map in the order of its keys

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// maxKeyDepth is the maximum nesting depth of keys inside keys, where the outer keys are arrays or
// maps. Each level copies or reads its keys once more, so the cost of a message can be its size
// times this limit.
const maxKeyDepth = 4

var (
	errCanonicalDict = errors.New("msgpack: canonical output cannot contain interned strings")
	errKeyDepth      = errors.New("msgpack: maps and arrays in a map key are nested too deeply")
)

// A canonicalizer rewrites values.
type canonicalizer struct {
	e        *Encoder
	in, out  []byte
	nodes    []node
	open     []openNode
	pairs    []mapPair // pairs of the maps that value is currently writing
	keys     []byte    // canonical encodings of the keys of these pairs
	keyDepth int
	err      error
}

// A node is an array or a map in the input. Nodes are ordered by their offsets.
type node struct {
	end  int // offset after its last byte
	next int // index of the first node after this node and its inner nodes
}

// openNode is a node whose end has not been found.
type openNode struct {
	node int
	left int // number of values that have not been read
}

// A mapPair is a key and its value: the key is keys[from:to].
type mapPair struct {
	from, to    int
	value, node int // the value's offset, and the index of its first node
}

// appendCanonical appends values, each in its canonical form, to dst. An incomplete value at the
// end is copied unchanged: it is a header, and the caller writes its elements by later calls.
func (e *Encoder) appendCanonical(dst, values []byte) ([]byte, error) {
	if e.flags&interned != 0 {
		return dst, errCanonicalDict
	}
	c := canonicalizer{e: e, in: values, out: dst}
	for i := 0; i < len(values); {
		next, err := c.index(i)
		if err != nil {
			return dst, err
		}
		if next < 0 {
			c.out = append(c.out, values[i:]...)
			break
		}
		c.value(i, 0)
		i = next
	}
	if c.err != nil {
		return dst, c.err
	}
	return c.out, nil
}

// index records the arrays and maps in the value at i, and returns the offset after the value. If
// the value is incomplete, it returns -1.
func (c *canonicalizer) index(i int) (next int, err error) {
	c.nodes, c.open = c.nodes[:0], c.open[:0]
	for {
		h, ok := readHead(c.in, i)
		switch {
		case ok:
		case i < len(c.in) && c.in[i] == msgpwire.Never:
			return 0, unknownCode(c.in[i])
		default:
			return -1, nil
		}
		i = h.next
		if values, ok := h.holds(); ok {
			if len(c.open) == maxDepth {
				return 0, depthError(maxDepth)
			}
			c.open = append(c.open, openNode{len(c.nodes), values})
			c.nodes = append(c.nodes, node{})
		} else if n := len(c.open); n > 0 {
			c.open[n-1].left--
		}
		for n := len(c.open); n > 0 && c.open[n-1].left == 0; n-- {
			c.nodes[c.open[n-1].node] = node{i, len(c.nodes)}
			if c.open = c.open[:n-1]; n > 1 {
				c.open[n-2].left--
			}
		}
		if len(c.open) == 0 {
			return i, nil
		}
	}
}

// past returns the offset and the node after the value at i. The value's first node is k.
func (c *canonicalizer) past(i, k int) (next, node int) {
	h, _ := readHead(c.in, i)
	if _, ok := h.holds(); ok {
		return c.nodes[k].end, c.nodes[k].next
	}
	return h.next, k
}

// value writes the value at i, and returns the offset and the node after the value. The value's
// first node is k.
func (c *canonicalizer) value(i, k int) (next, node int) {
	h, _ := readHead(c.in, i)
	switch h.form {
	case msgpwire.FormArray:
		c.out = msgpwire.AppendArrayLen(c.out, h.n)
		i, k = h.next, k+1
		for range h.n {
			i, k = c.value(i, k)
		}
		return i, k
	case msgpwire.FormMap:
		c.out = msgpwire.AppendMapLen(c.out, h.n)
		return c.table(h.n, h.next, k+1)
	}
	c.out = c.leaf(c.out, i, h)
	return h.next, k
}

// table writes the n pairs of a map in the order of their keys. The pairs begin at i, and their
// first node is k. table returns the offset and the node after the pairs.
func (c *canonicalizer) table(n, i, k int) (next, node int) {
	mark, room := len(c.pairs), len(c.keys)
	for range n {
		from := len(c.keys)
		value, node := c.key(i, k)
		c.pairs = append(c.pairs, mapPair{from, len(c.keys), value, node})
		i, k = c.past(value, node)
	}
	order := func(x, y mapPair) int { return bytes.Compare(c.keys[x.from:x.to], c.keys[y.from:y.to]) }
	pairs := c.pairs[mark:]
	if !slices.IsSortedFunc(pairs, order) {
		slices.SortFunc(pairs, order)
	}
	for j := mark; j < mark+n; j++ { // maps in the values append to c.pairs meanwhile
		p := c.pairs[j]
		key := c.keys[p.from:p.to]
		if j > mark && order(c.pairs[j-1], p) == 0 && c.err == nil {
			c.err = fmt.Errorf("%w: % x", errKeyTwice, key)
		}
		c.out = append(c.out, key...)
		c.value(p.value, p.node)
	}
	c.pairs, c.keys = c.pairs[:mark], c.keys[:room]
	return i, k
}

// key appends the key at i to c.keys, and returns the offset and the node after the key. The key's
// first node is k.
func (c *canonicalizer) key(i, k int) (next, node int) {
	h, _ := readHead(c.in, i)
	if _, ok := h.holds(); !ok {
		c.keys = c.leaf(c.keys, i, h)
		return h.next, k
	}
	if c.keyDepth++; c.keyDepth > maxKeyDepth {
		if c.err == nil {
			c.err = errKeyDepth
		}
		c.keyDepth--
		return c.past(i, k)
	}
	out := c.out
	c.out = nil
	next, node = c.value(i, k)
	c.keys = append(c.keys, c.out...)
	c.out = out
	c.keyDepth--
	return next, node
}

// canonicalNaN contains the bits of the canonical NaN, which replaces every other NaN.
const canonicalNaN = 0x7ff8 << 48

// leaf appends the value at i to b. The value is neither an array nor a map.
func (c *canonicalizer) leaf(b []byte, i int, h head) []byte {
	code := c.in[i]
	if v, next := readInt(c.in, i); next >= 0 {
		if code == msgpwire.Uint64 {
			return msgpwire.AppendUint(b, uint64(v))
		}
		return msgpwire.AppendInt(b, v)
	}
	if v, next := readFloat(c.in, i); next >= 0 {
		if math.IsNaN(v) {
			v = math.Float64frombits(canonicalNaN)
		}
		return c.e.appendFloat64(b, v)
	}
	body := c.in[h.next-h.n : h.next]
	switch {
	case msgpwire.IsStr(code):
		return append(msgpwire.AppendStringLen(b, h.n), body...)
	case code >= msgpwire.Bin8 && code <= msgpwire.Bin32:
		return append(msgpwire.AppendBytesLen(b, h.n), body...)
	case msgpwire.IsExt(code):
		return c.ext(b, i, h)
	}
	return append(b, code) // nil or a bool
}

// ext appends the ext at i to b. A timestamp gets its shortest form, unless another type is
// registered for the ext id of timestamps.
func (c *canonicalizer) ext(b []byte, i int, h head) []byte {
	id := i + 1 + int(msgpwire.Forms[c.in[i]].Count)
	data := c.in[id+1 : h.next]
	if r := registered.Load(); int8(c.in[id]) == msgpwire.ExtTime && !r.ownTime && r.exts[uint8(c.in[id])] == nil {
		if t, ok := msgpwire.TimeOf(data); ok {
			return msgpwire.AppendTime(b, t)
		}
	}
	return append(msgpwire.AppendExtHeader(b, int8(c.in[id]), len(data)), data...)
}
