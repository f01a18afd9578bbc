package remotewrite

// This file scans a body, and returns views of its bytes. It contains the code that both versions
// share, and the scan of version 1. The scan of version 2 is in scan2.go.
//
// A series is checked completely before it is yielded. The same pass searches for the labels that
// Find has set. Because the series has been checked, its methods cannot fail: they only locate
// fields.

import (
	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// These are the tags that the loops handle. A tag is number<<3 | wire type.
const (
	tagSeries1   = 1<<3 | typeBytes
	tagMetadata1 = 3<<3 | typeBytes
	tagSymbol    = 4<<3 | typeBytes
	tagSeries2   = 5<<3 | typeBytes

	tagLabel      = 1<<3 | typeBytes // field of a series or an exemplar in version 1
	tagRefs       = 1<<3 | typeBytes // field of a series or an exemplar in version 2, packed
	tagRef        = 1<<3 | typeVarint
	tagSamples    = 2<<3 | typeBytes
	tagExemplar1  = 3<<3 | typeBytes
	tagHistogram1 = 4<<3 | typeBytes
	tagHistogram2 = 3<<3 | typeBytes
	tagExemplar2  = 4<<3 | typeBytes
	tagMetadata2  = 5<<3 | typeBytes

	tagHelp = 3<<3 | typeVarint
	tagUnit = 4<<3 | typeVarint

	tagName  = 1<<3 | typeBytes
	tagValue = 2<<3 | typeBytes
)

// Scanner iterates over a body, and yields views of the body. Before use, call Reset on the zero
// value. A reused Scanner does not allocate. It keeps memory for as many symbols as recent bodies
// contained. A Scanner is not safe for concurrent use, and must not be copied after its first use.
//
//	s.Reset(body, remotewrite.V1)
//	for series := range s.Series {
//		for name, value := range series.Labels { … }
//		for sample := range series.Samples { … }
//	}
//	if err := s.Err(); err != nil { … }
type Scanner struct {
	body    []byte
	version Version
	err     error

	names []string // names that Find has set
	marks uint64   // the marks of names (see markOf)

	symbols    []symbol    // symbols in version 2
	peak       buffer.Peak // of symbols
	series     SeriesView
	maxSymbols int // maximum number of symbols in a body of version 2; 0 means no limit

	unknown  bool // the request contains fields that the schema does not define
	metadata bool // the request contains metadata (version 1)
}

// Reset sets the body and its version. The body must not change while s and its views are in use.
// Reset keeps the names that Find has set.
func (s *Scanner) Reset(body []byte, version Version) {
	s.body, s.version, s.err, s.unknown, s.metadata = body, version, nil, false, false
	s.symbols = emptied(s.symbols, &s.peak)
	s.series.body = nil
}

// Find sets the names of labels to search for. While the Scanner checks a series, it also searches
// for these labels, and [SeriesView.Found] returns the results. The names apply to all later
// bodies. Find must not be called within a loop over Series.
func (s *Scanner) Find(names ...string) {
	s.names = append(s.names[:0], names...)
	s.series.found = make([]found, len(names))
	s.marks = 0
	for _, name := range names {
		s.marks |= markOf(name)
	}
}

// Err returns the error that ended the last loop. The error is an *[Error]. If the loop has scanned
// the whole body without an error, Err returns nil. After a break, the rest of the body has not
// been checked.
func (s *Scanner) Err() error { return s.err }

// Series yields the series in order, up to the first invalid series. A view is valid until the next
// iteration.
//
// In version 1, the loop also finds errors between series and in metadata. In version 2, symbols
// may follow the series that refer to them. So everything outside the series is checked first, and
// an error there ends the loop before the first series is yielded.
func (s *Scanner) Series(yield func(*SeriesView) bool) {
	switch s.version {
	case V1:
		s.series1(yield)
	case V2:
		s.series2(yield)
	default:
		s.err = &Error{Cause: errNoVersion}
	}
}

// fail sets the error of s to f, which is a fault in the body's field at i.
func (s *Scanner) fail(request *message, f *fault, i int) {
	request.locate(f, s.body, 0, i)
	s.err = f.error()
}

// series1 implements Series for version 1.
func (s *Scanner) series1(yield func(*SeriesView) bool) {
	b, v := s.body, &s.series
	v.scanner = s
	own, other := false, false
	for i := 0; i < len(b); {
		tag, at, next := readField(b, i)
		if tag == tagSeries1 && next >= 0 {
			own = true
			v.begin(b[:next], i, at)
			if f := v.check1(); f != nil {
				s.fail(request1, f, i)
				return
			}
			if !v.lend(yield) {
				return
			}
			i = next
			continue
		}
		if _, _, _, f := request1.field(b, i, 0); f != nil {
			s.fail(request1, f, i)
			return
		}
		if tag == tagMetadata1 {
			s.metadata, own = true, true
		} else {
			s.unknown = true
		}
		other = other || tag == tagSymbol || tag == tagSeries2
		i = next
	}
	if other && !own {
		s.err = &Error{Cause: ErrVersion}
	}
}

// SeriesView is a view of a series. It is valid until the next iteration of the loop that yields
// it, and so are the views that its methods return.
type SeriesView struct {
	scanner *Scanner
	body    []byte // from the start of the request to the end of the series
	from    int    // offset of the series' field
	at      int    // offset of the series' message: 0 ≤ from < at ≤ len(body)
	rest    int    // end of the plain labels at the beginning of the series: at ≤ rest ≤ len(body)

	labels, samples, exemplars, histograms int
	metadata                               int // number of metadata fields (version 2)
	found                                  []found
	plain                                  bool // in version 2: plainRefs has read all references
}

// found is the result of the search for a label that Find has set. All offsets are relative to the
// start of the body.
type found struct {
	from, to   int    // the field of the last such label (version 1)
	value, end int    // its value
	ref        uint32 // reference of the value (version 2)
	n          int    // number of such labels
}

// begin sets v to a series. The field that contains the series begins at the offset `from`, and the
// series' message is body[at:].
func (v *SeriesView) begin(body []byte, from, at int) {
	v.body, v.from, v.at, v.rest = body, from, at, 0
	v.labels, v.samples, v.exemplars, v.histograms, v.metadata = 0, 0, 0, 0, 0
	for i := range v.found {
		v.found[i].n = 0
	}
}

// view returns b[from:to] for a caller. Appending to the result allocates new memory, so that it
// does not overwrite the rest of the body.
func view(b []byte, from, to int) []byte { return b[from:to:to] }

// lend yields v. In tests, it yields a copy of v, which becomes unusable afterwards.
func (v *SeriesView) lend(yield func(*SeriesView) bool) bool {
	if invariants {
		lent := *v
		defer func() { lent = SeriesView{} }()
		return yield(&lent)
	}
	return yield(v)
}

// Raw returns the encoded message of the series.
func (v *SeriesView) Raw() []byte { return view(v.body, v.at, len(v.body)) }

// Found returns the value of a label, and the number of occurrences of this label in the series.
// The argument `i` is the index of the label's name in the last call of [Scanner.Find]. If the
// label is repeated, which the protocol forbids, Found returns the last value.
func (v *SeriesView) Found(i int) (value []byte, n int) {
	f := &v.found[i]
	if f.n == 0 {
		return nil, 0
	}
	return view(v.scanner.body, f.value, f.end), f.n
}

// Label returns the value of a label, and the number of occurrences of this label in the series. If
// the label is repeated, it returns the last value. To search for the same labels in every series,
// use [Scanner.Find], which is faster.
func (v *SeriesView) Label(name string) (value []byte, n int) {
	v.Labels(func(have, is []byte) bool {
		if string(have) == name {
			value, n = is, n+1
		}
		return true
	})
	return value, n
}

// check1 checks a series of version 1 against its schema, counts its fields, and searches for the
// labels that Find has set.
//
// Usually, a series begins with labels, and nearly all of them have the form that plainLabel
// accepts. Then one sample follows. Fields that have any other form are checked with the schema.
func (v *SeriesView) check1() *fault {
	b, i, marks, labels := v.body, v.at, v.scanner.marks, 0
	for {
		for {
			nameEnd, next := plainLabel(b, i)
			if next < 0 {
				break
			}
			if marks&mark(nameEnd-i-4, mem.Load8(b, i+4)) != 0 {
				v.look(i, next, i+4, nameEnd, nameEnd+2, next)
			}
			labels++
			i = next
		}
		if v.rest == 0 {
			v.rest = i
		}
		if next := plainSample(b, i); next >= 0 {
			v.samples++
			i = next
		}
		if i >= len(b) {
			v.labels = labels
			return nil
		}
		tag, next, _, f := series1.field(b, i, 0)
		if f != nil {
			series1.locate(f, b, v.at, i)
			return f
		}
		switch tag {
		case tagLabel:
			labels++
			l := readLabel(b[:next], i)
			v.look(i, next, l.name, l.nameEnd, l.value, l.valueEnd)
		case tagSamples:
			v.samples++
		case tagExemplar1:
			v.exemplars++
		case tagHistogram1:
			v.histograms++
		}
		i = next
	}
}

// look records the label in the field b[from:to] if Find has set its name.
//
//go:noinline
func (v *SeriesView) look(from, to, name, nameEnd, value, valueEnd int) {
	for i, want := range v.scanner.names {
		if string(v.body[name:nameEnd]) == want {
			f := &v.found[i]
			f.from, f.to, f.value, f.end = from, to, value, valueEnd
			f.n++
			return
		}
	}
}

// mark returns one of 64 bits. It is chosen by the length of a name and by the byte at which the
// name begins in an encoded label. A name whose bit differs from the bits of all names that Find
// has set is none of them. So nearly all labels are excluded without a call of look. The first byte
// matters, because the names of labels have similar lengths.
func mark(length int, first byte) uint64 { return 1 << ((length + int(first)) & 63) }

// markOf returns the mark of a name. In an encoded label, an empty name begins where the tag of the
// value is.
func markOf[T string | []byte](name T) uint64 {
	first := byte(tagValue)
	if len(name) > 0 {
		first = name[0]
	}
	return mark(len(name), first)
}

// plainLabel returns the end of the label field at i, if the field has the form that every encoder
// uses for short labels. Otherwise it returns -1. The name is b[i+4:nameEnd], and the value is
// b[nameEnd+2:next].
//
//	0a len  0a name …  12 value …     every length below 128
//
// The next label begins at the end of this label. plainLabel reads the length of the field with a
// separate load, because the offset of the next label is then available earlier than with a shift
// of the four bytes.
func plainLabel(b []byte, i int) (nameEnd, next int) {
	if len(b)-i < 6 {
		return 0, -1
	}
	head := mem.Load32(b, i)
	nameEnd, next = i+4+int(head>>24), i+2+int(mem.Load8(b, i+1))
	value := next - nameEnd - 2
	if head&0x80ff80ff != 0x000a000a || value < 0 || next > len(b) || int(mem.Load16(b, nameEnd)) != tagValue|value<<8 {
		return 0, -1
	}
	return nameEnd, next
}

// plainSample returns the end of the sample field at i, if the field consists of a value and a time
// from 1971 to 2109. A value of 0 may be missing. For any other field, it returns -1.
//
//	12 10  09 value: 8 bytes  10 timestamp: 6 bytes
//	12 07  10 timestamp: 6 bytes
func plainSample(b []byte, i int) (next int) {
	if len(b)-i < 9 {
		return -1
	}
	if head := mem.Load32(b, i); head&0xffffff == 0x091012 {
		if len(b)-i >= 18 && mem.Load64(b, i+10)&0x808080808080ff00 == 0x0080808080801000 {
			return i + 18
		}
	} else if head&0xffffff == 0x100712 && mem.Load64(b, i+1)&0x808080808080ffff == 0x0080808080801007 {
		return i + 9
	}
	return -1
}

// label contains the offsets of the name and the value of a label.
type label struct{ name, nameEnd, value, valueEnd int }

// readLabel reads the label in the field b[i:]. The field must have been checked. A missing name or
// value is returned as an empty range.
func readLabel(b []byte, i int) (l label) {
	_, i, _ = readField(b, i)
	for i < len(b) {
		tag, at, next := readField(b, i)
		switch tag {
		case tagName:
			l.name, l.nameEnd = at, next
		case tagValue:
			l.value, l.valueEnd = at, next
		}
		i = next
	}
	return l
}

// Labels yields the labels in the order of the body. The protocol requires that senders sort labels
// by name.
func (v *SeriesView) Labels(yield func(name, value []byte) bool) {
	if v.scanner.version == V2 {
		v.labels2(yield)
		return
	}
	b, n := v.body, v.labels
	for i := v.at; i < v.rest; n-- {
		name, value, next := i+4, i+6+int(b[i+3]), i+2+int(b[i+1])
		if !yield(view(b, name, value-2), view(b, value, next)) {
			return
		}
		i = next
	}
	if n > 0 {
		labels1(b, v.rest, yield)
	}
}

// labels1 yields the labels of the message b[i:], which is a series or an exemplar of version 1.
func labels1(b []byte, i int, yield func(name, value []byte) bool) {
	for i < len(b) {
		if nameEnd, next := plainLabel(b, i); next >= 0 {
			if !yield(view(b, i+4, nameEnd), view(b, nameEnd+2, next)) {
				return
			}
			i = next
			continue
		}
		tag, _, next := readField(b, i)
		if tag == tagLabel {
			l := readLabel(b[:next], i)
			if !yield(view(b, l.name, l.nameEnd), view(b, l.value, l.valueEnd)) {
				return
			}
		}
		i = next
	}
}

// fields yields the messages in the fields of the series that have this tag. There are n such
// fields.
func (v *SeriesView) fields(tag uint32, n int, yield func(b []byte, i int) bool) {
	for i := v.rest; n > 0; {
		t, at, next := readField(v.body, i)
		if t == tag {
			if !yield(v.body[:next], at) {
				return
			}
			n--
		}
		i = next
	}
}

// Samples yields the samples. The bits of values are unchanged, even in stale markers.
func (v *SeriesView) Samples(yield func(Sample) bool) {
	b := v.body
	for i, n := v.rest, v.samples; n > 0; {
		if next := plainSample(b, i); next >= 0 {
			if !yield(readPlainSample(b, i, next)) {
				return
			}
			i = next
			n--
			continue
		}
		tag, at, next := readField(b, i)
		if tag == tagSamples {
			var s Sample
			s.decode(b[:next], at, v.scanner.version) // it has been checked
			if !yield(s) {
				return
			}
			n--
		}
		i = next
	}
}

// ExemplarView is a view of an exemplar. It is valid as long as the SeriesView that returned it is
// valid.
type ExemplarView struct {
	scanner *Scanner
	body    []byte
	at      int

	Value     float64
	Timestamp int64 // milliseconds
}

// Exemplars yields the exemplars.
func (v *SeriesView) Exemplars(yield func(ExemplarView) bool) {
	tag := uint32(tagExemplar1)
	if v.scanner.version == V2 {
		tag = tagExemplar2
	}
	v.fields(tag, v.exemplars, func(b []byte, i int) bool {
		e := ExemplarView{scanner: v.scanner, body: b, at: i}
		for i < len(b) {
			tag, at, next := readField(b, i)
			switch tag {
			case 2<<3 | typeFixed64:
				e.Value = readFloat(b, at)
			case 3<<3 | typeVarint:
				e.Timestamp = readInt(b, at)
			}
			i = next
		}
		return yield(e)
	})
}

// Labels yields the labels of the exemplar. Usually there is one label, which contains a trace ID.
func (e ExemplarView) Labels(yield func(name, value []byte) bool) {
	if e.scanner.version == V2 {
		e.scanner.labels2(e.body, e.at, yield)
		return
	}
	labels1(e.body, e.at, yield)
}

// MetadataView is a view of the description of a metric. In version 1, it is an entry of the
// request, with the name of a metric family. In version 2, it belongs to a series.
type MetadataView struct {
	Type       MetricType
	Family     []byte // version 1
	Help, Unit []byte
}

// Metadata yields the metadata of a request of version 1, up to the first invalid entry. In version
// 2, metadata belongs to series (see [SeriesView.Metadata]).
func (s *Scanner) Metadata(yield func(MetadataView) bool) {
	if s.version != V1 {
		return
	}
	b := s.body
	for i := 0; i < len(b); {
		tag, at, next := readField(b, i)
		if tag != tagSeries1 || next < 0 {
			if _, _, _, f := request1.field(b, i, 0); f != nil {
				s.fail(request1, f, i)
				return
			}
		}
		if tag == tagMetadata1 && !yield(readMetadata1(b[:next], at)) {
			return
		}
		i = next
	}
}

// readMetadata1 reads the version 1 metadata in b[i:]. The metadata must have been checked.
func readMetadata1(b []byte, i int) (m MetadataView) {
	for i < len(b) {
		tag, at, next := readField(b, i)
		switch tag {
		case 1<<3 | typeVarint:
			m.Type = MetricType(readInt(b, at))
		case 2<<3 | typeBytes:
			m.Family = view(b, at, next)
		case 4<<3 | typeBytes:
			m.Help = view(b, at, next)
		case 5<<3 | typeBytes:
			m.Unit = view(b, at, next)
		}
		i = next
	}
	return m
}
