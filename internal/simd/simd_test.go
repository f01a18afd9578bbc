package simd

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// The kernels, and their twins without SIMD instructions, are compared with these naive functions.

func naiveStop(s []byte, html bool) int {
	for i, c := range s {
		if c < 0x20 || c == '"' || c == '\\' || html && (c == '<' || c == '>' || c == '&') {
			return i
		}
	}
	return len(s)
}

func naivePlain(s []byte) bool {
	return utf8.Valid(s) && !bytes.ContainsRune(s, '\u2028') && !bytes.ContainsRune(s, '\u2029')
}

func naiveBlanks(s []byte) int {
	for i, c := range s {
		if strings.IndexByte(" \t\n\r", c) < 0 {
			return i
		}
	}
	return len(s)
}

func naiveMarks(block []byte) (m Marks) {
	for i, c := range block {
		bit := uint64(1) << i
		if c == '"' {
			m.Quote |= bit
		}
		if c == '\\' {
			m.Backslash |= bit
		}
		if c < 0x20 {
			m.Control |= bit
		}
		if strings.IndexByte("{}[]:,", c) >= 0 {
			m.Op |= bit
		}
		if strings.IndexByte(" \t\n\r", c) >= 0 {
			m.Blank |= bit
		}
	}
	return m
}

func naivePack(dst, src []byte, keep []uint64) []byte {
	for i, c := range src {
		if keep[i/BlockSize]>>(i%BlockSize)&1 != 0 {
			dst = append(dst, c)
		}
	}
	return dst
}

// A copier is one of the functions that copy text.
type copier struct {
	name  string
	copy  func(dst, src mem.Pointer, n int) (int, bool)
	naive func(s []byte) (int, bool)
}

var copiers = []copier{
	{"CopyString", CopyString, func(s []byte) (int, bool) {
		k := naiveStop(s, false)
		return k, utf8.Valid(s[:k])
	}},
	{"CopyPlain", func(dst, src mem.Pointer, n int) (int, bool) { return CopyPlain(dst, src, n, false) }, func(s []byte) (int, bool) {
		k := naiveStop(s, false)
		return k, naivePlain(s[:k])
	}},
	{"CopyPlain html", func(dst, src mem.Pointer, n int) (int, bool) { return CopyPlain(dst, src, n, true) }, func(s []byte) (int, bool) {
		k := naiveStop(s, true)
		return k, naivePlain(s[:k])
	}},
}

var none mem.Pointer

// dataOf returns the address of b, or the variable `none` if b has no capacity.
func dataOf(b []byte) mem.Pointer {
	if cap(b) == 0 {
		return none
	}
	return mem.From(b[:1], 0)
}

// eachLevel runs a check with each set of kernels that this machine supports.
func eachLevel(check func()) {
	defer func(l level) { tier = l }(tier)
	for _, l := range levels() {
		tier = l
		check()
	}
}

// fence is written directly before and after the output buffer.
const fence = "\xa5 do not write \xa5"

// A rig contains an input buffer and an output buffer, each with a margin on both sides.
type rig struct {
	src, dst []byte
}

const margin = 64

func newRig(most int) *rig {
	return &rig{make([]byte, most+3*margin), make([]byte, most+3*margin)}
}

// check compares c with its naive function. The input is shifted by `at` bytes, from 0 to 63.
func (b *rig) check(t *testing.T, c copier, text []byte, at int) {
	t.Helper()
	n := len(text)
	src := b.src[margin+at : margin+at+n]
	copy(src, text)
	from := margin + (at*7+n)%margin
	before, dst, after := b.dst[from-16:from], b.dst[from:from+n], b.dst[from+n:from+n+16]
	wantK, wantOK := c.naive(text)
	eachLevel(func() {
		copy(before, fence)
		copy(after, fence)
		clear(dst)
		k, ok := c.copy(dataOf(dst), dataOf(src), n)
		switch {
		case k != wantK || ok != wantOK:
			t.Fatalf("%v, %s of %d bytes at %d: %d, %v, want %d, %v\n%q", tier, c.name, n, at, k, ok, wantK, wantOK, text)
		case !bytes.Equal(dst[:k], text[:k]):
			t.Fatalf("%v, %s of %d bytes at %d copies\n%q, not\n%q", tier, c.name, n, at, dst[:k], text[:k])
		case !bytes.Equal(src, text):
			t.Fatalf("%v, %s of %d bytes at %d changed its input", tier, c.name, n, at)
		case string(before) != fence || string(after) != fence:
			t.Fatalf("%v, %s of %d bytes at %d wrote outside its room", tier, c.name, n, at)
		}
	})
}

