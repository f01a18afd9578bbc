package parco

import (
	"math"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Ptr is a pointer to v.
func Ptr[T any](v T) *T { return &v }

// If is a or b. Both are evaluated.
func If[T any](condition bool, a, b T) T {
	if condition {
		return a
	}
	return b
}

// FormatBytes is data as Go would have it: []byte{1, 2}.
func FormatBytes(data []byte) string {
	b := []byte("[]byte{")
	for i, v := range data {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendUint(b, uint64(v), 10)
	}
	return string(append(b, '}'))
}

// String2Bytes is the memory of s, which must not be changed.
func String2Bytes(s string) []byte { return mem.Bytes(s) }

// Bytes2String is a string in the memory of data, which must not change as long as it is used.
func Bytes2String(data []byte) string { return mem.String(data) }

// MaxByteSize64 is the largest length that byteLength bytes can hold: 1, 2, 4, or 8.
func MaxByteSize64(byteLength int) int64 {
	if byteLength <= 0 || byteLength >= 8 {
		return math.MaxInt64
	}
	return 1<<(8*byteLength) - 1
}

// MaxSize is MaxByteSize64, or the largest int if that is less.
func MaxSize(byteLength int) int { return int(min(MaxByteSize64(byteLength), math.MaxInt)) }
