package remotewrite

// Level 2: a request is taken apart by a label, and each part is a request again. Nothing is
// decoded: series are copied as they came, without the label if that is wanted. What is common to
// both versions and the copying of version 1 are here, that of version 2, which has symbols, is in
// split2.go.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/internal/buffer"
)

// By determines the part of a series by the value of a label. Split keeps neither the slice nor the
// function.
type By struct {
	// Labels are label names in the order of precedence. The first of them that a series has,
	// wherever it is in the series, decides. A label with an empty value counts as missing.
	Labels []string
	// Remove removes the deciding label from the series, and labels of the list with an empty
	// value.
	Remove bool
	// MaxParts, MaxSeries and MaxSymbols are the maximum numbers of parts, series and (in version
	// 2) symbols; 0 means no limit. They limit the memory in addition to the body: see the package
	// comment.
	MaxParts, MaxSeries, MaxSymbols int
	// Sound rejects series that no store accepts: those without a name, or with a native histogram
	// for which [HistogramView.Check] returns an error.
	Sound bool
	// Default is the value for series without any of the labels. If it is empty, they are a part of
	// their own: see [Part.Missing].
	Default string
	// Accept, if not nil, is called for each series that has not been rejected, in the order of the
	// body, with the key of its part. If it returns an error, the series is rejected with that
	// cause (see [Splitter.Rejected]), except for [ErrLeftOut], which omits the series without
	// counting it. The view is valid during the call, and its Found refers to Labels; the key is
	// valid as long as the parts. Accept must not use the Splitter.
	Accept func(key []byte, s *SeriesView) error
}

var (
	// ErrParts, ErrSeries and ErrSymbols are returned by Split if there are more than MaxParts,
	// MaxSeries or MaxSymbols.
	ErrParts   = errors.New("remotewrite: too many parts")
	ErrSeries  = errors.New("remotewrite: too many series")
	ErrSymbols = errors.New("remotewrite: too many symbols")
	// ErrDuplicate: a series has one of the labels more than once.
	ErrDuplicate = errors.New("remotewrite: a label is repeated")
	// ErrNoLabels: no label of a series remains after removal.
	ErrNoLabels = errors.New("remotewrite: no label remains after removal")
	// ErrNoName: a series has no label __name__, or an empty one.
	ErrNoName = errors.New("remotewrite: no label __name__, or an empty one")
	// ErrLeftOut is returned by Accept to omit a series from all parts without rejecting it.
	ErrLeftOut = errors.New("remotewrite: left out")
)

// Splitter splits requests by a label. The zero value is ready to use. A Splitter that is reused
// allocates only if a request has more series or parts than recent ones; memory that recent
// requests did not need is released. It is not safe for concurrent use, and must not be copied
// after its first use.
//
// All results are valid until the next Split, and as long as the body does not change.
type Splitter struct {
	scanner  Scanner  // which finds the labels
	by       By       // Remove, MaxParts and MaxSeries; what else a call gives stays the caller's
	missing  []byte   // the key of series that have none of the labels: Default
	names    []string // what the scanner looks for: Labels, and perhaps nameLabel
	named    int      // where that is among them, -1 if it is not looked for
	deciders int      // how many of them are Labels

	parts  []Part
	pieces []piece
	seed   maphash.Seed
	table  []int32 // a power of two of slots, at most half of them taken: 1 + the number of a part, where its hash says
	cuts   []cut   // of the current series

	partsPeak, piecesPeak, decidedPeak buffer.Peak

	changed  bool // something of the body is in no part
	rejected int
	reasons  []Rejection

	symbols rewriter // of version 2
	decided []int32  // in version 2, by symbol: 1 + the number of the part whose series it decides of, or 0
}

// A Rejection has the reason why a series is in no part.
type Rejection struct {
	Series int // its number in the request
	Cause  error
}

// maxReasons is how many rejections are told one by one.
const maxReasons = 8

// Part contains the series with one value of the label.
type Part struct {
	splitter *Splitter
	key      []byte
	hash     uint64
	slot     int // in the table

	first, last uint32 // of its pieces; 0 is none
	size        int    // of what they copy

	Series, Samples, Exemplars, Histograms int
	Metadata                               int // series that have some (version 2)
}

