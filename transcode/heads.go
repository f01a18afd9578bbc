package transcode

// This file writes the heads of arrays and maps if a head needs more than one byte.
//
//	as written   [h 1 2 … 16 [h 1 2 … 20] [h 1 2] ]       h is one byte
//	at the end   [hhh 1 2 … 16 [hhh 1 2 … 20] [h 1 2] ]
//
// After the whole document has been written, the bytes between the heads are moved towards the end,
// by the additional size of all heads before them. Bytes at the end are moved first, and each byte
// is moved once. So the time is linear for every nesting of lists. If no list has 16 elements or
// more, no bytes are moved.

import (
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// widen makes space for the heads of the lists in p.wide, and writes these heads.
//
// The lists in p.wide are in the order of their ends. However, they must be processed in the order
// of their beginnings, starting with the last list. If widen iterates over p.wide backwards, it
// finds a list after the lists that follow it, but before the lists inside it. So it keeps a list
// in p.open until the lists inside this list have been processed.
func (p *packer) widen(out []byte) []byte {
	if p.more == 0 {
		return out
	}
	w := widening{end: len(out), more: p.more}
	w.out = slices.Grow(out, p.more)[:len(out)+p.more]
	waiting := p.open[:0]
	for _, l := range slices.Backward(p.wide) {
		for len(waiting) > 0 && waiting[len(waiting)-1].at > l.at {
			w.list(waiting[len(waiting)-1])
			waiting = waiting[:len(waiting)-1]
		}
		waiting = append(waiting, l)
	}
	for _, l := range slices.Backward(waiting) {
		w.list(l)
	}
	p.open = waiting[:0]
	return w.out
}

// widening contains the progress of widen:
//
//	out  [to be moved | room | in its place]
//	      0            end    end+more      len(out)
type widening struct {
	out       []byte
	end, more int
}

// list moves the bytes after the head of l, and writes the head.
func (w *widening) list(l list) {
	copy(w.out[l.at+1+w.more:], w.out[l.at+1:w.end])
	w.more -= listHead(l.n) - 1
	// Append the head at its final position. The capacity is sufficient.
	if to := w.out[:l.at+w.more]; w.out[l.at] == msgpwire.Fixmap {
		msgpwire.AppendMapLen(to, l.n)
	} else {
		msgpwire.AppendArrayLen(to, l.n)
	}
	w.end = l.at
}

// listHead returns the size in bytes of the head of an array or map with n elements or pairs. The
// number n must be at least 16.
func listHead(n int) int {
	if n <= math.MaxUint16 {
		return 3
	}
	return 5
}
