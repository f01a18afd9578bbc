package msgpack

// A run is a sequence of numbers with the same code, for example in a column of numbers. The
// functions in this file check four codes and store four numbers at a time. The caller handles the
// value that ends a run.

import (
	"math"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// readInt64Run reads consecutive ints with the codes int64, uint64, uint32, uint16 and fixint from
// b[i:] into dst. It returns the number of ints, and the offset after them.
func readInt64Run(b []byte, i int, dst []int64) (n, next int) {
	for readRuns && n < len(dst) && i+9 <= len(b) {
		c := mem.Load8(b, i)
		switch {
		case c == msgpwire.Int64 || c == msgpwire.Uint64:
			for readRuns && n+4 <= len(dst) && i+36 <= len(b) &&
				mem.Load8(b, i) == c && mem.Load8(b, i+9) == c && mem.Load8(b, i+18) == c && mem.Load8(b, i+27) == c {
				to := dst[n : n+4 : n+4]
				to[0] = int64(wire.BE64(b, i+1))
				to[1] = int64(wire.BE64(b, i+10))
				to[2] = int64(wire.BE64(b, i+19))
				to[3] = int64(wire.BE64(b, i+28))
				n, i = n+4, i+36
			}
			if n < len(dst) && i+9 <= len(b) && mem.Load8(b, i) == c {
				dst[n] = int64(wire.BE64(b, i+1))
				n, i = n+1, i+9
			}
		case c <= msgpwire.FixintMax || c >= msgpwire.Negfixint:
			dst[n] = int64(int8(c))
			n, i = n+1, i+1
		case c == msgpwire.Uint16:
			dst[n] = int64(wire.BE16(b, i+1))
			n, i = n+1, i+3
		case c == msgpwire.Uint32:
			dst[n] = int64(wire.BE32(b, i+1))
			n, i = n+1, i+5
		default:
			return n, i
		}
	}
	return n, i
}

// beforeBeyond cuts a run of ints before the first uint64 that does not fit int64. The run was read
// from b[i:next]. beforeBeyond returns the number of remaining ints, and the offset after them.
func beforeBeyond(b []byte, i, next int, run []int64) (k, cut int) {
	all := int64(0)
	for _, v := range run {
		all |= v
	}
	if all >= 0 {
		return len(run), next
	}
	for k, v := range run {
		if v < 0 && b[i] == msgpwire.Uint64 {
			return k, i
		}
		i += int(msgpwire.Forms[b[i]].Head)
	}
	return len(run), next
}

// readFloat64Run reads consecutive float64s from b[i:] into dst. It returns the number of floats,
// and the offset after them.
func readFloat64Run(b []byte, i int, dst []float64) (n, next int) {
	for readRuns && n+4 <= len(dst) && i+36 <= len(b) && mem.Load8(b, i) == msgpwire.Float64 && mem.Load8(b, i+9) == msgpwire.Float64 &&
		mem.Load8(b, i+18) == msgpwire.Float64 && mem.Load8(b, i+27) == msgpwire.Float64 {
		to := dst[n : n+4 : n+4]
		to[0] = math.Float64frombits(wire.BE64(b, i+1))
		to[1] = math.Float64frombits(wire.BE64(b, i+10))
		to[2] = math.Float64frombits(wire.BE64(b, i+19))
		to[3] = math.Float64frombits(wire.BE64(b, i+28))
		n, i = n+4, i+36
	}
	for readRuns && n < len(dst) && i+9 <= len(b) && mem.Load8(b, i) == msgpwire.Float64 {
		dst[n] = math.Float64frombits(wire.BE64(b, i+1))
		n, i = n+1, i+9
	}
	return n, i
}
