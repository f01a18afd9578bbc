package remotewrite

import (
	"encoding/binary"
	"math"
)

// This file decodes and encodes histograms. They have the same fields in both versions, except for
// one field.

// histogram decodes the histogram b[i:]. The argument `schema` is histogram1 or histogram2.
func (m *memory) histogram(b []byte, i int, schema *message) bool {
	h := m.histograms.next()
	*h = Histogram{}
	for i < len(b) {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		var ok bool
		switch tag {
		case 8<<3 | typeBytes:
			ok = m.negative.spans.next().decode(b[:next], at)
		case 9<<3 | typeVarint, 9<<3 | typeBytes:
			ok = decodeDeltas(&m.negative.deltas, b[:next], at)
		case 10<<3 | typeFixed64, 10<<3 | typeBytes:
			ok = decodeFloats(&m.negative.counts, b[:next], at)
		case 11<<3 | typeBytes:
			ok = m.positive.spans.next().decode(b[:next], at)
		case 12<<3 | typeVarint, 12<<3 | typeBytes:
			ok = decodeDeltas(&m.positive.deltas, b[:next], at)
		case 13<<3 | typeFixed64, 13<<3 | typeBytes:
			ok = decodeFloats(&m.positive.counts, b[:next], at)
		case 16<<3 | typeFixed64, 16<<3 | typeBytes:
			ok = decodeFloats(&m.customValues, b[:next], at)
		default:
			ok = h.field(b, tag, at, schema)
		}
		if !ok {
			return false
		}
		i = next
	}
	h.Negative, h.Positive = m.negative.cut(), m.positive.cut()
	h.CustomValues = m.customValues.cut()
	return true
}

// field decodes a field that is not repeated.
func (h *Histogram) field(b []byte, tag uint32, at int, schema *message) bool {
	switch tag {
	case 1<<3 | typeVarint:
		h.Count = IntCount(readUint(b, at))
	case 2<<3 | typeFixed64:
		h.Count = Count{countFloat, readFixed64(b, at)}
	case 3<<3 | typeFixed64:
		h.Sum = readFloat(b, at)
	case 4<<3 | typeVarint:
		h.Schema = readSint32(b, at)
	case 5<<3 | typeFixed64:
		h.ZeroThreshold = readFloat(b, at)
	case 6<<3 | typeVarint:
		h.ZeroCount = IntCount(readUint(b, at))
	case 7<<3 | typeFixed64:
		h.ZeroCount = Count{countFloat, readFixed64(b, at)}
	case 14<<3 | typeVarint:
		h.ResetHint = ResetHint(readInt(b, at))
	case 15<<3 | typeVarint:
		h.Timestamp = readInt(b, at)
	case 17<<3 | typeVarint:
		if schema.has(tag) {
			h.StartTimestamp = readInt(b, at)
		}
	default:
		return !schema.has(tag)
	}
	return true
}

func (m *bucketMemory) cut() Buckets {
	return Buckets{m.spans.cut(), m.deltas.cut(), m.counts.cut()}
}

func (s *BucketSpan) decode(b []byte, i int) bool {
	*s = BucketSpan{}
	for i < len(b) {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		switch tag {
		case 1<<3 | typeVarint:
			s.Offset = readSint32(b, at)
		case 2<<3 | typeVarint:
			s.Length = uint32(readUint(b, at))
		default:
			if bucketSpan.has(tag) {
				return false
			}
		}
		i = next
	}
	return true
}

// decodeDeltas decodes the varints in b[i:], which contains packed varints or a single varint.
func decodeDeltas(to *slab[int64], b []byte, i int) bool {
	for i < len(b) {
		v, next := readVarint(b, i)
		if next < 0 {
			return false
		}
		*to.next() = zigzag(v)
		i = next
	}
	return true
}

// decodeFloats decodes the floats in b[i:], which contains packed floats or a single float.
func decodeFloats(to *slab[float64], b []byte, i int) bool {
	if (len(b)-i)%8 != 0 {
		return false
	}
	for ; i < len(b); i += 8 {
		*to.next() = readFloat(b, i)
	}
	return true
}

