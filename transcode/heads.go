package transcode

// Heads of more than a byte.
//
//	as written   [h 1 2 … 16 [h 1 2 … 20] [h 1 2] ]       h is one byte
//	at the end   [hhh 1 2 … 16 [hhh 1 2 … 20] [h 1 2] ]
//
// When all is written, the bytes between the heads move up by what the heads before them need:
// those at the end first, each once. So the time is linear however the lists are nested, and
// nothing moves where none has 16 elements or more.

import (
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// widen makes room for the heads of the lists in p.wide, and writes them.
//
// These are in the order in which they ended, and wanted by where they begin, the last one first.
// Going back through them, a list is found after those that follow it, and before those inside it:
// it waits in p.open until these are done.
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

// widening is how far widen has come:
//
//	out  [to be moved | room | in its place]
//	      0            end    end+more      len(out)
type widening struct {
	out       []byte
	end, more int
}

// list moves what follows the head of l, and writes that.
func (w *widening) list(l list) {
	copy(w.out[l.at+1+w.more:], w.out[l.at+1:w.end])
	w.more -= listHead(l.n) - 1
	// The head is appended where it belongs: there is room.
	if to := w.out[:l.at+w.more]; w.out[l.at] == msgpwire.Fixmap {
		msgpwire.AppendMapLen(to, l.n)
	} else {
		msgpwire.AppendArrayLen(to, l.n)
	}
	w.end = l.at
}

// listHead is how many bytes the head of an array or map of n elements or pairs takes, which are 16
// or more.
func listHead(n int) int {
	if n <= math.MaxUint16 {
		return 3
	}
	return 5
}
