package schema

// Numbers, one at a time: the slow road, beside the ops that move them.

import (
	"math/bits"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// plain reports whether values of n are numbers of the same size in memory as on the wire.
func (n *node) plain() bool {
	return (n.kind == kindInt || n.kind == kindFloat) && !n.converts()
}

// converts reports whether values of n are integers of another size or sign in memory than on the
// wire.
func (n *node) converts() bool {
	return n.kind == kindInt && (int(n.typ.Size()) != n.size || signedKind(n.typ.Kind()) != n.signed)
}

func signedKind(k reflect.Kind) bool { return k <= reflect.Int64 }

// conversion is how an integer changes between memory and wire.
type conversion struct {
	size, wireSize     uint8
	signed, wireSigned bool
	big                bool // on the wire
}

func (n *node) conversion() conversion {
	return conversion{uint8(n.typ.Size()), uint8(n.size), signedKind(n.typ.Kind()), n.signed, n.big}
}

// load is the integer at p, as 64 bits, and whether the wire can hold it.
func (c *conversion) load(p mem.Pointer) (v uint64, ok bool) {
	v = extend(loadWord(p, int(c.size)), c.size, c.signed)
	return v, fits(v, c.signed, c.wireSize, c.wireSigned)
}

// store stores the integer w of the wire at p, and reports whether memory can hold it.
func (c *conversion) store(p mem.Pointer, w uint64) bool {
	v := extend(w, c.wireSize, c.wireSigned)
	if !fits(v, c.wireSigned, c.size, c.signed) {
		return false
	}
	storeWord(p, int(c.size), v)
	return true
}

// extend is the integer of size bytes as one of eight.
func extend(v uint64, size uint8, signed bool) uint64 {
	shift := 64 - 8*uint(size)
	if signed {
		return uint64(int64(v<<shift) >> shift)
	}
	return v << shift >> shift
}

// fits reports whether an integer of size bytes can be v, which is one of eight bytes. Each may
// have a sign or not.
func fits(v uint64, vSigned bool, size uint8, signed bool) bool {
	if extend(v, size, signed) != v {
		return false
	}
	return vSigned == signed || int64(v) >= 0
}

// loadWord is the number of size bytes at p.
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

// putWord writes the low size bytes of v to b[i:], where there is room.
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

// readWord is the number of size bytes at b[i:], which are there.
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
