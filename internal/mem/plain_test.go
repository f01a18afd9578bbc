//go:build !invariants

package mem

import (
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"
	"unsafe"
)

// The build without tags contains no checks. A Pointer is only an address, and accessing it
// allocates nothing.
func TestPlainPlace(t *testing.T) {
	if Guarded || reflect.TypeFor[Pointer]() != reflect.TypeFor[unsafe.Pointer]() {
		t.Errorf("Guarded is %v, Pointer is %v", Guarded, reflect.TypeFor[Pointer]())
	}
	v := [2]uint64{1, 2}
	p := PointerTo(&v)
	b := make([]byte, 8, 16)
	if n := testing.AllocsPerRun(100, func() {
		*At[uint64](Add(Of(RawOf(p), nil), 8), 0) = 3
		View(p, 16)[0] = 4
		Seal(b, 8)
	}); n != 0 || v != [2]uint64{4, 3} {
		t.Errorf("%v allocations, %v", n, v)
	}
}

// Without tags, the compiler inlines the functions on a Pointer.
func TestInlined(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", "-o", os.DevNull, ".").CombinedOutput()
	if err != nil {
		t.Skipf("the compiler does not run here: %v\n%s", err, out)
	}
	for _, name := range []string{"Add", "Of", "ArrayOf", "From", "RawOf", "RawAs", "IsNil", "FirstWord", "RawBytes", "RawRoom", "View", "Seal", "RawAdd"} {
		if !strings.Contains(string(out), "can inline "+name+"\n") {
			t.Errorf("%s is not inlined", name)
		}
	}
}
