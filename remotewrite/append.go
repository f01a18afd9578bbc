package remotewrite

// This file encodes requests. It contains the code for version 1 and the code that both versions
// share. The code for version 2 is in append2.go. The output is the same as the output of
// Prometheus' encoder, except that the sign of a zero is kept.
//
// The size of a message is encoded before the message. So the code first computes all sizes, and
// need not move bytes afterwards.

import (
	"encoding/binary"
	"math"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Append appends r to b as a request of version V1 or V2. If b has enough capacity, it does not
// allocate.
//
// Version 1 omits series metadata and start timestamps. Version 2 omits request metadata. The
// symbols of version 2 are in the order of their first use.
func Append(b []byte, version Version, r *Request) []byte {
	switch version {
	case V1:
		return append1(b, r)
	case V2:
		return append2(b, r)
	}
	panic(errNoVersion)
}

func append1(b []byte, r *Request) []byte {
	for i := range r.Series {
		b = appendSeries1(b, &r.Series[i])
	}
	for i := range r.Metadata {
		m := &r.Metadata[i]
		n := sizeUint(uint64(m.Type)) + sizeText(m.MetricFamilyName) + sizeText(m.Help) + sizeText(m.Unit)
		b = appendHeader(b, tagMetadata1, n)
		b = appendUint(b, 1<<3|typeVarint, uint64(m.Type))
		b = appendText(b, 2<<3|typeBytes, m.MetricFamilyName)
		b = appendText(b, 4<<3|typeBytes, m.Help)
		b = appendText(b, 5<<3|typeBytes, m.Unit)
	}
	return b
}

func appendSeries1(b []byte, s *Series) []byte {
	labels, plain := sizeLabels(s.Labels)
	samples, others := sizeSamples(s.Samples, V1), 0
	for i := range s.Exemplars {
		labels, _ := sizeLabels(s.Exemplars[i].Labels)
		others += sizeField(sizeExemplar(&s.Exemplars[i], labels))
	}
	for i := range s.Histograms {
		others += sizeField(sizeHistogram(&s.Histograms[i], V1))
	}
	b = appendHeader(b, tagSeries1, labels+samples+others)
	b = appendLabels(b, s.Labels, labels, plain)
	b = appendSamples(b, s.Samples, samples, V1)
	for i := range s.Exemplars {
		e := &s.Exemplars[i]
		labels, plain := sizeLabels(e.Labels)
		b = appendHeader(b, tagExemplar1, sizeExemplar(e, labels))
		b = appendLabels(b, e.Labels, labels, plain)
		b = appendExemplar(b, e)
	}
	for i := range s.Histograms {
		b = appendHistogram(b, tagHistogram1, &s.Histograms[i], V1)
	}
	return b
}

// The following functions return the size of a field with a tag of one byte. Fields that are 0 or
// empty are omitted.

// sizeField returns the size of a field that contains a message of n bytes. An empty message is not
// omitted.
func sizeField(n int) int { return 1 + sizeVarint(uint64(n)) + n }

// sizePacked returns the size of a field that contains n bytes of packed numbers or text.
func sizePacked(n int) int {
	if n == 0 {
		return 0
	}
	return sizeField(n)
}

func sizeText(s string) int { return sizePacked(len(s)) }

func sizeUint(v uint64) int {
	if v == 0 {
		return 0
	}
	return 1 + sizeVarint(v)
}

func sizeFloat(f float64) int {
	if math.Float64bits(f) == 0 {
		return 0
	}
	return 9
}

func appendText(b []byte, tag byte, s string) []byte {
	if s == "" {
		return b
	}
	return append(appendHeader(b, tag, len(s)), s...)
}

func appendUint(b []byte, tag byte, v uint64) []byte {
	if v == 0 {
		return b
	}
	return binary.AppendUvarint(append(b, tag), v)
}

func appendFloat(b []byte, tag byte, f float64) []byte {
	bits := math.Float64bits(f)
	if bits == 0 {
		return b
	}
	return binary.LittleEndian.AppendUint64(append(b, tag), bits)
}

// room returns b with capacity for at least n more bytes. If the capacity is not sufficient, it
// copies b to a new slice.
func room(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		return mem.GrowRoom(b, n)
	}
	return b
}

func sizeLabel(l *Label) int { return sizeText(l.Name) + sizeText(l.Value) }

// maxPlain is the maximum total length of the name and the value of a plain label, in bytes.
const maxPlain = 0x7f - 4

