package decimal

import (
	"math"
	"strconv"
	"testing"
)

func checkInt(t *testing.T, v uint64) {
	t.Helper()
	var a, b [32]byte
	if got, want := AppendUint(a[:0], v), strconv.AppendUint(b[:0], v, 10); string(got) != string(want) {
		t.Fatalf("%s, want %s", got, want)
	}
	for _, i := range [2]int64{int64(v), -int64(v)} {
		if got, want := AppendInt(a[:0], i), strconv.AppendInt(b[:0], i, 10); string(got) != string(want) {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

// TestInts checks integers of each length, next to powers of two and ten, and all short integers.
func TestInts(t *testing.T) {
	for v := range uint64(100_000) {
		checkInt(t, v)
	}
	for ten := uint64(1); ; ten *= 10 {
		for d := range uint64(1000) {
			checkInt(t, ten-d)
			checkInt(t, ten+d)
			checkInt(t, ten*(d%10)+d/10)
		}
		if ten == 1e19 {
			break
		}
	}
	for n := range 64 {
		for d := range uint64(10) {
			checkInt(t, 1<<n-d)
			checkInt(t, 1<<n+d)
		}
	}
	checkInt(t, math.MaxUint64)
	r := random()
	for range some(1_000_000) {
		checkInt(t, r.Uint64()>>r.UintN(64))
	}
}

// TestEight checks each value that a lane can contain.
func TestEight(t *testing.T) {
	for v := range uint64(10_000) {
		for _, all := range [...]uint64{v * 1e4, v*1e4 + v, v*1e4 + 9999, v*1e4 + 5000, 9999*1e4 + v} {
			w := eight(all) + zeros
			for i, rest := 7, all; i >= 0; i, rest = i-1, rest/10 {
				if c := byte(w >> (8 * i)); c != byte('0'+rest%10) {
					t.Fatalf("%08d: %x", all, w)
				}
			}
			if back := valueOf8(w - zeros); back != all {
				t.Fatalf("%08d is read as %d", all, back)
			}
		}
	}
}
