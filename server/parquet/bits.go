package parquet

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/slipstream-go/slipstream/column"
)

// Levels and dictionary indexes use the encoding that Parquet calls RLE, a hybrid of runs and
// bit-packing:
//
//	run          uvarint n<<1, the value in the fewest bytes that hold the width
//	bit-packed   uvarint groups<<1 | 1, groups of 8 values, lowest bits first, the last group padded
//
// In this package, the levels or indexes of a page are either one run or one bit-packed sequence.
// Mixing them would save little, because the page is compressed afterwards.

// appendRun appends a run, which repeats the value v n times. The value has the given width in
// bits.
func appendRun(dst []byte, n int, v uint32, width int) []byte {
	dst = binary.AppendUvarint(dst, uint64(n)<<1)
	for ; width > 0; width -= 8 {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}

// appendPacked appends values of width bits each, bit-packed. The width is at most 16, so half a
// group fits into 64 bits. A group is written by two stores, one for each half. If a byte contains
// bits of both halves, the second store writes the bits of the first half again.
func appendPacked(dst []byte, values []uint32, width int) []byte {
	groups := (len(values) + 7) / 8
	dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
	size := len(dst) + groups*width
	dst = slices.Grow(dst, groups*width+8) // a store may reach past the end of its group
	out := dst[len(dst) : size+8]
	w, bytes, shift := uint(width)&31, width/2, uint(width)&1*4
	for len(values) >= 8 {
		appendGroup(out, (*[8]uint32)(values), w, bytes, shift)
		values, out = values[8:], out[width:]
	}
	if len(values) > 0 {
		var last [8]uint32
		copy(last[:], values)
		appendGroup(out, &last, w, bytes, shift)
	}
	return dst[:size]
}

// appendGroup stores 8 values of width bits at the start of out. Half a group occupies `bytes`
// whole bytes and `shift` further bits.
func appendGroup(out []byte, v *[8]uint32, width uint, bytes int, shift uint) {
	lo := uint64(v[0]) | uint64(v[1])<<width | uint64(v[2])<<(2*width) | uint64(v[3])<<(3*width)
	hi := uint64(v[4]) | uint64(v[5])<<width | uint64(v[6])<<(2*width) | uint64(v[7])<<(3*width)
	binary.LittleEndian.PutUint64(out, lo)
	binary.LittleEndian.PutUint64(out[bytes:], lo>>(8*uint(bytes))|hi<<shift)
}

// appendLevels appends the definition levels of rows [from, to), preceded by their length in bytes.
// A level is 0 for a null and 1 for a value. The packed levels are the complement of the null
// bitmap, because both have the same bit order.
func appendLevels(dst []byte, nulls column.Bitmap, from, to, count int) []byte {
	start, n := len(dst), to-from
	dst = append(dst, 0, 0, 0, 0)
	switch count {
	case 0:
		dst = appendRun(dst, n, 1, 1)
	case n:
		dst = appendRun(dst, n, 0, 1)
	default:
		groups := (n + 7) / 8
		dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
		end := len(dst) + groups
		for at := from; at < to; at += 64 {
			w := ^word(nulls, at)
			if rest := to - at; rest < 64 {
				w &= 1<<uint(rest) - 1
			}
			dst = binary.LittleEndian.AppendUint64(dst, w)
		}
		dst = dst[:end]
	}
	binary.LittleEndian.PutUint32(dst[start:], uint32(len(dst)-start-4))
	return dst
}

// word returns 64 bits of b, starting with bit i.
func word(b column.Bitmap, i int) uint64 {
	at, shift := i>>6, uint(i)&63
	var w uint64
	if at < len(b) {
		w = b[at] >> shift
	}
	if shift > 0 && at+1 < len(b) {
		w |= b[at+1] << (64 - shift)
	}
	return w
}

// countNulls returns the number of rows in [from, to) that are set in the bitmap.
func countNulls(b column.Bitmap, from, to int) int {
	n := 0
	for ; from < to; from += 64 {
		w := word(b, from)
		if rest := to - from; rest < 64 {
			w &= 1<<uint(rest) - 1
		}
		n += bits.OnesCount64(w)
	}
	return n
}
