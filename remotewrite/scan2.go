package remotewrite

// This file scans version 2, in which labels are references to symbols. A separate pass finds the
// symbols.

import (
	"math"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// symbol contains the offsets of a symbol in the body. If the symbol is one of the names that Find
// has set, the value of the field `find` is 1 plus the index of the name. Otherwise, it is 0.
//
// The type is small, because a hostile body of n bytes may contain n/2 symbols.
type symbol struct {
	at, end uint32
	find    uint32
}

// series2 implements Series for version 2.
func (s *Scanner) series2(yield func(*SeriesView) bool) {
	if !s.index() {
		return
	}
	b, v := s.body, &s.series
	v.scanner = s
	for i := 0; i < len(b); {
		tag, at, next := readField(b, i)
		if tag == tagSeries2 {
			v.begin(b[:next], i, at)
			if f := v.check2(); f != nil {
				s.fail(request2, f, i)
				return
			}
			if !v.lend(yield) {
				return
			}
		}
		i = next
	}
}

// index makes the first pass. It finds the symbols, and sets s.err if there is an error outside the
// series. It returns false if there is an error.
func (s *Scanner) index() bool {
	b := s.body
	s.symbols = s.symbols[:0]
	own, other := false, false
	if uint64(len(b)) > math.MaxUint32 {
		s.err = &Error{Cause: errLong}
		return false
	}
	for i := 0; i < len(b); {
		tag, at, next := uint32(tagSymbol), i+2, -1
		if len(b)-i >= 2 && mem.Load16(b, i)&0x80ff == tagSymbol {
			next = at + int(b[i+1]) // nearly all are short
		}
		if next < 0 || next > len(b) {
			tag, at, next = readField(b, i)
		}
		switch {
		case next < 0:
			s.fail(request2, fieldFault(b, i), i)
			return false
		case tag == tagSymbol:
			own = true
			if len(s.symbols) == 0 && at != next {
				s.fail(request2, &fault{at: i, cause: errSymbol}, i)
				return false
			}
			if len(s.symbols) == s.maxSymbols && s.maxSymbols > 0 {
				s.fail(request2, &fault{at: i, cause: ErrSymbols}, i)
				return false
			}
			s.symbols = append(s.symbols, symbol{uint32(at), uint32(next), s.which(b[at:next])})
		case tag == tagSeries2:
			own = true
		case tag>>3 == tagSymbol>>3 || tag>>3 == tagSeries2>>3:
			s.fail(request2, &fault{at: i, cause: errType}, i)
			return false
		default:
			s.unknown = true
			other = other || tag == tagSeries1 || tag == tagMetadata1
		}
		i = next
	}
	if other && !own {
		s.err = &Error{Cause: ErrVersion}
		return false
	}
	return true
}

// Symbols yields the symbols of a body of version 2, in order, as views of the body. The first
// symbol is empty. The whole body is scanned before the first symbol is yielded. If there is an
// error outside the series, [Scanner.Err] returns it.
func (s *Scanner) Symbols(yield func(symbol []byte) bool) {
	if s.version != V2 || !s.index() {
		return
	}
	for _, y := range s.symbols {
		if !yield(view(s.body, int(y.at), int(y.end))) {
			return
		}
	}
}

// which returns the number of the name that equals the symbol. The names that Find has set are
// numbered from 1. If there is no such name, the result is 0.
func (s *Scanner) which(symbol []byte) uint32 {
	if s.marks&markOf(symbol) != 0 {
		for i, name := range s.names {
			if string(symbol) == name {
				return uint32(i + 1)
			}
		}
	}
	return 0
}

// symbol returns the symbol to which a reference refers. The reference must have been checked.
func (s *Scanner) symbol(ref uint64) []byte {
	y := &s.symbols[uint32(ref)]
	return view(s.body, int(y.at), int(y.end))
}

// check2 checks a series of version 2 against its schema, counts its fields, and searches for the
// labels that Find has set.
//
// Usually, a series begins with labels in the form that plainRefs accepts. Then one sample follows,
// and then metadata, which may be empty. Fields that have any other form are checked with the
// schema.
func (v *SeriesView) check2() *fault {
	b, symbols := v.body, len(v.scanner.symbols)
	refs := 0
	i := v.plainRefs()
	if v.plain = i >= 0; !v.plain {
		i = v.at
	}
	v.rest = i
	for i < len(b) {
		if next := plainSample(b, i); next >= 0 {
			v.samples++
			i = next
			continue
		}
		if len(b)-i >= 2 && mem.Load16(b, i) == tagMetadata2 {
			v.metadata++
			i += 2
			continue
		}
		tag, next, n, f := series2.field(b, i, symbols)
		if f != nil {
			series2.locate(f, b, v.at, i)
			return f
		}
		refs += n
		switch tag {
		case tagSamples:
			v.samples++
		case tagHistogram2:
			v.histograms++
		case tagExemplar2:
			v.exemplars++
		case tagMetadata2:
			v.metadata++
		}
		i = next
	}
	if refs%2 != 0 {
		return series2.odd(v.at)
	}
	if v.plain = v.plain && refs == 0; !v.plain {
		v.look2()
	}
	return nil
}

// plainRefs searches for labels among the references at the beginning of the series, and counts the
// labels. The references must have the form that every encoder uses: one packed field of pairs,
// with a length below 128 and numbers below 2^14. plainRefs returns the end of that field. If the
// form is different, or if a reference is out of range, it returns -1.
func (v *SeriesView) plainRefs() (next int) {
	b, i := v.body, v.at
	if len(b)-i < 2 || mem.Load16(b, i)&0x80ff != tagRefs {
		return -1
	}
	i, next = i+2, i+2+int(b[i+1])
	if next > len(b) {
		return -1
	}
	b = b[:next]
	symbols := v.scanner.symbols
	labels := 0
	for i < len(b) {
		var name, value uint
		name, i = shortRef(b, i)
		value, i = shortRef(b, i)
		if name >= uint(len(symbols)) || value >= uint(len(symbols)) {
			return -1
		}
		if k := symbols[name].find; k != 0 {
			v.note(k-1, uint32(value))
		}
		labels++
	}
	v.labels = labels
	return next
}

// shortRef reads the reference at i if it has one or two bytes. Otherwise, it returns a reference
// that exceeds any number of symbols.
func shortRef(b []byte, i int) (ref uint, next int) {
	if i < len(b) {
		if ref = uint(b[i]); ref < 0x80 {
			return ref, i + 1
		}
		if i+1 < len(b) && b[i+1] < 0x80 {
			return ref&0x7f | uint(b[i+1])<<7, i + 2
		}
	}
	return math.MaxUint, i
}

// note records the value of a label. The argument `k` is the index of the label among the names
// that Find has set. The argument `value` is the reference of the label's value.
func (v *SeriesView) note(k, value uint32) {
	f, y := &v.found[k], &v.scanner.symbols[value]
	f.value, f.end, f.ref = int(y.at), int(y.end), value
	f.n++
}

// look2 searches for labels among all references, and counts all labels.
func (v *SeriesView) look2() {
	v.labels = 0
	for i := range v.found {
		v.found[i].n = 0
	}
	pairs(v.body, v.at, func(name, value uint32) bool {
		v.labels++
		if k := v.scanner.symbols[name].find; k != 0 {
			v.note(k-1, value)
		}
		return true
	})
}

// pairs yields the label references of the message b[i:], which is a series or an exemplar. The
// message must have been checked. The references may be in several fields, packed or not.
func pairs(b []byte, i int, yield func(name, value uint32) bool) {
	name, half := uint32(0), false
	for i < len(b) {
		tag, at, next := readField(b, i)
		if tag == tagRefs || tag == tagRef {
			for at < next {
				var ref uint64
				ref, at = readVarint(b, at)
				if half && !yield(name, uint32(ref)) {
					return
				}
				name, half = uint32(ref), !half
			}
		}
		i = next
	}
}

// labels2 implements Labels for version 2.
func (v *SeriesView) labels2(yield func(name, value []byte) bool) {
	s := v.scanner
	if !v.plain {
		s.labels2(v.body, v.at, yield)
		return
	}
	b := v.body[:v.rest]
	for i := v.at + 2; i < len(b); {
		var name, value uint
		name, i = shortRef(b, i)
		value, i = shortRef(b, i)
		if !yield(s.symbol(uint64(name)), s.symbol(uint64(value))) {
			return
		}
	}
}

// labels2 yields the labels of the message b[i:], which is a series or an exemplar of version 2.
func (s *Scanner) labels2(b []byte, i int, yield func(name, value []byte) bool) {
	pairs(b, i, func(name, value uint32) bool {
		return yield(s.symbol(uint64(name)), s.symbol(uint64(value)))
	})
}

// Metadata returns the metadata of the series in version 2. In version 1, metadata belongs to the
// request (see [Scanner.Metadata]).
func (v *SeriesView) Metadata() (m MetadataView) {
	if v.scanner.version != V2 {
		return m
	}
	// Metadata in several fields is merged.
	v.fields(tagMetadata2, v.metadata, func(b []byte, i int) bool {
		for i < len(b) {
			tag, at, next := readField(b, i)
			switch tag {
			case 1<<3 | typeVarint:
				m.Type = MetricType(readInt(b, at))
			case tagHelp:
				m.Help = v.scanner.text(b, at)
			case tagUnit:
				m.Unit = v.scanner.text(b, at)
			}
			i = next
		}
		return true
	})
	return m
}

// text returns the symbol to which the varint at i refers. Reference 0 is the empty string, even if
// there are no symbols.
func (s *Scanner) text(b []byte, i int) []byte {
	ref, _ := readVarint(b, i)
	if uint32(ref) == 0 {
		return nil
	}
	return s.symbol(ref)
}
