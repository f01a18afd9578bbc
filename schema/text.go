package schema

import "github.com/slipstream-go/slipstream/internal/mem"

// textMode is the kind of memory that contains the strings of a message.
type textMode uint8

const (
	sharedText textMode = iota // chunks that the strings of a message share
	ownText                    // separate memory for each string
	inputText                  // the input
)

// texts contains copies of the strings of one message. Short strings are cut from chunks. Each
// chunk is one allocation.
//
//	chunk  [used by strings, never written again | free]
//	        0                                 len     cap
type texts struct {
	chunk []byte
	ahead int // number of strings that the message still contains, at least, as far as is known
}

const (
	chunkSize = 2 << 10 // the largest chunk, all of which one string can keep alive
	longText  = 256     // longer strings have separate memory
)

// shared returns a copy of b[i:i+n]. n must not be 0.
func (d *decoder) shared(b []byte, i, n int) string {
	t := &d.texts
	at := len(t.chunk)
	if t.ahead--; n > cap(t.chunk)-at {
		switch {
		case n > longText || n == 1 || t.ahead <= 0: // Go already has a string for each single byte
			return string(b[i : i+n])
		case len(b)-i <= shortRest:
			d.near = stretch{i, string(b[i:])}
			return d.near.text[:n]
		}
		guess := n + min(t.ahead, chunkSize)*max(n, 8) // assumes that later strings are as long as this one
		t.chunk, at = make([]byte, 0, min(guess, chunkSize, len(b)-i)), 0
	}
	t.chunk = t.chunk[:at+n] // stores only a length: storing a pointer is slow while the garbage collector marks
	s := t.chunk[at:]
	switch { // with overlapping words
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

// stretch is a copy of the input, beginning at an offset. If strings alias the input, it is the
// input itself.
type stretch struct {
	from int
	text string
}

// copied returns a copy of the n bytes b[i:i+n]. If strings may share memory, the copy also
// contains bytes after them, up to the wanted length.
//
// Copying the keys of a map one by one would store each key directly before it is hashed. A
// processor that loads more bytes at once than were stored at once waits until they have left its
// store queue. This takes as long as the rest of the entry.
func (d *decoder) copied(b []byte, i, n, wanted int) stretch {
	if d.o.text == sharedText && n <= longText {
		n = min(len(b)-i, max(n, min(wanted, chunkSize)))
	}
	return stretch{i, string(b[i : i+n])}
}

// shortRest is the maximum length of the remaining input that is copied as a whole, for all strings
// in it.
const shortRest = 128

// putText sets *p to the string b[i:i+n]. If *p is equal already, it may be kept, but not if
// strings alias the input.
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

// blob sets *p to the bytes b, which are a part of the input. The memory of *p may belong to an
// earlier input, so it is overwritten only with the option ReuseBlobs.
func (d *decoder) blob(p *[]byte, b []byte) {
	switch {
	case d.o.text == inputText && len(b) > 0:
		*p = b
	case d.o.reuse:
		*p = append((*p)[:0], b...)
	case len(b) > 0 || *p == nil:
		*p = append([]byte(nil), b...)
	default:
		*p = []byte{} // not a part of the old memory, which would be kept alive
	}
}
