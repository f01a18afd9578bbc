package remotewrite

// This file encodes requests of version 2. Symbols must precede the series, because some readers
// process fields in the order of the body. So all strings are first converted to references.

import (
	"encoding/binary"

	"github.com/slipstream-go/slipstream/internal/mem"
)

func append2(b []byte, r *Request) []byte {
	t := symbolTables.Get().(*symbolTable)
	refs := t.refer(r)
	for _, s := range t.symbols.block {
		b = append(appendHeader(b, tagSymbol, len(s)), s...)
	}
	for i := range r.Series {
		b, refs = appendSeries2(b, &r.Series[i], refs)
	}
	t.forget()
	symbolTables.Put(t)
	return b
}

// appendSeries2 appends s to b. The slice `refs` begins with the references of s. The result `rest`
// is the part of this slice after them.
func appendSeries2(b []byte, s *Series, refs []uint32) (longer []byte, rest []uint32) {
	help, unit, labels := refs[0], refs[1], refs[2:2+2*len(s.Labels)]
	refs = refs[2+2*len(s.Labels):]
	labelsSize, samples, others := sizeRefs(labels), sizeSamples(s.Samples, V2), 0
	for i := range s.Histograms {
		others += sizeField(sizeHistogram(&s.Histograms[i], V2))
	}
	rest = refs
	for i := range s.Exemplars {
		e := &s.Exemplars[i]
		n := 2 * len(e.Labels)
		others += sizeField(sizeExemplar(e, sizePacked(sizeRefs(rest[:n]))))
		rest = rest[n:]
	}
	metadata := sizeUint(uint64(s.Metadata.Type)) + sizeUint(uint64(help)) + sizeUint(uint64(unit))

	b = appendHeader(b, tagSeries2, sizePacked(labelsSize)+samples+others+sizeField(metadata))
	b = appendRefs(b, labels, labelsSize)
	b = appendSamples(b, s.Samples, samples, V2)
	for i := range s.Histograms {
		b = appendHistogram(b, tagHistogram2, &s.Histograms[i], V2)
	}
	for i := range s.Exemplars {
		e := &s.Exemplars[i]
		n := 2 * len(e.Labels)
		size := sizeRefs(refs[:n])
		b = appendHeader(b, tagExemplar2, sizeExemplar(e, sizePacked(size)))
		b = appendRefs(b, refs[:n], size)
		b = appendExemplar(b, e)
		refs = refs[n:]
	}
	b = appendHeader(b, tagMetadata2, metadata)
	b = appendUint(b, 1<<3|typeVarint, uint64(s.Metadata.Type))
	b = appendUint(b, tagHelp, uint64(help))
	return appendUint(b, tagUnit, uint64(unit)), rest
}

func sizeRefs(refs []uint32) (n int) {
	for _, ref := range refs {
		n++
		if ref >= 1<<7 {
			n += sizeVarint(uint64(ref >> 7))
		}
	}
	return n
}

// appendRefs appends references. The argument `size` is their encoded size.
func appendRefs(b []byte, refs []uint32, size int) []byte {
	if len(refs) == 0 {
		return b
	}
	b = appendHeader(room(b, sizePacked(size)), tagRefs, size)
	at := len(b)
	b = b[:at+size]
	for _, ref := range refs {
		switch {
		case ref < 1<<7:
			mem.Store8(b, at, byte(ref))
			at++
		case ref < 1<<14:
			mem.Store16(b, at, uint16(ref&0x7f|0x80|ref<<1&0x7f00))
			at += 2
		default:
			at += binary.PutUvarint(b[at:], uint64(ref))
		}
	}
	return b
}