// piece is bytes of the body that are copied to a part: as many series as stand side by side, or a
// piece of one that is cut. It is small, because where tenants alternate there is one for each
// series.
type piece struct {
	from, to uint32
	next     uint32 // of the same part; 0 is none
	// In version 1, the length of the message that begins here, if a label was cut out of it; in
	// version 2, which label decided, counted from 1, if it is to be removed. Else 0.
	mark  uint32
	plain bool // in version 2, that plainRefs has taken all references
}

// cut is a field that is removed.
type cut struct{ from, to int }

// Split splits body, which must be shorter than 4 GB. After an error, an *[Error], [ErrParts],
// [ErrSeries] or [ErrSymbols], there are no parts.
func (p *Splitter) Split(body []byte, version Version, by By) error {
	if uint64(len(body)) > math.MaxUint32 {
		p.begin(nil, version)
		return &Error{Cause: errLong}
	}
	p.begin(body, version)
	p.names, p.named = append(p.names[:0], by.Labels...), -1
	if by.Sound {
		if p.named = slices.Index(by.Labels, nameLabel); p.named < 0 {
			p.names, p.named = append(p.names, nameLabel), len(by.Labels)
		}
	}
	p.deciders = len(by.Labels)
	if !slices.Equal(p.scanner.names, p.names) {
		p.scanner.Find(p.names...)
	}
	p.by = By{Remove: by.Remove, MaxParts: by.MaxParts, MaxSeries: by.MaxSeries}
	p.scanner.maxSymbols = by.MaxSymbols
	p.missing = append(p.missing[:0], by.Default...)
	err := p.collect(by.Accept)
	if err != nil {
		p.forget()
	}
	return err
}

// Reset removes all references to the body. Call it before p is put into a pool.
func (p *Splitter) Reset() { p.begin(nil, 0) }

// begin forgets the last request, and makes p ready for body.
func (p *Splitter) begin(body []byte, version Version) {
	p.forget()
	if p.table == nil {
		p.seed, p.table = maphash.MakeSeed(), make([]int32, 64)
	}
	p.pieces = append(emptied(p.pieces, &p.piecesPeak), piece{}) // so that 0 is none
	p.decided = emptied(p.decided, &p.decidedPeak)
	p.changed, p.rejected = false, 0
	clear(p.reasons)
	p.reasons = p.reasons[:0]
	p.scanner.Reset(body, version)
	p.symbols.forget(p.scanner.symbols)
}

// forget lets the parts go.
func (p *Splitter) forget() {
	for i := range p.parts {
		p.table[p.parts[i].slot] = 0
	}
	clear(p.parts) // their keys are views of the body
	if p.partsPeak.TooLarge(len(p.parts), len(p.table)/2, keepRoom) {
		p.parts, p.table = nil, nil
	}
	if invariants {
		p.parts = nil // so that one that is still held has no Splitter in it
	}
	p.parts = p.parts[:0]
}

// collect gives every series to its part.
func (p *Splitter) collect(accept func([]byte, *SeriesView) error) error {
	n := -1
	for v := range p.scanner.Series {
		if n++; n == p.by.MaxSeries && n > 0 {
			return ErrSeries
		}
		key, decider, err := p.keyOf(v)
		if err == nil && p.named >= 0 && len(key) > 0 { // else nobody gets the part
			err = p.sound(v)
		}
		if err == nil && accept != nil {
			err = accept(key, v)
		}
		if err == ErrLeftOut {
			p.changed = true
			continue
		}
		if err != nil {
			p.reject(n, err)
			continue
		}
		var part *Part
		if p.scanner.version == V2 && decider > 0 {
			part = p.part2(key, v.found[decider-1].ref)
		} else {
			part = p.part(key)
		}
		if part == nil {
			return ErrParts
		}
		part.Series++
		part.Samples += v.samples
		part.Exemplars += v.exemplars
		part.Histograms += v.histograms
		switch {
		case p.scanner.version == V2:
			p.add2(part, v, decider)
		case len(p.cuts) > 0:
			p.addCut(part, v)
		default:
			p.add(part, piece{from: uint32(v.from), to: uint32(len(v.body))})
		}
	}
	if p.scanner.unknown {
		p.changed = true
	}
	return p.scanner.Err()
}

