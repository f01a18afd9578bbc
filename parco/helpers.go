package parco

import (
	"math"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Ptr returns a pointer to v.
func Ptr[T any](v T) *T { return &v }

// If returns the argument a if the condition is true, and otherwise the argument b. Both arguments
// are evaluated.
func If[T any](condition bool, a, b T) T {
	if condition {
		return a
	}
	return b
}

// FormatBytes returns the bytes of data in Go syntax, for example []byte{1, 2}.
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

// String2Bytes returns the bytes of s without copying. The caller must not change them.
func String2Bytes(s string) []byte { return mem.Bytes(s) }

// Bytes2String returns the bytes of data as a string, without copying. The bytes must not change
// while the string is in use.
func Bytes2String(data []byte) string { return mem.String(data) }

// MaxByteSize64 returns the largest length that fits a header of 1, 2, 4 or 8 bytes.
func MaxByteSize64(byteLength int) int64 {
	if byteLength <= 0 || byteLength >= 8 {
		return math.MaxInt64
	}
	return 1<<(8*byteLength) - 1
}

// MaxSize is like [MaxByteSize64], but limits the result to the largest int.
func MaxSize(byteLength int) int { return int(min(MaxByteSize64(byteLength), math.MaxInt)) }
