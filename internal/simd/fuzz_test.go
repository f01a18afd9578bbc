package simd

import (
	"encoding/binary"
	"testing"
)

// The fuzz targets compare each set of kernels with the naive functions, on any text at any
// alignment.

func seed(f *testing.F) {
	for _, s := range filler {
		f.Add([]byte(s), uint8(0), uint16(100))
	}
	for i, s := range sequences {
		f.Add([]byte("some text before "+s+" and after it"), uint8(i), uint16(i))
	}
	f.Add([]byte("{\"a\": [1, 2.5, true, null, \"b\\n\"]}\n"), uint8(3), uint16(300))
}

// repeated returns text, repeated up to n bytes. So short texts also test long runs.
func repeated(text []byte, n uint16) []byte {
	n %= 1024
	if len(text) == 0 || len(text) >= int(n) {
		return text
	}
	long := make([]byte, n)
	for i := range long {
		long[i] = text[i%len(text)]
	}
	return long
}

func fuzzCopier(f *testing.F, c copier) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte, at uint8, n uint16) {
		for _, s := range [][]byte{text, repeated(text, n)} {
			newRig(len(s)).check(t, c, s, int(at%64))
		}
	})
}

func FuzzCopyString(f *testing.F)    { fuzzCopier(f, copiers[0]) }
func FuzzCopyPlain(f *testing.F)     { fuzzCopier(f, copiers[1]) }
func FuzzCopyPlainHTML(f *testing.F) { fuzzCopier(f, copiers[2]) }

func FuzzFindStop(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte, at uint8, n uint16) {
		for _, s := range [][]byte{text, repeated(text, n)} {
			newRig(len(s)).checkStop(t, s, int(at%64))
		}
	})
}

func FuzzBlanks(f *testing.F) {
	seed(f)
	f.Add([]byte("\n\t\t \r"), uint8(0), uint16(200))
	f.Fuzz(func(t *testing.T, text []byte, _ uint8, n uint16) {
		s := append(repeated([]byte(" \n\t\r"), n), text...)
		eachLevel(func() {
			if got, want := Blanks(dataOf(s), len(s)), naiveBlanks(s); got != want {
				t.Fatalf("%v, %q: %d, want %d", tier, s, got, want)
			}
		})
	})
}

func FuzzMarkBlocks(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte, _ uint8, n uint16) {
		s := repeated(text, n)
		rows := make([]Marks, len(s)/BlockSize)
		eachLevel(func() {
			MarkBlocks(rows, dataOf(s))
			for i, got := range rows {
				if want := naiveMarks(s[i*BlockSize : (i+1)*BlockSize]); got != want {
					t.Fatalf("%v, %q: %064b, want %064b", tier, s[i*BlockSize:(i+1)*BlockSize], got, want)
				}
			}
		})
	})
}

func FuzzPack(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte, at uint8, n uint16) {
		s := repeated(text, n)
		keep := make([]uint64, len(s)/BlockSize)
		for i := range keep { // the text itself is the mask
			keep[i] = binary.LittleEndian.Uint64(s[i*8:])
		}
		newRig(len(s)).checkPack(t, s[:len(keep)*BlockSize], keep, int(at%64))
	})
}
