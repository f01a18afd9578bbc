package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// benchTexts calls each with texts that contain a quote at index k, with more text after it.
func benchTexts(each func(name string, text []byte, k int)) {
	for i, name := range []string{"ascii", "arabic", "chinese", "latin", "emoji"} {
		for _, k := range []int{12, 40, 100, 200, 1000, 8000} {
			if i > 0 && k < 100 && k != 40 {
				continue
			}
			text := fill(make([]byte, 100_000), filler[i], 0)
			text[k] = '"'
			each(fmt.Sprint(name, " ", k), text, k)
		}
	}
}

func eachLevelBench(b *testing.B, run func(b *testing.B)) {
	defer func(l level) { tier = l }(tier)
	for _, l := range levels() {
		tier = l
		b.Run(l.String(), run)
	}
}

func BenchmarkCopyString(b *testing.B) {
	benchTexts(func(name string, text []byte, k int) {
		b.Run(name, func(b *testing.B) {
			eachLevelBench(b, func(b *testing.B) {
				dst := make([]byte, len(text))
				b.SetBytes(int64(k))
				for b.Loop() {
					CopyString(dataOf(dst), dataOf(text), len(text))
				}
			})
		})
	})
}

// BenchmarkShort copies texts of 1 to 64 bytes, whose lengths the CPU cannot predict.
func BenchmarkShort(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var lengths [1 << 16]uint8
	for i := range lengths {
		lengths[i] = uint8(1 + r.IntN(64))
	}
	src, dst := fill(make([]byte, 64), filler[0], 0), make([]byte, 64)
	eachLevelBench(b, func(b *testing.B) {
		b.SetBytes(32)
		for i := 0; b.Loop(); i++ {
			CopyPlain(dataOf(dst), dataOf(src), int(lengths[i%len(lengths)]), true)
		}
	})
}

// CopyPlain gets the length of the string, because the encoder knows it.
func BenchmarkCopyPlain(b *testing.B) {
	benchTexts(func(name string, text []byte, k int) {
		b.Run(name, func(b *testing.B) {
			eachLevelBench(b, func(b *testing.B) {
				dst := make([]byte, len(text))
				b.SetBytes(int64(k))
				for b.Loop() {
					CopyPlain(dataOf(dst), dataOf(text), k, true)
				}
			})
		})
	})
}

func BenchmarkFindStop(b *testing.B) {
	benchTexts(func(name string, text []byte, k int) {
		b.Run(name, func(b *testing.B) {
			eachLevelBench(b, func(b *testing.B) {
				b.SetBytes(int64(k))
				for b.Loop() {
					FindStop(dataOf(text), len(text))
				}
			})
		})
	})
}

func BenchmarkBlanks(b *testing.B) {
	for _, n := range []int{10, 20, 40, 100, 1000} {
		text := fill(make([]byte, 2000), " ", 0)
		text[0], text[n] = '\n', '"'
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			eachLevelBench(b, func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					Blanks(dataOf(text), len(text))
				}
			})
		})
	}
}

func BenchmarkMarkBlocks(b *testing.B) {
	text := fill(make([]byte, cutAt), "{\"a\": [1, 2.5, true, null, \"b\\n\"]}\n", 0)
	for _, n := range []int{1, 16, cutAt / BlockSize} {
		rows := make([]Marks, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			eachLevelBench(b, func(b *testing.B) {
				b.SetBytes(int64(n) * BlockSize)
				for b.Loop() {
					MarkBlocks(rows, dataOf(text))
				}
			})
		})
	}
}

// BenchmarkPack removes some bytes or none.
func BenchmarkPack(b *testing.B) {
	text, dst := fill(make([]byte, 16*BlockSize), filler[0], 0), make([]byte, 16*BlockSize)
	for name, bits := range map[string]uint64{"all": 1<<64 - 1, "indented": 0xfff0_003f_fc00_0fff, "loose": 0xbfff_7efd_fbef_7ff7} {
		keep := slices.Repeat([]uint64{bits}, 16)
		b.Run(name, func(b *testing.B) {
			eachLevelBench(b, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					Pack(dataOf(dst), dataOf(text), keep)
				}
			})
		})
	}
}
