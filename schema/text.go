package schema

import "github.com/slipstream-go/slipstream/internal/mem"

// textMode is what the strings of a message are made of.
type textMode uint8

const (
	sharedText textMode = iota // chunks that the strings of a message share
	ownText                    // each has memory of its own
	inputText                  // the input
)

// texts are copies of the strings of one message. Short ones are cut from chunks, one allocation
// for each chunk.
//
//	chunk  [used by strings, never written again | free]
//	        0                                 len     cap
type texts struct {
	chunk []byte
	ahead int // how many strings the message has still to come, as far as is known: at least so many
}

const (
	chunkSize = 2 << 10 // the largest chunk, which is what a string that is kept may keep
	longText  = 256     // strings that are longer have memory of their own
)

// shared is a copy of b[i:i+n], which is not empty.
func (d *decoder) shared(b []byte, i, n int) string {
	t := &d.texts
	at := len(t.chunk)
	if t.ahead--; n > cap(t.chunk)-at {
		switch {
		case n > longText || n == 1 || t.ahead <= 0: // there is one string of each byte already
			return string(b[i : i+n])
		case len(b)-i <= shortRest:
			d.near = stretch{i, string(b[i:])}
			return d.near.text[:n]
		}
		guess := n + min(t.ahead, chunkSize)*max(n, 8) // those to come are taken to be as long as this one
		t.chunk, at = make([]byte, 0, min(guess, chunkSize, len(b)-i)), 0
	}
	t.chunk = t.chunk[:at+n] // which stores a length only: a pointer is dear to store while the collector marks
	s := t.chunk[at:]
	switch { // by words that overlap
	case n > 2*8:
		copy(s, b[i:])
	case n >= 8:
		mem.Store64(s, 0, mem.Load64(b, i))
		mem.Store64(s, n-8, mem.Load64(b, i+n-8))
	case n >= 4:
		mem.Store32(s, 0, mem.Load32(b, i))
		mem.Store32(s, n-4, mem.Load32(b, i+n-4))
	default:
		mem.Store8(s, 0, mem.Load8(b, i))
		mem.Store8(s, n/2, mem.Load8(b, i+n/2))
		mem.Store8(s, n-1, mem.Load8(b, i+n-1))
	}
	mem.Seal(t.chunk, n)
	return mem.String(s)
}

// stretch is a copy of the input from an offset on, or the input itself, if that is to be aliased.
type stretch struct {
	from int
	text string
}

// copied is a copy of the n bytes b[i:i+n], and of as many as are wanted after them if they may
// share memory.
//
// To copy the keys of a map one by one would be to store each right before it is hashed: a
// processor that loads more bytes at once than were stored at once waits until they have left its
// queue, which takes as long as the rest of the entry.
func (d *decoder) copied(b []byte, i, n, wanted int) stretch {
	if d.o.text == sharedText && n <= longText {
		n = min(len(b)-i, max(n, min(wanted, chunkSize)))
	}
	return stretch{i, string(b[i : i+n])}
}

// shortRest is how many bytes are copied at once when there are no more, for the strings that are
// among them.
const shortRest = 128

// putText makes *p the string of b[i:i+n]. One that is equal already stays, unless it is to alias
// the input.
func (d *decoder) putText(p *string, b []byte, i, n int) {
	switch {
	case n == 0:
		*p = ""
	case d.o.text == inputText:
		*p = mem.String(b[i : i+n])
	case len(d.near.text)-(i-d.near.from) >= n:
		*p = d.near.text[i-d.near.from:][:n]
	case *p == mem.String(b[i:i+n]):
	case d.o.text == ownText:
		*p = string(b[i : i+n])
	default:
		*p = d.shared(b, i, n)
	}
}

// blob sets *p to the bytes b, which are a part of the input. The memory that *p has may be that of
// an earlier input, so it is written only under the option for that.
func (d *decoder) blob(p *[]byte, b []byte) {
	switch {
	case d.o.text == inputText && len(b) > 0:
		*p = b
	case d.o.reuse:
		*p = append((*p)[:0], b...)
	case len(b) > 0 || *p == nil:
		*p = append([]byte(nil), b...)
	default:
		*p = []byte{} // and not a part of what was there, which would be kept
	}
}