// checkStop compares FindStop with its naive function.
func (b *rig) checkStop(t *testing.T, text []byte, at int) {
	t.Helper()
	src := b.src[margin+at : margin+at+len(text)]
	copy(src, text)
	want := naiveStop(text, false)
	eachLevel(func() {
		if k := FindStop(dataOf(src), len(text)); k != want {
			t.Fatalf("%v, FindStop of %d bytes at %d: %d, want %d\n%q", tier, len(text), at, k, want, text)
		}
	})
}

func (b *rig) checkAll(t *testing.T, text []byte, at int) {
	t.Helper()
	for _, c := range copiers {
		b.check(t, c, text, at)
	}
	b.checkStop(t, text, at)
}

// Some tests try every position in the nightly form only. In other forms, they try one position of
// every `step`, and quick is true.
var (
	step  = 5
	quick = true
)

func TestMain(m *testing.M) {
	flag.Parse()
	switch {
	case testing.Short():
		step = 10
	case os.Getenv("SLIPSTREAM_LONG") != "" && !raced:
		step, quick = 1, false
	}
	os.Exit(m.Run())
}

// filler contains texts without a stop byte, which can be cut to any length. Characters of two or
// more bytes begin at every phase.
var filler = []string{
	"the quick brown fox jumps over the lazy dog! #$%'()*+,-./:;=?@[]^_`{|}~\x7f ",
	"سلام على العالم ",
	"你好，世界。",
	"é́ñ – naïve café “quoted” ",
	"😀😃😄",
	"\U0010ffff\ud7ff\ue000\u0800\u07ff\u0080",
}

func fill(b []byte, with string, phase int) []byte {
	for i := range b {
		b[i] = with[(i+phase)%len(with)]
	}
	return b
}

// whole replaces truncated characters at the start and at the end of b by ASCII.
func whole(b []byte) {
	for i := 0; i < len(b) && !utf8.RuneStart(b[i]); i++ {
		b[i] = 'a'
	}
	last := len(b) - 1
	for last > 0 && !utf8.RuneStart(b[last]) {
		last--
	}
	if !utf8.FullRune(b[last:]) {
		fill(b[last:], "a", 0)
	}
}

// TestLengths tries every length at every alignment, with text that contains no stop byte. Half of
// the texts can end with a truncated character.
func TestLengths(t *testing.T) {
	b, text := newRig(400), make([]byte, 400)
	for n := range 301 {
		for at := n % step; at < 64; at += step {
			for i, f := range filler {
				if i > 0 && at%8 != n%8 {
					continue // all alignments of all fillers would take too long
				}
				fill(text[:n], f, at)
				if n > 0 && at%16 < 8 {
					whole(text[:n])
				}
				b.checkAll(t, text[:n], at)
			}
		}
	}
}

// TestStops tries stop bytes and other bytes at every position.
func TestStops(t *testing.T) {
	b, text := newRig(400), make([]byte, 400)
	for _, n := range []int{1, 7, 8, 15, 16, 17, 18, 31, 32, 33, 34, 35, 63, 64, 65, 96, 100, 127, 128, 150, 300} {
		for i, f := range filler {
			fill(text[:n], f, n)
			for at := range n {
				was := text[at]
				for c := range 256 {
					if (i > 0 || n != 33 && (quick || n != 100)) && c != '"' && c != 0x1f && c != '<' && c != 0x80 && c != 0xc3 {
						continue // most bytes are tried at a few positions only
					}
					text[at] = byte(c)
					b.checkAll(t, text[:n], at%64)
				}
				text[at] = was
			}
		}
	}
}