// sizeLabels returns the encoded size of labels, and reports whether all of them are plain (see
// plainLabel).
func sizeLabels(labels []Label) (n int, plain bool) {
	other := 0 // negative if a label is not plain
	for i := range labels {
		l := &labels[i]
		texts := len(l.Name) + len(l.Value)
		n += texts + 6
		other |= (len(l.Name) - 1) | (len(l.Value) - 1) | (maxPlain - texts)
	}
	if other >= 0 {
		return n, true
	}
	n = 0
	for i := range labels {
		n += sizeField(sizeLabel(&labels[i]))
	}
	return n, false
}

// appendLabels appends labels. The arguments `size` and `plain` are the results of sizeLabels.
func appendLabels(b []byte, labels []Label, size int, plain bool) []byte {
	b = room(b, size)
	if !plain {
		for i := range labels {
			l := &labels[i]
			b = appendHeader(b, tagLabel, sizeLabel(l))
			b = appendText(b, tagName, l.Name)
			b = appendText(b, tagValue, l.Value)
		}
		return b
	}
	at := len(b)
	b = b[:at+size]
	putLabels(b, at, labels)
	return b
}

// putLabels writes plain labels to b[at:], which must be long enough. It copies strings as words,
// which may overlap. It makes no function calls, because saving registers for a call takes longer
// than copying a short string.
func putLabels(b []byte, at int, labels []Label) {
	for i := range labels {
		l := &labels[i]
		name, value := len(l.Name), len(l.Value)
		mem.Store32(b, at, 0x000a000a|uint32(name+value+4)<<8|uint32(name)<<24)
		mem.Store16(b, at+4+name, uint16(tagValue|value<<8))
		at += 4
		for text, last := l.Name, false; ; text, last = l.Value, true {
			n := len(text)
			switch {
			case n > 16:
				for i := 0; i < n-8; i += 8 {
					mem.Store64(b, at+i, mem.Text64(text, i))
				}
				mem.Store64(b, at+n-8, mem.Text64(text, n-8))
			case n >= 8:
				mem.Store64(b, at, mem.Text64(text, 0))
				mem.Store64(b, at+n-8, mem.Text64(text, n-8))
			case n >= 4:
				mem.Store32(b, at, mem.Text32(text, 0))
				mem.Store32(b, at+n-4, mem.Text32(text, n-4))
			default:
				mem.Store8(b, at, text[0])
				mem.Store8(b, at+n/2, text[n/2])
				mem.Store8(b, at+n-1, text[n-1])
			}
			at += n
			if last {
				break
			}
			at += 2
		}
	}
}

// plain reports whether the encoded sample has the longer form that plainSample accepts. In this
// form, the value is not 0, and the time is from 1971 to 2109.
func (s *Sample) plain() bool {
	return math.Float64bits(s.Value) != 0 && uint64(s.Timestamp)-1<<35 < 1<<42-1<<35 && s.StartTimestamp == 0
}

func (s *Sample) size(version Version) int {
	if s.plain() {
		return 16
	}
	n := sizeFloat(s.Value) + sizeUint(uint64(s.Timestamp))
	if version == V2 {
		n += sizeUint(uint64(s.StartTimestamp))
	}
	return n
}

// sizeSamples returns the total encoded size of samples.
func sizeSamples(samples []Sample, version Version) (n int) {
	for i := range samples {
		n += 2 + samples[i].size(version)
	}
	return n
}

// appendSamples appends samples. The argument `size` is their total encoded size.
func appendSamples(b []byte, samples []Sample, size int, version Version) []byte {
	b = room(b, size)
	for i := range samples {
		s := &samples[i]
		if s.plain() {
			at := len(b)
			b = b[:at+18]
			mem.Store64(b, at+10, 0x1000|spreadWide(uint64(s.Timestamp))<<16|0x0080808080800000)
			mem.Store64(b, at+3, math.Float64bits(s.Value))
			mem.Store16(b, at, tagSamples|16<<8)
			mem.Store8(b, at+2, 1<<3|typeFixed64)
			continue
		}
		b = append(b, tagSamples, byte(s.size(version)))
		b = appendFloat(b, 1<<3|typeFixed64, s.Value)
		b = appendUint(b, 2<<3|typeVarint, uint64(s.Timestamp))
		if version == V2 {
			b = appendUint(b, 3<<3|typeVarint, uint64(s.StartTimestamp))
		}
	}
	return b
}

// sizeExemplar returns the encoded size of an exemplar. The argument `labels` is the encoded size
// of the exemplar's labels.
func sizeExemplar(e *Exemplar, labels int) int {
	return labels + sizeFloat(e.Value) + sizeUint(uint64(e.Timestamp))
}

// appendExemplar appends the fields of e that follow the labels.
func appendExemplar(b []byte, e *Exemplar) []byte {
	b = appendFloat(b, 2<<3|typeFixed64, e.Value)
	return appendUint(b, 3<<3|typeVarint, uint64(e.Timestamp))
}
