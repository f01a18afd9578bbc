package remotewrite

// This file decodes a body into Go values. It contains the code that both versions share, and the
// loops for version 1. The loops for version 2 are in decode2.go. The .proto text of each message
// is in schema.go.
//
// Each function decodes the message b[i:], and returns false if the message is not well-formed. In
// this case, a Scanner finds the reason. Fast paths decode the most frequent forms of messages, and
// the complete loop decodes all other forms.

import (
	"math"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Decode decodes body into r. Strings are copies. They share chunks of 4 KB, so each string keeps
// its chunk alive. If the previous series has the same label at the same position, both labels
// share their strings. All other memory of r is reused (see [Request]).
//
// Unknown fields are ignored. On error, Decode returns an *[Error], and r is empty.
//
// Decode allocates memory only for elements that the body actually contains. The element with the
// largest expansion is an empty histogram: 2 bytes of the body become 240 bytes of memory.
func Decode(body []byte, version Version, r *Request) error {
	return r.decode(body, version, textChunk)
}

// DecodeView is like [Decode], but the strings of r are views of body. The body must not change
// while these strings are in use.
func DecodeView(body []byte, version Version, r *Request) error {
	return r.decode(body, version, 0)
}

// textChunk is the size of the chunks that strings share.
const textChunk = 4 << 10

// decode implements Decode and DecodeView. The argument `chunk` is the size of the chunks for
// strings. If this size is 0, strings are views.
func (r *Request) decode(b []byte, version Version, chunk int) error {
	m := &r.memory
	m.begin()
	m.texts.Size = chunk
	ok := false
	switch version {
	case V1:
		ok = m.request1(b)
	case V2:
		ok = m.request2(b)
	}
	if !ok {
		r.Reset()
		return whyNot(b, version)
	}
	r.Series, r.Metadata = m.series.cut(), m.metadata.cut()
	m.end()
	return nil
}

// Reset makes r empty. It keeps the memory of slices, but drops all strings.
func (r *Request) Reset() {
	r.Series, r.Metadata = nil, nil
	r.memory.begin()
	r.memory.end()
}

// whyNot returns the error for a body that could not be decoded.
func whyNot(body []byte, version Version) error {
	var s Scanner
	s.Reset(body, version)
	for range s.Series {
	}
	return s.Err()
}

// text returns b[i:] as a string.
func (m *memory) text(b []byte, i int) string {
	if m.texts.Size == 0 {
		return mem.String(b[i:])
	}
	return m.texts.CopyAt(b, i, len(b)-i)
}

// leadingLabels decodes the plain labels at the beginning of a series, and returns the offset after
// them. Nearly always, all labels of a series are plain.
//
// It compares each label with the plain label at the same position of the previous series. If both
// have the same bytes, it reuses the decoded label and its strings.
func (m *memory) leadingLabels(b []byte, i int) int {
	if m.texts.Size == 0 {
		return m.plainLabels(b, i)
	}
	from, at, before := i, m.beforeAt, m.before
	for n := 0; ; n++ {
		nameEnd, next := plainLabel(b, i)
		if next < 0 {
			break
		}
		l := m.labels.next()
		if n < len(before) {
			*l = before[n]
			if sameLabel(b, at, i, next-i) {
				at += next - i
				i = next
				continue
			}
			at += 2 + int(b[at+1])
		} else {
			*l = Label{}
		}
		if name := b[i+4 : nameEnd]; l.Name != string(name) {
			l.Name = m.texts.CopyAt(b, i+4, len(name))
		}
		if value := b[nameEnd+2 : next]; l.Value != string(value) {
			l.Value = m.texts.CopyAt(b, nameEnd+2, len(value))
		}
		i = next
	}
	m.beforeAt, m.before = from, m.labels.block[m.labels.from:]
	return i
}

// sameLabel reports whether the n bytes at i and the n bytes at j are equal. If n is less than 8,
// it also compares preceding bytes, so it may return false for equal labels. The preceding bytes
// exist, because each label follows the header of its series.
func sameLabel(b []byte, i, j, n int) bool {
	for ; n > 8; n -= 8 {
		if mem.Load64(b, i) != mem.Load64(b, j) {
			return false
		}
		i += 8
		j += 8
	}
	return mem.Load64(b, i+n-8) == mem.Load64(b, j+n-8)
}

// plainLabels decodes the plain labels at i, and returns the offset after them.
func (m *memory) plainLabels(b []byte, i int) int {
	views := m.texts.Size == 0
	for {
		nameEnd, next := plainLabel(b, i)
		if next < 0 {
			return i
		}
		if l := m.labels.next(); views {
			*l = Label{mem.String(b[i+4 : nameEnd]), mem.String(b[nameEnd+2 : next])}
		} else {
			*l = Label{m.texts.CopyAt(b, i+4, nameEnd-i-4), m.texts.CopyAt(b, nameEnd+2, next-nameEnd-2)}
		}
		i = next
	}
}

// request1 decodes a request of version 1.
func (m *memory) request1(b []byte) bool {
	own, other := len(b) == 0, false
	for i := 0; i < len(b); {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		ok := true
		switch tag {
		case tagSeries1:
			own, ok = true, m.series1(b[:next], at)
		case tagMetadata1:
			own, ok = true, m.metadata1(b[:next], at)
		case tagSymbol, tagSeries2:
			other = true
		default:
			ok = !request1.has(tag)
		}
		if !ok {
			return false
		}
		i = next
	}
	return own || !other
}

// has reports whether m defines a field with the same number as the given tag. A decoding loop
// calls has for tags that the loop does not handle. If has returns true, the tag has the wrong wire
// type.
func (m *message) has(tag uint32) bool {
	number := tag >> 3
	return number < uint32(len(m)) && m[number].kind != kindUnknown
}

// series1 decodes a series of version 1.
func (m *memory) series1(b []byte, i int) bool {
	i = m.leadingLabels(b, i)
	for i < len(b) {
		if next := plainSample(b, i); next >= 0 {
			*m.samples.next() = readPlainSample(b, i, next)
			i = next
			continue
		}
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		var ok bool
		switch tag {
		case tagLabel:
			ok = m.labels.next().decode(m, b[:next], at)
			next = m.plainLabels(b, next)
		case tagSamples:
			ok = m.samples.next().decode(b[:next], at, V1)
		case tagExemplar1:
			ok = m.exemplar1(b[:next], at)
		case tagHistogram1:
			ok = m.histogram(b[:next], at, histogram1)
		default:
			ok = !series1.has(tag)
		}
		if !ok {
			return false
		}
		i = next
	}
	s := m.series.next()
	s.Metadata = Metadata{}
	m.cutSeries(s)
	return true
}

// cutSeries sets the slices of s to the elements that have been decoded.
func (m *memory) cutSeries(s *Series) {
	s.Labels = m.labels.cut()
	s.Samples = m.samples.cut()
	s.Exemplars = m.exemplars.cut()
	s.Histograms = m.histograms.cut()
}

func (l *Label) decode(m *memory, b []byte, i int) bool {
	*l = Label{}
	for i < len(b) {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		switch tag {
		case tagName:
			l.Name = m.text(b[:next], at)
		case tagValue:
			l.Value = m.text(b[:next], at)
		default:
			if label1.has(tag) {
				return false
			}
		}
		i = next
	}
	return true
}

// readPlainSample reads the sample field b[i:next]. The field must have a form that plainSample
// accepts.
func readPlainSample(b []byte, i, next int) (s Sample) {
	if next-i == 18 {
		s.Value = math.Float64frombits(mem.Load64(b, i+3))
	}
	s.Timestamp = int64(readWide(mem.Load64(b, next-8) >> 16))
	return s
}

func (s *Sample) decode(b []byte, i int, version Version) bool {
	*s = Sample{}
	for i < len(b) {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		switch tag {
		case 1<<3 | typeFixed64:
			s.Value = readFloat(b, at)
		case 2<<3 | typeVarint:
			s.Timestamp = readInt(b, at)
		case 3<<3 | typeVarint:
			if version == V2 {
				s.StartTimestamp = readInt(b, at)
			}
		default:
			if tag>>3 <= 2 || tag>>3 == 3 && version == V2 {
				return false
			}
		}
		i = next
	}
	return true
}

func (m *memory) exemplar1(b []byte, i int) bool {
	e := m.exemplars.next()
	*e = Exemplar{}
	for i < len(b) {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		switch tag {
		case tagLabel:
			if !m.exemplarLabels.next().decode(m, b[:next], at) {
				return false
			}
		default:
			if !e.field(b, tag, at) {
				return false
			}
		}
		i = next
	}
	e.Labels = m.exemplarLabels.cut()
	return true
}

// field decodes a field of an exemplar. It does not decode labels.
func (e *Exemplar) field(b []byte, tag uint32, at int) bool {
	switch tag {
	case 2<<3 | typeFixed64:
		e.Value = readFloat(b, at)
	case 3<<3 | typeVarint:
		e.Timestamp = readInt(b, at)
	default:
		return tag>>3 > 3
	}
	return true
}

func (m *memory) metadata1(b []byte, i int) bool {
	d := m.metadata.next()
	*d = Metadata{}
	for i < len(b) {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		switch tag {
		case 1<<3 | typeVarint:
			d.Type = MetricType(readInt(b, at))
		case 2<<3 | typeBytes:
			d.MetricFamilyName = m.text(b[:next], at)
		case 4<<3 | typeBytes:
			d.Help = m.text(b[:next], at)
		case 5<<3 | typeBytes:
			d.Unit = m.text(b[:next], at)
		default:
			if metadata1.has(tag) {
				return false
			}
		}
		i = next
	}
	return true
}
