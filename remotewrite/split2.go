package remotewrite

// This file splits requests of version 2. Each part has its own symbols. They are numbered in the
// order in which the series of the part first refer to them. So references to symbols must be
// rewritten: the labels of series and exemplars, the help and the unit. The rest of a series is
// copied unchanged.

import (
	"encoding/binary"
	"slices"

	"github.com/slipstream-go/slipstream/internal/buffer"
)

// rewriter renumbers symbols for one part after the other. A number is valid only if its epoch is
// the current epoch. So the cost of a part depends only on the number of its references, not on the
// number of symbols in the body.
type rewriter struct {
	numbers []number // indexed by symbol of the body
	epoch   uint32   // epoch of the current part; never 0
	next    uint32   // the number of the next symbol

	out    []byte // the output, up to the end of the part's symbols
	series []byte // the rewritten series of the part

	counts  bool // symbols are counted, not appended
	counted int  // size of the counted symbols

	most int // maximum size of the series of earlier parts
	peak buffer.Peak
}

type number struct{ epoch, to uint32 }

// part2 is like part, but for a key that is a symbol. It reads the key only once, even if many
// series refer to it. This is important because in a body of a few megabytes, a symbol of half the
// body's size may be the key of a hundred thousand series.
func (p *Splitter) part2(key []byte, symbol uint32) *Part {
	if len(p.decided) == 0 {
		n := len(p.scanner.symbols)
		p.decided = slices.Grow(p.decided, n)[:n]
		clear(p.decided)
	}
	if n := p.decided[symbol]; n > 0 {
		return &p.parts[n-1]
	}
	part := p.part(key)
	if part != nil {
		p.decided[symbol] = p.table[part.slot]
	}
	return part
}

// add2 adds the series v to a part.
func (p *Splitter) add2(part *Part, v *SeriesView, decider int) {
	if v.metadata > 0 {
		part.Metadata++
	}
	if !p.by.Remove {
		decider = 0
	}
	p.add(part, piece{from: uint32(v.from), to: uint32(len(v.body)), mark: uint32(decider), plain: v.plain})
}

// append2 implements Append for version 2.
func (part *Part) append2(dst []byte) []byte {
	r := &part.splitter.symbols
	r.out = append(dst, tagSymbol, 0)
	part.rewrite()
	dst = append(r.out, r.series...)
	r.out = nil // the caller owns it
	return dst
}

// appendSize2 implements AppendSize for version 2.
func (part *Part) appendSize2() int {
	r := &part.splitter.symbols
	r.counts, r.counted = true, sizeField(0)
	part.rewrite()
	r.counts = false
	return r.counted + len(r.series)
}

// rewrite writes the series of a part to the rewriter, with references to the part's own symbols.
// It appends these symbols to out, or only adds up their size.
func (part *Part) rewrite() {
	p := part.splitter
	p.symbols.begin(len(p.scanner.symbols))
	for i := part.first; i != 0; i = p.pieces[i].next {
		piece := &p.pieces[i]
		b := p.scanner.body[:piece.to]
		for i := int(piece.from); i < len(b); {
			_, at, next := readField(b, i)
			p.series2(b[:next], at, piece)
			i = next
		}
	}
}

// forget releases memory that recent requests did not need. It releases numbers together with
// symbols, because both have the same length.
func (r *rewriter) forget(symbols []symbol) {
	if symbols == nil {
		r.numbers = nil
	}
	if r.peak.TooLarge(max(r.most, len(r.series)), cap(r.series), keepRoom) {
		r.series = nil
	}
	r.most, r.series = 0, r.series[:0]
}

// begin prepares r for a part of a request that contains the given number of symbols.
func (r *rewriter) begin(symbols int) {
	if symbols > len(r.numbers) {
		r.numbers = slices.Grow(r.numbers[:0], symbols)[:symbols]
		clear(r.numbers)
		r.epoch = 0
	}
	if r.epoch++; r.epoch == 0 {
		clear(r.numbers)
		r.epoch = 1
	}
	r.most = max(r.most, len(r.series))
	r.next, r.series = 1, r.series[:0]
}

// number returns the number of a symbol in the part. The method is small, so that the compiler
// inlines it.
func (p *Splitter) number(ref uint32) uint32 {
	if n := p.symbols.numbers[ref]; n.epoch == p.symbols.epoch {
		return n.to
	}
	return p.renumber(ref)
}

// renumber assigns a number in the part to a symbol, and appends the symbol to the part's symbols.
// The empty symbol has the number 0.
func (p *Splitter) renumber(ref uint32) uint32 {
	r := &p.symbols
	n := &r.numbers[ref]
	*n = number{epoch: r.epoch}
	if s := p.scanner.symbol(uint64(ref)); len(s) > 0 {
		n.to = r.next
		r.next++
		if r.counts {
			r.counted += sizeField(len(s))
		} else {
			r.out = append(appendHeader(r.out, tagSymbol, len(s)), s...)
		}
	}
	return n.to
}