// The first of two stop bytes ends the copy.
func TestFirstOfTwoStops(t *testing.T) {
	b, text := newRig(400), make([]byte, 400)
	const n = 130
	for i := range n {
		for j := i + 1; j < n; j++ {
			fill(text[:n], filler[i%2], 0)
			text[i], text[j] = "\"\\\n<"[j%4], "\"\\\n>"[i%4]
			b.checkAll(t, text[:n], j%64)
		}
	}
}

// sequences contains valid and invalid UTF-8 sequences of every class.
var sequences = []string{
	"\u0080", "\u07ff", "\u0800", "\u0fff", "\u1000", "\ud7ff", "\ue000", "\uffff", "\U00010000", "\U0003ffff", "\U00040000", "\U0010ffff",
	"\u2027", "\u2028", "\u2029", "\u202a", "\u20a8", "\u2128", "\u2068", "\u28a9", // around the two separators
	"\xe1\x80\xa8", "\xe2\x81\xa8", "\xe2\x80\xa7", "\xe2\x80\xaa", "\xe2\x80\x28", "\xe2\x80\x29",
	"\x80", "\xbf", "\xc3", "\xe2", "\xe2\x80", "\xf0", "\xf0\x9f", "\xf0\x9f\x98", // alone or truncated
	"\xc3\x80\x80", "\xe2\x80\x80\x80", "\xf0\x9f\x98\x80\x80", // too long
	"\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", // overlong
	"\xed\xa0\x80", "\xed\xbf\xbf", "\xed\xa0\xbd\xed\xb8\x80", // surrogates
	"\xf4\x90\x80\x80", "\xf4\xa0\x80\x80", "\xf5\x80\x80\x80", "\xf5\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xfc\x84\x80\x80\x80\x80", "\xfe", "\xff", "\xf7\xbf\xbf\xbf", "\xf9\x80\x80\x80", // too large
	"\xc3\xc3\xa9", "\xe2\xe2\x80\xa8", "\xe2\x80\xe2\x80\xa8", "\xf0\x9f\xf0\x9f\x98\x80", "\xf0\x9f\x98\xf0", "\xc3\xe2", // one inside another
	"\xc3\x28", "\xe2\x28\xa1", "\xe2\x82\x28", "\xf0\x28\x8c\xbc", "\xf0\x90\x28\xbc", "\xf0\x28\x8c\x28", // with ASCII inside
	"\xc3\"", "\xe2\"", "\xe2\x80\"", "\xf0\x9f\"", "\xf0\x9f\x98\\", "é\"\x80", "é\"\xff", "\"\xff", "\xff\"", // followed by stop bytes
	"<\x80", "\xe2\x80<\xa8", "\xe2\x80\"\xa8", "\u2028\"", "\"\u2028", "<\u2028",
}

// TestSequences puts every sequence at every position around the edges of blocks. The input ends at
// each byte of the sequence, or long after it.
func TestSequences(t *testing.T) {
	b, text := newRig(400), make([]byte, 400)
	for _, seq := range sequences {
		for at := 0; at < 140; at += step {
			for i, with := range []string{filler[0], "é", "世", "😀"} {
				if i > 0 && at%len(with) != 0 && at%7 != 0 {
					continue // usually the filler ends with a complete character
				}
				for _, more := range []int{0, 1, 2, 3, 16, 31, 33, 64, 100} {
					if i > 0 && more > 3 && more%7 != at%7 {
						continue
					}
					for cut := range len(seq) {
						if cut > 0 && more > 0 {
							break
						}
						n := at + len(seq) - cut + more
						fill(text[:at], with, 0)
						copy(text[at:n], seq)
						fill(text[min(at+len(seq), n):n], with, 0)
						b.checkAll(t, text[:n], (at+more)%64)
					}
				}
			}
		}
	}
}

// TestPairs tries every pair of bytes, with possible first bytes before it and continuation bytes
// after it, at changing positions.
func TestPairs(t *testing.T) {
	b, text := newRig(200), make([]byte, 200)
	before, after := []string{"", "\xe1", "\xf1", "\xf1\x80"}, []string{"", "\x80", "\xbf\x80"}
	for pair := range 1 << 16 {
		for i := range len(before) * len(after) {
			if (pair+i)%step > 0 {
				continue
			}
			seq := before[i%4] + string([]byte{byte(pair >> 8), byte(pair)}) + after[i/4]
			at := (pair*5 + i) % 67
			n := at + len(seq) + (pair+i)%41
			fill(text[:n], "a", 0)
			copy(text[at:], seq)
			b.check(t, copiers[0], text[:n], pair%64)
		}
	}
}

