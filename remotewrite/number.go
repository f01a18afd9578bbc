package remotewrite

import "math"

// This file contains functions that read numbers. The function readField must have checked these
// numbers before.

func readUint(b []byte, at int) uint64 {
	v, _ := readVarint(b, at)
	return v
}

func readInt(b []byte, at int) int64 { return int64(readUint(b, at)) }

func readFloat(b []byte, at int) float64 { return math.Float64frombits(readFixed64(b, at)) }

// readSint32 reads a sint32. If the varint has more bits, it uses only the low 32 bits.
func readSint32(b []byte, at int) int32 { return int32(zigzag(uint64(uint32(readUint(b, at))))) }

// readWide returns the varint in the low bytes of w. The varint ends at the first byte whose high
// bit is not set, and has at most 8 bytes.
func readWide(w uint64) uint64 {
	last := ^w & 0x8080808080808080
	w &= last ^ (last - 1)
	w = w&0x007f007f007f007f | w&0x7f007f007f007f00>>1
	w = w&0x00003fff00003fff | w&0x3fff00003fff0000>>2
	return w&0x0fffffff | w&0x0fffffff00000000>>4
}

// spreadWide spreads the number v over 8 bytes with 7 bits each. The result is a varint without
// continuation bits. The number v must have at most 56 bits.
func spreadWide(v uint64) uint64 {
	v = v&0x0fffffff | v&0x00fffffff0000000<<4
	v = v&0x00003fff00003fff | v&0x0fffc0000fffc000<<2
	return v&0x007f007f007f007f | v&0x3f803f803f803f80<<1
}