// series2 appends the series whose message is b[i:]. The series is in the given piece.
func (p *Splitter) series2(b []byte, i int, piece *piece) {
	r := &p.symbols
	from := len(r.series)
	at := r.open(len(b) - i)
	if piece.plain {
		i = p.plainLabels2(b, i, int(piece.mark))
	} else {
		p.labels2(b, i, int(piece.mark), p.by.Remove)
	}
	copied := i
	for i < len(b) {
		tag, value, next := readField(b, i)
		switch tag {
		case tagRefs, tagRef:
			r.series = append(r.series, b[copied:i]...)
			copied = next
		case tagExemplar2:
			r.series = append(r.series, b[copied:i]...)
			p.exemplar2(b[:next], value)
			copied = next
		case tagMetadata2:
			if value < next {
				r.series = append(r.series, b[copied:i]...)
				p.metadata2(b[:next], value)
				copied = next
			}
		}
		i = next
	}
	r.series = append(r.series, b[copied:]...)
	r.close(from, at, tagSeries2)
}

// removes reports whether a label must be removed if Remove is set. This is true for the deciding
// label, and for empty labels whose names are in Labels.
func (p *Splitter) removes(name, value uint32, decider int) bool {
	find, y := p.scanner.symbols[name].find, &p.scanner.symbols[value]
	return find != 0 && (int(find) == decider || y.at == y.end)
}

// plainLabels2 appends the label references of the series whose message is b[i:]. The references
// must be at the beginning of the message, in the form that plainRefs accepts. plainLabels2 returns
// the offset after them.
func (p *Splitter) plainLabels2(b []byte, i, decider int) (next int) {
	i, next = i+2, i+2+int(b[i+1])
	r := &p.symbols
	from := len(r.series)
	at := r.open(1) // the references are few and small
	out, refs, remove := r.series, b[:next], p.by.Remove
	for i < len(refs) {
		var name, value uint
		name, i = shortRef(refs, i)
		value, i = shortRef(refs, i)
		if !remove || !p.removes(uint32(name), uint32(value), decider) {
			out = appendRef(out, p.number(uint32(name)))
			out = appendRef(out, p.number(uint32(value)))
		}
	}
	r.series = out
	r.closeLabels(from, at)
	return next
}

// appendRef appends a reference. The function is small, so that the compiler inlines it.
func appendRef(b []byte, ref uint32) []byte {
	if ref < 0x80 {
		return append(b, byte(ref))
	}
	if ref < 1<<14 {
		return append(b, byte(ref)|0x80, byte(ref>>7))
	}
	return binary.AppendUvarint(b, uint64(ref))
}

// labels2 appends the label references of the message b[i:] as one packed field. The references may
// be anywhere in the message.
func (p *Splitter) labels2(b []byte, i, decider int, remove bool) {
	r := &p.symbols
	from := len(r.series)
	at := r.open(1)
	pairs(b, i, func(name, value uint32) bool {
		if !remove || !p.removes(name, value, decider) {
			r.series = appendRef(r.series, p.number(name))
			r.series = appendRef(r.series, p.number(value))
		}
		return true
	})
	r.closeLabels(from, at)
}

// closeLabels is like the method `close`, but for a field of label references. If there are no
// references, it removes the field.
func (r *rewriter) closeLabels(from, at int) {
	if len(r.series) == at {
		r.series = r.series[:from]
		return
	}
	r.close(from, at, tagRefs)
}

// exemplar2 appends the exemplar whose message is b[i:].
func (p *Splitter) exemplar2(b []byte, i int) {
	r := &p.symbols
	from := len(r.series)
	at := r.open(len(b) - i)
	p.labels2(b, i, 0, false)
	for i < len(b) {
		tag, _, next := readField(b, i)
		if tag != tagRefs && tag != tagRef {
			r.series = append(r.series, b[i:next]...)
		}
		i = next
	}
	r.close(from, at, tagExemplar2)
}

// metadata2 appends the metadata whose message is b[i:].
func (p *Splitter) metadata2(b []byte, i int) {
	r := &p.symbols
	from := len(r.series)
	at := r.open(len(b) - i)
	for i < len(b) {
		tag, value, next := readField(b, i)
		if tag == tagHelp || tag == tagUnit {
			ref, _ := readVarint(b, value)
			if uint32(ref) != 0 { // 0 is the empty string, even if there are no symbols
				ref = uint64(p.number(uint32(ref)))
			}
			r.series = appendRef(append(r.series, byte(tag)), uint32(ref))
		} else {
			r.series = append(r.series, b[i:next]...)
		}
		i = next
	}
	r.close(from, at, tagMetadata2)
}

// open reserves space for the header of a field with about n bytes. The method `close` writes the
// header later. The result `at` is the offset at which the bytes of the field begin.
func (r *rewriter) open(n int) (at int) {
	var room [1 + maxVarint]byte
	r.series = append(r.series, room[:1+sizeVarint(uint64(n))]...)
	return len(r.series)
}

// close writes the header of the field series[at:] to the space that the method `open` has reserved
// at the offset `from`. Nearly always, the header fits into this space. Otherwise, close moves the
// bytes of the field.
func (r *rewriter) close(from, at int, tag byte) {
	n := len(r.series) - at
	if head := from + 1 + sizeVarint(uint64(n)); head != at {
		var room [maxVarint]byte
		r.series = append(r.series, room[:]...)
		copy(r.series[head:], r.series[at:at+n])
		r.series = r.series[:head+n]
	}
	r.series[from] = tag
	binary.PutUvarint(r.series[from+1:], uint64(n))
}
