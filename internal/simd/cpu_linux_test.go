//go:build amd64 && !purego

package simd

import (
	"os"
	"strings"
	"testing"
)

// best agrees with the CPU features that the system reports.
func TestBest(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip(err)
	}
	_, flags, ok := strings.Cut(string(info), "\nflags")
	if !ok {
		t.Skip("the system does not tell")
	}
	flags, _, _ = strings.Cut(flags, "\n")
	has := map[string]bool{}
	for _, f := range strings.Fields(flags) {
		has[f] = true
	}
	want := sse2
	if has["avx2"] && has["bmi1"] && has["bmi2"] {
		want = avx2
		if has["avx512f"] && has["avx512bw"] && has["avx512vl"] && has["avx512_vbmi2"] {
			want = avx512
		}
	}
	if best() != want {
		t.Errorf("%v, want %v, of a machine that has%s", best(), want, flags)
	}
}
