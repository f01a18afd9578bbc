package msgpack

import "github.com/slipstream-go/slipstream/internal/msgpwire"

// scan looks for the end of a value in bytes that come piece by piece: each code is looked at once,
// however small the pieces are; one whose length is not whole, a few times.
//
//	[ … | the value, as far as it is here ]
//	      0               at               len(b)
type scan struct {
	at     uint64 // the next code to look at; beyond the buffered bytes inside a long string
	values uint64 // how many values have to end before this one does
}

// What a scan found.
type found uint8

const (
	foundMore  found = iota // the value goes on after the buffered bytes, or ends with them: whole tells
	foundNever              // a code that means nothing is at at
	foundLong               // the value takes more than the most
)

// over goes on through b. Every value that is to come takes a byte or more, so that no sum can
// overflow below most.
func (s *scan) over(b []byte, most uint64) found {
	for s.values > 0 && s.at < uint64(len(b)) {
		i := int(s.at)
		c := b[i]
		f := msgpwire.Forms[c]
		if f.Kind == msgpwire.FormNever {
			return foundNever
		}
		if f.Count > 0 && len(b)-i <= int(f.Count) {
			return foundMore // the length is not whole
		}
		n := msgpwire.CountAt(b, i)
		s.values--
		s.at += uint64(f.Head)
		switch f.Kind {
		case msgpwire.FormFixBytes:
			s.at += uint64(c & 0x1f)
		case msgpwire.FormBytes:
			s.at += n
		case msgpwire.FormFixArray:
			s.values += uint64(c & 0x0f)
		case msgpwire.FormFixMap:
			s.values += uint64(c&0x0f) * 2
		case msgpwire.FormArray:
			s.values += n
		case msgpwire.FormMap:
			s.values += 2 * n
		}
		if s.at+s.values > most {
			return foundLong
		}
	}
	return foundMore
}

// whole reports whether the value ends within n bytes.
func (s *scan) whole(n int) bool { return s.values == 0 && s.at <= uint64(n) }
