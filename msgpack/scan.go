package msgpack

import "github.com/slipstream-go/slipstream/internal/msgpwire"

// scan finds the end of a value in bytes that arrive in chunks. It examines each code once, even if
// the chunks are small. The exception is a code whose length field is incomplete: it is examined a
// few times.
//
//	[ … | the value, as far as it is here ]
//	      0               at               len(b)
type scan struct {
	at     uint64 // offset of the next code; inside a long string, it exceeds the number of buffered bytes
	values uint64 // number of values that must end before the scanned value ends
}

// Result of a scan.
type found uint8

const (
	foundMore  found = iota // no error in the buffered bytes; whole reports whether the value ends there
	foundNever              // an undefined code is at offset scan.at
	foundLong               // the value is longer than the argument `most`
)

// over continues the scan through b. The argument `most` is the maximum length of the value. Every
// remaining value has at least one byte, so s.at+s.values is the value's minimum length. The method
// stops if this sum exceeds `most`, so the sum cannot overflow.
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
