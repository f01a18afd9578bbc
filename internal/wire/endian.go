package wire

import (
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// As with the Load and Store functions of package mem, the caller of the functions below must have
// checked the offset.

func BE16(b []byte, i int) uint16 { return bits.ReverseBytes16(mem.Load16(b, i)) }
func BE32(b []byte, i int) uint32 { return bits.ReverseBytes32(mem.Load32(b, i)) }
func BE64(b []byte, i int) uint64 { return bits.ReverseBytes64(mem.Load64(b, i)) }

func PutBE16(b []byte, i int, v uint16) { mem.Store16(b, i, bits.ReverseBytes16(v)) }
func PutBE32(b []byte, i int, v uint32) { mem.Store32(b, i, bits.ReverseBytes32(v)) }
func PutBE64(b []byte, i int, v uint64) { mem.Store64(b, i, bits.ReverseBytes64(v)) }