// keyOf is the value that decides, and which label has it, counted from 1; Default and 0 if there
// is none. In cuts it leaves what is to be removed, in order.
func (p *Splitter) keyOf(v *SeriesView) (key []byte, decider int, err error) {
	p.cuts, key = p.cuts[:0], slices.Clip(p.missing)
	removed := 0
	for i := range v.found[:p.deciders] {
		f := &v.found[i]
		if f.n == 0 {
			continue
		}
		if f.n > 1 {
			return nil, 0, ErrDuplicate
		}
		if decider == 0 && f.end > f.value {
			key, decider = view(p.scanner.body, f.value, f.end), i+1
		} else if f.end > f.value {
			continue
		}
		if p.by.Remove {
			removed++
			if p.scanner.version == V1 {
				p.cut(f.from, f.to)
			}
		}
	}
	if removed > 0 {
		p.changed = true
		if removed == v.labels {
			return nil, 0, ErrNoLabels
		}
	}
	return key, decider, nil
}

// nameLabel is the label that holds the name of a metric.
const nameLabel = "__name__"

// sound returns why no store takes a series, or nil.
func (p *Splitter) sound(v *SeriesView) error {
	switch f := &v.found[p.named]; {
	case f.n == 0 || f.end == f.value:
		return ErrNoName
	case f.n > 1:
		return ErrDuplicate
	}
	if v.histograms == 0 {
		return nil
	}
	for h := range v.Histograms {
		if err := h.Check(); err != nil {
			return err
		}
	}
	return nil
}

// cut adds one to the cuts, which are in the order of the bytes.
func (p *Splitter) cut(from, to int) {
	p.cuts = append(p.cuts, cut{from, to})
	for i := len(p.cuts) - 1; i > 0 && p.cuts[i-1].from > from; i-- {
		p.cuts[i-1], p.cuts[i] = p.cuts[i], p.cuts[i-1]
	}
}

// reject notes that series n is in no part.
func (p *Splitter) reject(n int, cause error) {
	p.changed = true
	p.rejected++
	if len(p.reasons) < maxReasons {
		p.reasons = append(p.reasons, Rejection{n, cause})
	}
}

// part is the part of a key; nil if that would be one too many.
func (p *Splitter) part(key []byte) *Part {
	h := maphash.Bytes(p.seed, key)
	mask := uint64(len(p.table) - 1)
	slot := h & mask
	for p.table[slot] != 0 {
		if part := &p.parts[p.table[slot]-1]; part.hash == h && bytes.Equal(part.key, key) {
			return part
		}
		slot = (slot + 1) & mask
	}
	if p.by.MaxParts > 0 && len(p.parts) == p.by.MaxParts {
		return nil
	}
	p.parts = append(p.parts, Part{splitter: p, key: key, hash: h, slot: int(slot)})
	p.table[slot] = int32(len(p.parts))
	if len(p.parts)*2 > len(p.table) {
		p.widen()
	}
	return &p.parts[len(p.parts)-1]
}

// widen doubles the table.
func (p *Splitter) widen() {
	p.table = make([]int32, 2*len(p.table))
	mask := uint64(len(p.table) - 1)
	for i := range p.parts {
		slot := p.parts[i].hash & mask
		for p.table[slot] != 0 {
			slot = (slot + 1) & mask
		}
		p.table[slot], p.parts[i].slot = int32(i+1), int(slot)
	}
}

// add puts a piece after the others of its part; it becomes more of the last, if that ends where it
// begins.
func (p *Splitter) add(part *Part, next piece) {
	part.size += int(next.to - next.from)
	if last := &p.pieces[part.last]; part.last != 0 && last.to == next.from && last.mark == next.mark && last.plain == next.plain {
		last.to = next.to
		return
	}
	n := uint32(len(p.pieces))
	p.pieces = append(p.pieces, next)
	if part.last == 0 {
		part.first = n
	} else {
		p.pieces[part.last].next = n
	}
	part.last = n
}