// TestEveryCharacter tries every Unicode character.
func TestEveryCharacter(t *testing.T) {
	b := newRig(1000)
	var text []byte
	for r := rune(0x7f); r <= utf8.MaxRune; r++ {
		if utf8.ValidRune(r) {
			text = utf8.AppendRune(text, r)
		}
		if len(text) > 200+int(r)%100 || r == utf8.MaxRune {
			b.checkAll(t, text, int(r)%64)
			text = text[:0]
		}
	}
}

// randomText returns text of all kinds, with few errors.
func randomText(r *rand.Rand, b []byte, n int) []byte {
	for len(b) < n {
		switch r.IntN(12) {
		case 0, 1, 2:
			b = append(b, fill(make([]byte, r.IntN(80)), filler[0], r.IntN(70))...)
		case 3, 4, 5, 6, 7:
			f := []rune(filler[1+r.IntN(len(filler)-1)])
			for range r.IntN(60) {
				b = utf8.AppendRune(b, f[r.IntN(len(f))])
			}
		case 8, 9:
			b = utf8.AppendRune(b, rune(r.IntN(0x800)+0x20))
		case 10:
			b = append(b, filler[0][r.IntN(len(filler[0]))])
		default:
			switch r.IntN(8) {
			case 0:
				b = append(b, sequences[r.IntN(len(sequences))]...)
			case 1:
				b = append(b, "\"\\\n<>&"[r.IntN(6)])
			}
		}
	}
	return b[:n]
}

// TestRandomText tries random texts of random lengths.
func TestRandomText(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	b := newRig(2000)
	var text []byte
	rounds := 60_000
	if quick {
		rounds = 5000
	}
	for range rounds {
		text = randomText(r, text[:0], r.IntN(1+r.IntN(1000)))
		b.checkAll(t, text, r.IntN(64))
	}
}

// cutAt is the length at which the input of a kernel is cut: the size of a chunk in chunks.go.
// Builds without kernels do not contain that file.
const cutAt = 64 << 10

// TestLongText tries texts that are longer than a chunk. The cut lies at each byte of a character,
// and errors lie around it.
func TestLongText(t *testing.T) {
	b := newRig(3*cutAt + 200)
	text := make([]byte, 3*cutAt+100)
	for _, f := range filler {
		for phase := range 5 {
			for i, n := range []int{cutAt, cutAt + 1 + phase, 2*cutAt - 3 + phase, 2*cutAt + 40, 3*cutAt + 7*phase} {
				if (i+phase)%step > 0 {
					continue
				}
				whole(fill(text[:n], f, phase))
				b.checkAll(t, text[:n], phase)
				for _, seq := range []string{"\x80", "\xe2\x80\xa8", "\xf0\x9f", "\"", "\xc3\""} {
					at := min(cutAt-3+phase, n-len(seq))
					was := string(text[at : at+len(seq)])
					copy(text[at:], seq)
					b.checkAll(t, text[:n], phase)
					copy(text[at:], was)
				}
			}
		}
	}
	for phase := range 7 { // continuation bytes only, on both sides of the cut
		fill(text, "a", 0)
		copy(text[cutAt-phase:], "\x80\x80\x80\x80\x80\x80\x80")
		b.checkAll(t, text, phase)
	}
}

