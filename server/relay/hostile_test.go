package relay

import (
	"bytes"
	"encoding/binary"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// What a body of a few kilobytes can ask for, and does not get.

// field is a field of bytes.
func field(number int, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return append(binary.AppendUvarint([]byte{byte(number<<3 | 2)}, uint64(len(body))), body...)
}

func text(number int, s string) []byte { return field(number, []byte(s)) }

// allocated returns how many bytes fn allocates, at least.
func allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// sharedSymbol is a request of version 2 whose series, each of another tenant, have one large value
// in common.
func sharedSymbol(tenants, size int) []byte {
	body := slices.Concat(text(4, ""), text(4, "__tenant__"), text(4, "__name__"), text(4, strings.Repeat("x", size)))
	for i := range tenants {
		body = append(body, text(4, "t"+string(rune('a'+i%26))+strings.Repeat("z", i/26))...)
	}
	for i := range tenants {
		refs := binary.AppendUvarint([]byte{1}, uint64(4+i))
		body = append(body, field(5, field(1, refs, []byte{2, 3}), field(2, []byte{0x10, 1}))...)
	}
	return body
}

// A symbol is in every tenant's part that refers to it: a thousand times a megabyte is not made of
// a body of one megabyte.
func TestSymbolOfAllTenantsIsNotAmplified(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Bounds: Bounds{Decoded: 4 << 20}})
	body := s2.EncodeSnappyBest(nil, sharedSymbol(500, 1<<20))
	n := allocated(func() {
		r.post(t, body, "Content-Type", contentTypes[remotewrite.V2]).want(t, 413, "split by tenant")
	})
	if n > 64<<20 {
		t.Errorf("%d bytes were made of a body of %d", n, len(body))
	}
	r.post(t, s2.EncodeSnappy(nil, sharedSymbol(5, 1<<20)), "Content-Type", contentTypes[remotewrite.V2]).want(t, 204)
}

// In version 1 each label has a text of its own, so a body of version 2 may grow a thousandfold:
// then it is not made.
func TestDowngradeIsNotAmplified(t *testing.T) {
	s := newSink(t)
	s.refuses = true
	r := newRig(t, Options{Targets: []string{s.URL}, Bounds: Bounds{Decoded: 4 << 20}})
	body := slices.Concat(text(4, ""), text(4, "__tenant__"), text(4, "a"), text(4, "__name__"), text(4, strings.Repeat("x", 1<<20)))
	body = append(body, bytes.Repeat(field(5, field(1, []byte{1, 2, 3, 4}), field(2, []byte{0x10, 1})), 1000)...)
	n := allocated(func() {
		r.post(t, s2.EncodeSnappyBest(nil, body), "Content-Type", contentTypes[remotewrite.V2]).want(t, 400, "as 1.0")
	})
	if n > 64<<20 {
		t.Errorf("%d bytes were made of a body of %d", n, len(body))
	}
}