// addCut gives a part the series v without what is to be cut. The bytes between two cuts may be
// none.
func (p *Splitter) addCut(part *Part, v *SeriesView) {
	length := len(v.body) - v.at
	for _, c := range p.cuts {
		length -= c.to - c.from
	}
	part.size += 1 + sizeVarint(uint64(length))
	from, mark := v.at, length
	for _, c := range p.cuts {
		if mark != 0 || c.from > from {
			p.add(part, piece{from: uint32(from), to: uint32(c.from), mark: uint32(mark)})
			mark = 0
		}
		from = c.to
	}
	p.add(part, piece{from: uint32(from), to: uint32(len(v.body))})
}

// Parts yields the parts in the order of their first series in the body.
func (p *Splitter) Parts(yield func(*Part) bool) {
	for i := range p.parts {
		if !yield(&p.parts[i]) {
			return
		}
	}
}

// Len returns the number of parts.
func (p *Splitter) Len() int { return len(p.parts) }

// Whole reports whether the body is identical to the request of a single part: all series belong to
// it, nothing was removed, and the body has nothing else.
func (p *Splitter) Whole() bool { return p.WholeWithMetadata() && !p.scanner.metadata }

// WholeWithMetadata is like Whole, but ignores metadata of version 1, which the part may be meant
// to have.
func (p *Splitter) WholeWithMetadata() bool { return len(p.parts) == 1 && !p.changed }

// Rejected returns the number of series that were rejected, and the first few of them with their
// causes.
func (p *Splitter) Rejected() (n int, first []Rejection) { return p.rejected, p.reasons }

// MetadataRaw yields the metadata of a request of version 1, which belongs to no series and is in
// no part. Each entry is an encoded field that can be appended to any part. In version 2 it yields
// nothing, because metadata belongs to series.
func (p *Splitter) MetadataRaw(yield func([]byte) bool) {
	b := p.scanner.body
	if !p.scanner.metadata || p.scanner.err != nil {
		return
	}
	for i := 0; i < len(b); {
		tag, _, next := readField(b, i)
		if tag == tagMetadata1 && !yield(view(b, i, next)) {
			return
		}
		i = next
	}
}

// Key returns the value of the deciding label, a view of the body, or Default. It must not be
// changed.
func (part *Part) Key() []byte { return part.key }

// Missing reports whether the part has the series without any of the labels, if there is no
// Default.
func (part *Part) Missing() bool { return len(part.key) == 0 }

// Size returns the number of bytes that Append appends in version 1. In version 2, symbols are
// added: see [Part.AppendSize].
func (part *Part) Size() int { return part.size }

// AppendSize returns the number of bytes that Append appends, in both versions. In version 2 that
// can be the size of the body for each part, because a symbol is in every part whose series refer
// to it: to append parts of untrusted bodies, add up the sizes first. AppendSize takes about as
// long as Append without copying the symbols.
func (part *Part) AppendSize() int {
	if part.splitter.scanner.version == V2 {
		return part.appendSize2()
	}
	return part.size
}

// Append appends the part as a request of the same version as the body. In version 1, requests can
// be concatenated. In version 2 they cannot, because references would refer to wrong symbols.
//
// In version 2 each part has the symbols that it refers to, so the parts together can be much
// larger than the body: a body of 1.1 MB whose 4000 tenants refer to the same long symbols makes
// 3.8 GB. Append one part at a time, and call [Part.AppendSize] first.
func (part *Part) Append(dst []byte) []byte {
	p := part.splitter
	if p.scanner.version == V2 {
		return part.append2(dst)
	}
	dst = slices.Grow(dst, part.size)
	body := p.scanner.body
	for i := part.first; i != 0; i = p.pieces[i].next {
		piece := &p.pieces[i]
		if piece.mark > 0 {
			dst = binary.AppendUvarint(append(dst, tagSeries1), uint64(piece.mark))
		}
		dst = append(dst, body[piece.from:piece.to]...)
	}
	return dst
}
