package schema

import "github.com/slipstream-go/slipstream/internal/mem"

// textMode is the kind of memory that contains the strings of a message.
type textMode uint8

const (
	sharedText textMode = iota // chunks that the strings of a message share
	ownText                    // a separate allocation for each string
	inputText                  // the input
)

// texts contains copies of the strings of one message. Short strings share chunks. Each chunk is
// one allocation.
//
//	chunk  [used by strings, never written again | free]
//	        0                                 len     cap
type texts struct {
	chunk []byte
	ahead int // known minimum number of strings in the rest of the message
}

const (
	chunkSize = 2 << 10 // the maximum size of a chunk; one string can keep a whole chunk alive
	longText  = 256     // longer strings are allocated separately
)

// shared returns a copy of b[i:i+n] as a string. The length n must not be 0.
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

// stretch is a copy of the input from an offset on. If strings alias the input, a stretch is the
// input itself.
type stretch struct {
	from int
	text string
}

// copied returns a copy of b[i:i+n]. If strings may share memory, the copy also contains the
// following bytes, up to a total length of `wanted` bytes.
//
// If the keys of a map were copied one by one, each key would be stored directly before it is
// hashed. If a processor loads bytes with wider loads than the preceding stores, it waits until the
// stored bytes have left its store queue. This wait would take as long as the rest of the work for
// an entry.
func (d *decoder) copied(b []byte, i, n, wanted int) stretch {
	if d.o.text == sharedText && n <= longText {
		n = min(len(b)-i, max(n, min(wanted, chunkSize)))
	}
	return stretch{i, string(b[i : i+n])}
}

// shortRest is the maximum length of a remaining input that is copied as a whole. All its strings
// share this copy.
const shortRest = 128

// putText sets *p to the string b[i:i+n]. If *p already equals this string, putText may keep *p,
// unless strings alias the input.
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

// blob sets *p to the bytes b, which are a part of the input. The old bytes of *p may belong to an
// earlier input, so they are overwritten only with the option ReuseBlobs.
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
