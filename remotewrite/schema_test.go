package remotewrite

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The check of packed varints, four bytes at a time, agrees with a check of single varints.
func TestPackedVarints(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	good, bad := 0, 0
	for range 200_000 {
		b := make([]byte, r.IntN(24))
		for i := range b {
			b[i] = byte(r.IntN(3))
			if r.IntN(8) > 0 {
				b[i] |= 0x80
			}
		}
		want := true
		for i := 0; i < len(b) && want; {
			_, i = readVarint(b, i)
			want = i >= 0
		}
		if got := checkVarints(b, 0) == nil; got != want {
			t.Fatalf("% x: %v, not %v", b, got, want)
		}
		if want {
			good++
		} else {
			bad++
		}
	}
	if good < 1000 || bad < 1000 {
		t.Errorf("only %d are good and %d bad", good, bad)
	}
}

// Varints of every length are read, and truncated varints are rejected. So are varints of more than
// 10 bytes or 64 bits.
func TestVarints(t *testing.T) {
	for _, v := range []uint64{0, 1, 0x7f, 0x80, 0x3fff, 0x4000, 1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1} {
		b := pbInt(1, v)[1:]
		if got, next := readVarint(b, 0); got != v || next != len(b) || sizeVarint(v) != len(b) {
			t.Errorf("% x: %x, %d bytes of %d", b, got, next, sizeVarint(v))
		}
		for cut := range b {
			if _, next := readVarint(b[:cut], 0); next >= 0 {
				t.Errorf("% x cut at %d is taken", b, cut)
			}
		}
		if zigzag(unzigzag(int64(v))) != int64(v) {
			t.Errorf("zigzag of %d", int64(v))
		}
	}
	for text, ok := range map[string]bool{
		"ff ff ff ff ff ff ff ff ff 01": true, "80 80 80 80 80 80 80 80 80 00": true,
		"ff ff ff ff ff ff ff ff ff 02": false, "80 80 80 80 80 80 80 80 80 80 00": false,
	} {
		if _, next := readVarint(unhex(t, text), 0); (next >= 0) != ok {
			t.Errorf("%s: %d", text, next)
		}
	}
}

// Nested groups do not use the stack, and a missing end of a group is an error.
func TestDeepGroups(t *testing.T) {
	const deep = 1 << 20
	body := make([]byte, 2*deep)
	for i := range deep {
		body[i], body[deep+i] = 0x53, 0x54
	}
	for cut, ok := range map[int]bool{2 * deep: true, 2*deep - 1: false, deep: false} {
		var s Scanner
		s.Reset(body[:cut], V1)
		for range s.Series {
		}
		if (s.Err() == nil) != ok {
			t.Errorf("%d bytes: %v", cut, s.Err())
		}
	}
}

// The fast paths accept the output of encoders. If they did not, the results would still be
// correct, but slow.
func TestPlainForms(t *testing.T) {
	for _, lengths := range [][2]int{{0, 0}, {1, 1}, {10, 100}, {123, 0}, {0, 123}} {
		b := pbLabels(fmt.Sprintf("%0*d", lengths[0], 0)[:lengths[0]], fmt.Sprintf("%0*d", lengths[1], 0)[:lengths[1]])
		if nameEnd, next := plainLabel(b, 0); next != len(b) || nameEnd != 4+lengths[0] {
			t.Errorf("a label of %v: %d, %d", lengths, nameEnd, next)
		}
		if _, next := plainLabel(b[:len(b)-1], 0); next >= 0 {
			t.Errorf("a label of %v, cut, is taken", lengths)
		}
	}
	for _, value := range []float64{0, 1.5} {
		b := pbSample(value, now)
		if next := plainSample(b, 0); next != len(b) {
			t.Errorf("a sample of %v: %d", value, next)
		}
		if next := plainSample(b[:len(b)-1], 0); next >= 0 {
			t.Errorf("a sample of %v, cut, is taken", value)
		}
	}
	var s Scanner
	s.Reset(shape{series: 100, tenants: 3}.body2(), V2)
	for v := range s.Series {
		if !v.plain {
			t.Error("a series of version 2 is not plain")
		}
	}
}
