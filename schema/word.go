package schema

// This file contains functions that read and write single numbers. They are slower than the ops
// that move numbers.

import (
	"math/bits"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// plain reports whether values of n are numbers that have the same size in memory and in the
// encoding.
func (n *node) plain() bool {
	return (n.kind == kindInt || n.kind == kindFloat) && !n.converts()
}

// converts reports whether values of n are integers that have different sizes or signs in memory
// and in the encoding.
func (n *node) converts() bool {
	return n.kind == kindInt && (int(n.typ.Size()) != n.size || signedKind(n.typ.Kind()) != n.signed)
}

func signedKind(k reflect.Kind) bool { return k <= reflect.Int64 }

// conversion describes the representation of an integer in memory and in the encoding.
type conversion struct {
	size, wireSize     uint8
	signed, wireSigned bool
	big                bool // in the encoding
}

func (n *node) conversion() conversion {
	return conversion{uint8(n.typ.Size()), uint8(n.size), signedKind(n.typ.Kind()), n.signed, n.big}
}

// load returns the integer at p as 64 bits, and reports whether it is in the range of the encoding.
func (c *conversion) load(p mem.Pointer) (v uint64, ok bool) {
	v = extend(loadWord(p, int(c.size)), c.size, c.signed)
	return v, fits(v, c.signed, c.wireSize, c.wireSigned)
}

// store stores the integer w, which was read from the encoding, at p. It reports whether w is in
// the range of the integer type in memory.
func (c *conversion) store(p mem.Pointer, w uint64) bool {
	v := extend(w, c.wireSize, c.wireSigned)
	if !fits(v, c.wireSigned, c.size, c.signed) {
		return false
	}
	storeWord(p, int(c.size), v)
	return true
}

// extend extends the integer v from size bytes to eight bytes.
func extend(v uint64, size uint8, signed bool) uint64 {
	shift := 64 - 8*uint(size)
	if signed {
		return uint64(int64(v<<shift) >> shift)
	}
	return v << shift >> shift
}

// fits reports whether the eight-byte integer v is in the range of an integer of size bytes. The
// argument vSigned reports whether v is signed, and the argument `signed` reports whether the
// smaller integer is signed.
func fits(v uint64, vSigned bool, size uint8, signed bool) bool {
	if extend(v, size, signed) != v {
		return false
	}
	return vSigned == signed || int64(v) >= 0
}

// loadWord returns the number of size bytes at p.
func loadWord(p mem.Pointer, size int) uint64 {
	switch size {
	case 1:
		return uint64(*mem.At[uint8](p, 0))
	case 2:
		return uint64(*mem.At[uint16](p, 0))
	case 4:
		return uint64(*mem.At[uint32](p, 0))
	}
	return *mem.At[uint64](p, 0)
}

// storeWord stores the low size bytes of v at p.
func storeWord(p mem.Pointer, size int, v uint64) {
	switch size {
	case 1:
		*mem.At[uint8](p, 0) = uint8(v)
	case 2:
		*mem.At[uint16](p, 0) = uint16(v)
	case 4:
		*mem.At[uint32](p, 0) = uint32(v)
	default:
		*mem.At[uint64](p, 0) = v
	}
}

// putWord writes the low size bytes of v to b[i:]. The slice b must be long enough.
func putWord(b []byte, i int, v uint64, size int, big bool) {
	if big && size > 1 {
		v = bits.ReverseBytes64(v) >> (64 - 8*uint(size))
	}
	switch size {
	case 1:
		mem.Store8(b, i, byte(v))
	case 2:
		mem.Store16(b, i, uint16(v))
	case 4:
		mem.Store32(b, i, uint32(v))
	default:
		mem.Store64(b, i, v)
	}
}

// readWord returns the number of size bytes at b[i:]. The slice b must be long enough.
func readWord(b []byte, i int, size int, big bool) uint64 {
	switch size {
	case 1:
		return uint64(mem.Load8(b, i))
	case 2:
		if big {
			return uint64(wire.BE16(b, i))
		}
		return uint64(mem.Load16(b, i))
	case 4:
		if big {
			return uint64(wire.BE32(b, i))
		}
		return uint64(mem.Load32(b, i))
	}
	if big {
		return wire.BE64(b, i)
	}
	return mem.Load64(b, i)
}
