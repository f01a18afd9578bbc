package relay

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// Tests of small bodies for which a careless implementation would allocate much memory.

// field returns a length-delimited Protobuf field.
func field(number int, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	return append(binary.AppendUvarint([]byte{byte(number<<3 | 2)}, uint64(len(body))), body...)
}

func text(number int, s string) []byte { return field(number, []byte(s)) }

// sharedSymbol returns a version 2 request. Each of its series belongs to a different tenant, and
// all series share one large value.
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

// Each tenant's part contains the symbols to which its series refer. A request is rejected if 500
// tenants share a symbol of 1 MiB, before the parts use 500 MiB.
func TestSymbolOfAllTenantsIsNotAmplified(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}, Bounds: Bounds{Decoded: 4 << 20}})
	body := s2.EncodeSnappyBest(nil, sharedSymbol(500, 1<<20))
	n := testkit.Allocated(func() {
		r.post(t, body, "Content-Type", contentTypes[remotewrite.V2]).want(t, 413, "split by tenant")
	})
	if n > 64<<20 {
		t.Errorf("%d bytes were made of a body of %d", n, len(body))
	}
	r.post(t, s2.EncodeSnappy(nil, sharedSymbol(5, 1<<20)), "Content-Type", contentTypes[remotewrite.V2]).want(t, 204)
}

// In version 1, each label contains its own text, so a version 2 body can grow a thousandfold. In
// this case it is not converted.
func TestDowngradeIsNotAmplified(t *testing.T) {
	s := newSink(t)
	s.refuses = true
	r := newRig(t, Options{Targets: []string{s.URL}, Bounds: Bounds{Decoded: 4 << 20}})
	body := slices.Concat(text(4, ""), text(4, "__tenant__"), text(4, "a"), text(4, "__name__"), text(4, strings.Repeat("x", 1<<20)))
	body = append(body, bytes.Repeat(field(5, field(1, []byte{1, 2, 3, 4}), field(2, []byte{0x10, 1})), 1000)...)
	n := testkit.Allocated(func() {
		r.post(t, s2.EncodeSnappyBest(nil, body), "Content-Type", contentTypes[remotewrite.V2]).want(t, 400, "converted to 1.0")
	})
	if n > 64<<20 {
		t.Errorf("%d bytes were made of a body of %d", n, len(body))
	}
}

func TestCorruptBodiesAreTheSendersFault(t *testing.T) {
	s := newSink(t)
	r := newRig(t, Options{Targets: []string{s.URL}})
	plain := remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{of("a", 1)}})
	good := s2.EncodeSnappy(nil, plain)
	bodies := [][]byte{nil, {0}, {0xff}, []byte("hello"), good[:len(good)-1], append(slices.Clone(good), 0), plain, zstdOf(plain)[:20], bytes.Repeat([]byte{0x80}, 100)}
	for _, text := range []string{"0a", "0a05", "0affffffffffffffffff01", "0a0b12808080808080808080", "0000", "08", "0c", "22002a00"} {
		b, _ := hex.DecodeString(text)
		bodies = append(bodies, s2.EncodeSnappy(nil, b), zstdOf(b))
	}
	for i, body := range bodies {
		for _, encoding := range []string{"snappy", "zstd", ""} {
			for _, version := range versions {
				vm := encoding == "zstd"
				a := r.post(t, body, "Content-Encoding", encoding, "Content-Type", contentTypes[version])
				want := map[bool]int{true: 409, false: 400}[vm]
				if i == 1 { // a valid request without series
					want = 204
				}
				if a.status != want {
					t.Errorf("%x as %q, version %d: %d: %s", body, encoding, version, a.status, a.body)
				}
			}
		}
	}
	if s.count() != 0 {
		t.Errorf("%d posts", s.count())
	}
}