func sizeHistogram(h *Histogram, version Version) int {
	n := h.Count.size() + sizeFloat(h.Sum) + sizeUint(unzigzag(int64(h.Schema))) + sizeFloat(h.ZeroThreshold) + h.ZeroCount.size() +
		h.Negative.size() + h.Positive.size() + sizeUint(uint64(h.ResetHint)) + sizeUint(uint64(h.Timestamp))
	if len(h.CustomValues) > 0 {
		n += 1 + sizeField(8*len(h.CustomValues))
	}
	if version == V2 && h.StartTimestamp != 0 {
		n += 1 + sizeUint(uint64(h.StartTimestamp))
	}
	return n
}

func appendHistogram(b []byte, tag byte, h *Histogram, version Version) []byte {
	n := sizeHistogram(h, version)
	b = appendHeader(room(b, sizeField(n)), tag, n)
	b = h.Count.append(b, 1)
	b = appendFloat(b, 3<<3|typeFixed64, h.Sum)
	b = appendUint(b, 4<<3|typeVarint, unzigzag(int64(h.Schema)))
	b = appendFloat(b, 5<<3|typeFixed64, h.ZeroThreshold)
	b = h.ZeroCount.append(b, 6)
	b = h.Negative.append(b, 8)
	b = h.Positive.append(b, 11)
	b = appendUint(b, 14<<3|typeVarint, uint64(h.ResetHint))
	b = appendUint(b, 15<<3|typeVarint, uint64(h.Timestamp))
	// For field numbers of 16 or more, a tag takes two bytes.
	if len(h.CustomValues) > 0 {
		b = appendFloats(append(b, 0x80|16<<3&0x7f|typeBytes), 16>>4, h.CustomValues)
	}
	if version == V2 && h.StartTimestamp != 0 {
		b = appendUint(append(b, 0x80|17<<3&0x7f|typeVarint), 17>>4, uint64(h.StartTimestamp))
	}
	return b
}

// size returns the encoded size of c as a field. A count of 0 is not omitted.
func (c Count) size() int {
	switch c.kind {
	case countInt:
		return 1 + sizeVarint(c.bits)
	case countFloat:
		return 9
	}
	return 0
}

// append appends c to b as a field. If c is an integer, the field has the given number. If c is a
// float, it has the next number.
func (c Count) append(b []byte, number byte) []byte {
	switch c.kind {
	case countInt:
		return binary.AppendUvarint(append(b, number<<3|typeVarint), c.bits)
	case countFloat:
		return binary.LittleEndian.AppendUint64(append(b, (number+1)<<3|typeFixed64), c.bits)
	}
	return b
}

func (k *Buckets) size() (n int) {
	for i := range k.Spans {
		n += sizeField(k.Spans[i].size())
	}
	return n + sizePacked(sizeDeltas(k.Deltas)) + sizePacked(8*len(k.Counts))
}

// append appends k to b as three kinds of fields: spans, deltas and counts. The spans have the
// given field number, and the others have the next numbers.
func (k *Buckets) append(b []byte, number byte) []byte {
	for i := range k.Spans {
		s := &k.Spans[i]
		b = append(b, number<<3|typeBytes, byte(s.size()))
		b = appendUint(b, 1<<3|typeVarint, unzigzag(int64(s.Offset)))
		b = appendUint(b, 2<<3|typeVarint, uint64(s.Length))
	}
	if len(k.Deltas) > 0 {
		b = appendHeader(b, (number+1)<<3|typeBytes, sizeDeltas(k.Deltas))
		for _, v := range k.Deltas {
			b = binary.AppendUvarint(b, unzigzag(v))
		}
	}
	if len(k.Counts) > 0 {
		b = appendFloats(b, (number+2)<<3|typeBytes, k.Counts)
	}
	return b
}

func (s *BucketSpan) size() int {
	return sizeUint(unzigzag(int64(s.Offset))) + sizeUint(uint64(s.Length))
}

func sizeDeltas(deltas []int64) (n int) {
	for _, v := range deltas {
		n += sizeVarint(unzigzag(v))
	}
	return n
}

func appendFloats(b []byte, tag byte, floats []float64) []byte {
	b = appendHeader(b, tag, 8*len(floats))
	for _, f := range floats {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(f))
	}
	return b
}
