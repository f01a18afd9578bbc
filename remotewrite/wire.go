package remotewrite

// This file contains the basic Protobuf encoding: tags, varints and the ends of fields. Nothing in
// this file depends on Remote Write. The messages of Remote Write are defined in schema.go.
//
// The read functions take the bytes up to the end of a message, and an offset. They return the
// offset after the value that they read. On error, the offset is -1, and the caller calls
// fieldFault to find the reason. Lengths are compared with the number of remaining bytes as
// unsigned numbers.

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Wire types. They are the low three bits of a tag; the other bits are the field's number.
const (
	typeVarint  = 0
	typeFixed64 = 1
	typeBytes   = 2
	typeGroup   = 3
	typeEnd     = 4
	typeFixed32 = 5
)

// maxVarint is the maximum length of a varint, in bytes. The tenth byte contains one bit.
const maxVarint = 10

// readVarint reads the varint at i. If i is -1, because an earlier read failed, the returned offset
// is -1. The function is small, so that the compiler inlines it.
func readVarint(b []byte, i int) (v uint64, next int) {
	for shift := 0; uint(i) < uint(len(b)) && shift < 7*maxVarint; shift += 7 {
		c := b[i]
		i++
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if shift == 63 && c > 1 {
				return 0, -1
			}
			return v, i
		}
	}
	return 0, -1
}

// readField reads the field at i. It returns the tag, the offset of the value, and the end of the
// field. For a bytes field, the offset of the value is after the length.
func readField(b []byte, i int) (tag uint32, at, next int) {
	// Nearly all tags take one byte, and so do most numbers and lengths.
	if len(b)-i >= 2 && b[i]-8 < 0x80-8 {
		tag, at = uint32(b[i]), i+1
		switch n := int(b[at]); tag & 7 {
		case typeVarint:
			if n < 0x80 {
				return tag, at, i + 2
			}
		case typeBytes:
			if n < 0x80 && n <= len(b)-i-2 {
				return tag, i + 2, i + 2 + n
			}
			if n >= 0x80 && len(b)-i >= 3 && b[i+2] < 0x80 { // most series have a length of two bytes
				n += int(b[i+2])<<7 - 0x80
				if n <= len(b)-i-3 {
					return tag, i + 3, i + 3 + n
				}
			}
		case typeFixed64:
			if len(b)-i >= 9 {
				return tag, at, i + 9
			}
		}
	}
	v, i := readVarint(b, i)
	if i < 0 || v-8 > math.MaxUint32-8 { // field number 0, or a number that is too large
		return 0, 0, -1
	}
	if v&7 == typeGroup {
		return uint32(v), i, skipGroup(b, i)
	}
	at, next = readValue(b, i, v&7)
	return uint32(v), at, next
}

// readValue returns the beginning and the end of the value at i. The field must not be a group.
func readValue(b []byte, i int, wireType uint64) (at, next int) {
	switch wireType {
	case typeVarint:
		_, next = readVarint(b, i)
		return i, next
	case typeBytes:
		n, at := readVarint(b, i)
		if at < 0 || n > uint64(len(b)-at) {
			return 0, -1
		}
		return at, at + int(n)
	case typeFixed64:
		if len(b)-i < 8 {
			return 0, -1
		}
		return i, i + 8
	case typeFixed32:
		if len(b)-i < 4 {
			return 0, -1
		}
		return i, i + 4
	}
	return 0, -1
}

// skipGroup returns the offset after the end of the group whose tag ends at i. It does not check
// the field numbers in the group, not even that the end tag has the same number as the start tag.
// The parser that Prometheus uses does the same.
func skipGroup(b []byte, i int) int {
	for depth := 1; depth > 0; {
		v, at := readVarint(b, i)
		if at < 0 {
			return -1
		}
		switch v & 7 {
		case typeGroup:
			depth++
		case typeEnd:
			depth--
		default:
			if _, at = readValue(b, at, v&7); at < 0 {
				return -1
			}
		}
		i = at
	}
	return i
}

// readFixed64 returns the eight-byte number at i. The function readField must have checked it.
func readFixed64(b []byte, i int) uint64 { return mem.Load64(b, i) }

// zigzag returns the signed number that v encodes. The values 0, 1, 2, 3 … of v encode 0, -1, 1, -2
// …
func zigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

// unzigzag returns the number that encodes v.
func unzigzag(v int64) uint64 { return uint64(v<<1) ^ uint64(v>>63) }

// sizeVarint returns the number of bytes that AppendUvarint appends for v.
func sizeVarint(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// appendHeader appends the header of a field with n bytes. The header consists of the tag, which
// must be below 128, and the length.
func appendHeader(b []byte, tag byte, n int) []byte {
	if n < 0x80 {
		return append(b, tag, byte(n))
	}
	return binary.AppendUvarint(append(b, tag), uint64(n))
}
