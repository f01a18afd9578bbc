package table

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// exampleJournal returns a journal whose entries have texts of the given lengths, and the offset of
// each entry.
func exampleJournal(number uint64, sizes ...int) (text []byte, starts []int) {
	for i, n := range sizes {
		starts = append(starts, len(text))
		text = append(text, newEntry(bytes.Repeat([]byte{byte('a' + i)}, n), number, int64(len(text)))...)
	}
	return text, starts
}

func wantEntries(t *testing.T, what string, text []byte, n int) {
	t.Helper()
	bodies, err := readJournal(text, 7)
	if err != nil || len(bodies) != n {
		t.Fatalf("%s: %d entries, %v; want %d", what, len(bodies), err, n)
	}
	for i, b := range bodies {
		if len(b)%entryHead != 0 || len(bytes.Trim(bytes.TrimRight(b, "\n"), string(rune('a'+i)))) > 0 {
			t.Fatalf("%s: entry %d is %q", what, i, b)
		}
	}
}

var journalSizes = [][]int{{}, {1}, {500}, {3, 15, 16, 17}, {400, 2000}, {30, 600, 1}, {511, 512, 513, 1600}}

// A crash leaves any subset of the last entry's sectors, or only its beginning. The entries before
// it are read.
func TestJournalTorn(t *testing.T) {
	for _, sizes := range journalSizes {
		text, starts := exampleJournal(7, sizes...)
		wantEntries(t, fmt.Sprint(sizes), text, len(sizes))
		for cut := range text {
			whole := 0
			for whole+1 < len(starts) && starts[whole+1] <= cut {
				whole++
			}
			wantEntries(t, fmt.Sprint(sizes, " cut at ", cut), text[:cut], whole)
		}
		if len(sizes) == 0 {
			continue
		}
		last := starts[len(starts)-1]
		first, n := last/sector, (len(text)-1)/sector-last/sector+1
		for kept := range 1 << n {
			left := slices.Clone(text[:last])
			for i := range n {
				from, to := max(last, (first+i)*sector), min(len(text), (first+i+1)*sector)
				if kept>>i&1 == 1 {
					left = append(left, make([]byte, to-len(left))...)
					copy(left[from:], text[from:to])
				}
			}
			want := len(sizes) - 1
			if kept == 1<<n-1 {
				want++
			}
			wantEntries(t, fmt.Sprintf("%v with the sectors %b of the last", sizes, kept), left, want)
		}
	}
}

// A state that no crash can leave is damage: a flipped bit in any entry, a lost sector before the
// last entry, an entry of another journal, or an entry at another offset.
func TestJournalDamaged(t *testing.T) {
	damaged := func(what string, text []byte) {
		t.Helper()
		if bodies, err := readJournal(text, 7); err == nil {
			t.Fatalf("%s: %d entries are read and no error", what, len(bodies))
		}
	}
	for _, sizes := range journalSizes {
		text, starts := exampleJournal(7, sizes...)
		for bit := range 8 * len(text) {
			flipped := slices.Clone(text)
			flipped[bit/8] ^= 1 << (bit % 8)
			damaged(fmt.Sprint(sizes, " with bit ", bit, " flipped"), flipped)
		}
		if len(sizes) < 2 {
			continue
		}
		last := starts[len(starts)-1]
		for from := 0; from+sector <= last; from += sector {
			lost := slices.Clone(text)
			clear(lost[from : from+sector])
			damaged(fmt.Sprint(sizes, " without the sector at ", from), lost)
		}
		damaged("the second entry first", text[starts[1]:])
	}
	other, _ := exampleJournal(8, 20)
	damaged("another journal's", other)
}

// Random bytes are not read as entries, and do not cause an endless loop.
func TestJournalNoise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 0))
	for range 2000 {
		noise := make([]byte, rnd.IntN(100))
		for i := range noise {
			noise[i] = byte(rnd.Uint32())
		}
		text, _ := exampleJournal(7, 40)
		bodies, err := readJournal(append(text, noise...), 7)
		if err == nil && len(bodies) != 1 {
			t.Fatalf("%q: %d entries", noise, len(bodies))
		}
	}
}
