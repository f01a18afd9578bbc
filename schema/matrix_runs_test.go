package schema

import (
	"bytes"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
)

// TestMatrixRuns decodes lists and arrays whose elements are copied in blocks. They contain numbers
// and bools, with every length up to 18 elements, and an invalid bool at each index. Texts have the
// lengths at which their allocation changes. The input ends after the elements, or a number
// follows.
func TestMatrixRuns(t *testing.T) {
	f := matrixFormat()
	matrix.Probes(t, f, true, runProbes(&f))
}

// runElements contains the notations and sizes of the elements.
var runElements = []struct {
	notation string
	size     int
}{
	{"bool", 1}, {"u8", 1}, {"i8", 1}, {"u16", 2}, {"i16", 2}, {"u32", 4}, {"f32", 4}, {"u64", 8}, {"i64", 8}, {"f64", 8},
	{"u16be", 2}, {"i32be", 4}, {"f64be", 8},
}

func runProbes(f *matrix.Format) iter.Seq[matrix.Probe] {
	kinds := make(map[string]matrix.Kind)
	kind := func(notation string) matrix.Kind {
		if _, known := kinds[notation]; !known {
			kinds[notation] = kindOf(notation, mustSchema(notation).n)
		}
		return kinds[notation]
	}
	return func(yield func(matrix.Probe) bool) {
		r := corpus.New(1)
		for at, e := range runElements {
			for n := range 19 {
				bad := 0 // number of positions for an invalid bool
				if e.notation == "bool" {
					bad = n
				}
				for wrong := range bad + 1 {
					for how, form := range []string{"{list8(%[2]s)}", "{list16(%[2]s),u8}", "{array%[1]d(%[2]s),u8}", "{array%[1]d(%[2]s)}", "{opt(list8(%[2]s))}"} {
						if testing.Short() && (at+n+wrong+how)%3 != 0 {
							continue
						}
						run := randomRun(r, n*e.size, e.notation == "bool")
						if wrong > 0 {
							run[wrong-1] = byte(2 + r.IntN(254))
						}
						notation := fmt.Sprintf(form, n, e.notation)
						head := map[byte][]byte{'l': {byte(n)}, 'o': {1, byte(n)}, 'a': nil}[form[1]]
						if strings.HasPrefix(form, "{list16") {
							head = append(head, 0)
						}
						p := matrix.Probe{Name: fmt.Sprintf("%s: %x, %d", notation, run, how), Kind: kind(notation), Message: append(head, run...)}
						if strings.HasSuffix(form, "u8}") {
							p.Message = append(p.Message, 7)
						}
						p.Target = func(v reflect.Value) []reflect.Value {
							if s := v.Field(0); s.Kind() == reflect.Slice { // capacity above and below the required length
								room := max(0, n+how-1+n%2)
								return f.Part(uint64(n), s, matrix.Growth{Len: min(n, how, room), Cap: room})
							}
							f.Filled(uint64(n), v)
							return nil
						}
						if !yield(p) {
							return
						}
					}
				}
			}
		}
		for _, p := range textProbes(kind) {
			if !yield(p) {
				return
			}
		}
	}
}

// randomRun returns n random bytes. If bools is true, each byte is a valid bool.
func randomRun(r *rand.Rand, n int, bools bool) []byte {
	b := make([]byte, n)
	for k := range b {
		if b[k] = byte(r.Uint32()); bools {
			b[k] &= 1
		}
	}
	return b
}

// textProbes returns structs and lists of texts of the same length.
func textProbes(kind func(notation string) matrix.Kind) (probes []matrix.Probe) {
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 2047, 2048, 2049} {
		for how, form := range []string{"{str16,str16,str16}", "{opt(str16),opt(str16),opt(str16)}", "{list8(str16)}", "{str16be,u64,str16be,str16be,u8}"} {
			var m []byte
			count := 3
			if strings.Contains(form, "list") && n < 256 { // fills a chunk, which the last text completes
				count = 24
			}
			for k := range count {
				head := []byte{byte(n), byte(n >> 8)}
				if strings.Contains(form, "be") {
					head[0], head[1] = head[1], head[0]
				}
				if strings.Contains(form, "opt") {
					m = append(m, 1)
				}
				m = append(append(m, head...), bytes.Repeat([]byte{'a' + byte(k)}, n)...)
				if strings.Contains(form, "u64") && k == 0 {
					m = append(m, 1, 2, 3, 4, 5, 6, 7, 8)
				}
			}
			if strings.Contains(form, "list") {
				m = append([]byte{byte(count)}, m...)
			}
			if strings.HasSuffix(form, "u8}") {
				m = append(m, 7)
			}
			for _, option := range []string{"", "OwnStrings", "Alias"} {
				if testing.Short() && (n+how+len(option))%2 != 0 {
					continue
				}
				probes = append(probes, matrix.Probe{Name: fmt.Sprintf("%s: texts of %d, %s", form, n, option), Kind: kind(form), Message: m, Option: option})
				if n > 0 {
					probes = append(probes, matrix.Probe{Name: fmt.Sprintf("%s: texts of %d, cut, %s", form, n, option), Kind: kind(form), Message: m[:len(m)-1], Option: option})
				}
			}
		}
	}
	return probes
}