// TestBlanks tries blank runs of every length, followed by every byte.
func TestBlanks(t *testing.T) {
	eachLevel(func() {
		text := make([]byte, 400)
		for n := range 201 {
			for k := range n + 1 {
				for _, with := range []string{" ", "\n\t\t\t\t\t\t\t\t", "\r\n             ", "\n    "} {
					fill(text[:n], with, k)
					if k < n {
						text[k] = byte(n*37 + k*11)
					}
					if got, want := Blanks(dataOf(text[:n]), n), naiveBlanks(text[:n]); got != want {
						t.Fatalf("%v, %q: %d, want %d", tier, text[:n], got, want)
					}
				}
			}
		}
		for c := range 256 {
			fill(text, " ", 0)
			text[77] = byte(c)
			if got, want := Blanks(dataOf(text), len(text)), naiveBlanks(text); got != want {
				t.Fatalf("%v, %#x after spaces: %d, want %d", tier, c, got, want)
			}
		}
		long := fill(make([]byte, 3*cutAt+5), "\n                ", 0)
		for _, k := range []int{cutAt - 1, cutAt, cutAt + 1, 2 * cutAt, 3*cutAt + 4} {
			long[k] = 'x'
			if got := Blanks(dataOf(long), len(long)); got != k {
				t.Fatalf("%v, a run of %d: %d", tier, k, got)
			}
			long[k] = ' '
		}
		if got := Blanks(dataOf(long), len(long)); got != len(long) {
			t.Fatalf("%v, a run of %d: %d", tier, len(long), got)
		}
	})
}

// TestMarks tries every byte at every position, and random bytes, in outputs of several lengths.
func TestMarks(t *testing.T) {
	eachLevel(func() {
		check := func(text []byte) {
			t.Helper()
			n := len(text) / BlockSize
			rows := make([]Marks, n+2)
			const untouched = 0x5a5a
			rows[0].Quote, rows[n+1].Quote = untouched, untouched
			MarkBlocks(rows[1:n+1], dataOf(text))
			for i, got := range rows[1 : n+1] {
				if want := naiveMarks(text[i*BlockSize : (i+1)*BlockSize]); got != want {
					t.Fatalf("%v, block %d of %d, %q:\n%064b\nwant\n%064b", tier, i, n, text[i*BlockSize:(i+1)*BlockSize], got, want)
				}
			}
			if rows[0] != (Marks{Quote: untouched}) || rows[n+1] != (Marks{Quote: untouched}) {
				t.Fatal("rows beside the table were written")
			}
		}
		text := make([]byte, BlockSize)
		for at := range text {
			for c := range 256 {
				text[at] = byte(c)
				check(text)
			}
			text[at] = 'a'
		}
		r := rand.New(rand.NewPCG(5, 6))
		for n := range 9 {
			for at := range 64 {
				text := make([]byte, at+n*BlockSize)
				for i := range text {
					if text[i] = byte(r.Uint32()); i%3 != 0 {
						text[i] = "{}[]:,\"\\ \t\n\r0aé"[r.IntN(16)]
					}
				}
				check(text[at:])
			}
		}
		long := make([]byte, 3*cutAt+2*BlockSize)
		for i := range long {
			long[i] = byte(r.Uint32())
		}
		check(long)
	})
}

// randomKeep returns masks for n blocks, with runs of many lengths.
func randomKeep(r *rand.Rand, n int) []uint64 {
	keep := make([]uint64, n)
	most, bit := 1+r.IntN(150), r.IntN(2)
	for i := 0; i < n*BlockSize; bit ^= 1 {
		for range min(1+r.IntN(most), n*BlockSize-i) {
			keep[i/BlockSize] |= uint64(bit) << (i % BlockSize)
			i++
		}
	}
	return keep
}

// checkPack compares Pack with its naive function. The input is shifted by `at` bytes, from 0 to
// 63.
func (b *rig) checkPack(t *testing.T, text []byte, keep []uint64, at int) {
	t.Helper()
	n := len(keep) * BlockSize
	src := b.src[margin+at : margin+at+n]
	copy(src, text)
	from := margin + at*7%margin
	before, dst, after := b.dst[from-16:from], b.dst[from:from+n], b.dst[from+n:from+n+16]
	want := naivePack(nil, text[:n], keep)
	eachLevel(func() {
		copy(before, fence)
		copy(after, fence)
		clear(dst)
		switch k := Pack(dataOf(dst), dataOf(src), keep); {
		case k != len(want) || !bytes.Equal(dst[:k], want):
			t.Fatalf("%v, %d blocks at %d: %q, want %q, of %q by %064b", tier, len(keep), at, dst[:k], want, text, keep)
		case !bytes.Equal(src, text[:n]):
			t.Fatalf("%v, %d blocks at %d: the input changed", tier, len(keep), at)
		case string(before) != fence || string(after) != fence:
			t.Fatalf("%v, %d blocks at %d: written outside the room", tier, len(keep), at)
		}
		for _, apart := range []int{0, 1, at, 31, 32} { // output at or slightly before the input
			copy(src, text)
			dst := b.src[margin+at-apart:][:n]
			if k := Pack(dataOf(dst), dataOf(src), keep); !bytes.Equal(dst[:k], want) {
				t.Fatalf("%v, %d blocks to %d bytes before: %q, want %q, of %q by %064b", tier, len(keep), apart, dst[:k], want, text, keep)
			}
		}
		copy(src, text)
	})
}

// TestPack tries runs of every length at every position, and random runs.
func TestPack(t *testing.T) {
	b, text := newRig(20*BlockSize), fill(make([]byte, 20*BlockSize), filler[0], 0)
	for start := range BlockSize {
		for n := range BlockSize - start + 1 {
			run := (uint64(1)<<n - 1) << start
			b.checkPack(t, text, []uint64{run}, start)
			b.checkPack(t, text, []uint64{^run, run, ^run, ^uint64(0), run}, n%64)
		}
	}
	r := rand.New(rand.NewPCG(9, 10))
	for i := range 5000 {
		b.checkPack(t, text, randomKeep(r, r.IntN(20)), i%64)
	}
	long := newRig(3*cutAt + 2*BlockSize)
	b.checkPack(t, text, nil, 0)
	long.checkPack(t, fill(make([]byte, 3*cutAt+2*BlockSize), filler[0], 0), randomKeep(r, 3*cutAt/BlockSize+2), 5)
}

// The kernels accept an empty input and an empty output without an address.
func TestNothing(t *testing.T) {
	eachLevel(func() {
		k, valid := CopyString(none, none, 0)
		l, plain := CopyPlain(none, none, 0, true)
		if k != 0 || !valid || l != 0 || !plain || FindStop(none, 0) != 0 || Blanks(none, 0) != 0 {
			t.Error(tier, k, valid, l, plain)
		}
		MarkBlocks(nil, none)
		if Pack(none, none, nil) != 0 {
			t.Error(tier)
		}
	})
}

// The functions allocate nothing, and their arguments do not make buffers escape to the heap.
func TestAllocations(t *testing.T) {
	if mem.Guarded {
		t.Skip("the tag invariants allocates for its checks")
	}
	eachLevel(func() {
		if n := testing.AllocsPerRun(100, func() {
			var src, dst [256]byte
			var rows [4]Marks
			copy(src[:], "{\"naïve\": \"text\"}                                                           ")
			CopyString(mem.PointerTo(&dst), mem.PointerTo(&src), len(src))
			CopyPlain(mem.PointerTo(&dst), mem.PointerTo(&src), len(src), true)
			FindStop(mem.PointerTo(&src), len(src))
			Blanks(mem.PointerTo(&src), len(src))
			MarkBlocks(rows[:], mem.PointerTo(&src))
			keep := [4]uint64{rows[0].Quote, 0, rows[1].Blank}
			Pack(mem.PointerTo(&dst), mem.PointerTo(&src), keep[:])
		}); n != 0 {
			t.Errorf("%v, %v allocations", tier, n)
		}
	})
}

func TestTier(t *testing.T) {
	if Tier() != levels()[len(levels())-1].String() {
		t.Errorf("%s is in use, of %v", Tier(), levels())
	}
	t.Log(fmt.Sprint(Tier(), " of ", levels()))
}

// The compiler inlines the exported functions, so a caller makes only one call to the code that
// selects a kernel.
func TestInlined(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", "-o", os.DevNull, ".").CombinedOutput()
	if err != nil {
		t.Skipf("the compiler does not run here: %v\n%s", err, out)
	}
	for _, name := range []string{"CopyString", "CopyPlain", "FindStop", "Blanks", "MarkBlocks", "Pack"} {
		if !strings.Contains(string(out), "can inline "+name+"\n") {
			t.Errorf("%s is not inlined", name)
		}
	}
}
