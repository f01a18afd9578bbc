package remotewrite

// This file splits a request by a label. Each part is a valid request. Nothing is decoded: series
// are copied unchanged or, if the caller requests it, without the label. This file contains the
// code that both versions share, and the code that copies parts of version 1. The code that copies
// parts of version 2, which contain symbols, is in split2.go.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/maphash"
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// The type By contains the rules of [Splitter.Split]. The value of a label determines the part to
// which a series belongs. After Split has returned, it keeps neither the slice Labels nor the
// function Accept.
type By struct {
	// Labels contains label names in the order of precedence. For each series, the first of these
	// labels that the series contains is the deciding label. Its position in the series does not
	// matter. A label with an empty value counts as missing.
	Labels []string
	// Remove removes the deciding label from the series. It also removes each label in Labels whose
	// value in the series is empty.
	Remove bool
	// MaxParts, MaxSeries and MaxSymbols are the maximum numbers of parts, series and (in version
	// 2) symbols; 0 means no limit. They limit the memory that is needed in addition to the body
	// (see the package comment).
	MaxParts, MaxSeries, MaxSymbols int
	// Sound rejects series that no store accepts: series without a metric name, and series with a
	// native histogram for which [HistogramView.Check] returns an error.
	Sound bool
	// Default is used as the deciding value for series without any of the labels. If it is empty,
	// these series are a separate part (see [Part.Missing]).
	Default string
	// Accept, if not nil, is called for each series that has not been rejected, in the order of the
	// body. The argument `key` is the key of the series' part. If Accept returns an error, the
	// series is rejected with this error as the cause (see [Splitter.Rejected]). If it returns
	// [ErrLeftOut], the series is omitted without being rejected. The view s is valid during the
	// call, and s.Found(i) returns the value of the label Labels[i]. The key is valid as long as
	// the parts. Accept must not use the Splitter.
	Accept func(key []byte, s *SeriesView) error
}

var (
	// ErrParts, ErrSeries and ErrSymbols are returned by Split if the number of parts, series or
	// symbols exceeds MaxParts, MaxSeries or MaxSymbols.
	ErrParts   = errors.New("remotewrite: too many parts")
	ErrSeries  = errors.New("remotewrite: too many series")
	ErrSymbols = errors.New("remotewrite: too many symbols")
	// ErrDuplicate is the cause of a rejection if a series contains one of the labels more than
	// once.
	ErrDuplicate = errors.New("remotewrite: a label is repeated")
	// ErrNoLabels is the cause of a rejection if no label of a series remains after removal.
	ErrNoLabels = errors.New("remotewrite: no label remains after removal")
	// ErrNoName is the cause of a rejection if a series has no label __name__, or if this label is
	// empty.
	ErrNoName = errors.New("remotewrite: no label __name__, or an empty one")
	// ErrLeftOut is returned by Accept to omit a series from all parts without rejecting it.
	ErrLeftOut = errors.New("remotewrite: left out")
)

// Splitter splits requests by a label. The zero value is ready to use. A reused Splitter allocates
// only if a request contains more series or parts than recent requests. It releases memory that
// recent requests did not need. A Splitter is not safe for concurrent use, and must not be copied
// after its first use.
//
// All results are valid until the next call of Split, but only while the body does not change.
type Splitter struct {
	scanner  Scanner  // searches for the labels
	by       By       // only Remove, MaxParts and MaxSeries; other fields of the caller's By are not kept
	missing  []byte   // the key of series without any of the labels: Default
	names    []string // labels that the scanner searches for: Labels, and perhaps nameLabel
	named    int      // index of nameLabel in names, or -1 if names does not contain it
	deciders int      // number of names that are from Labels

	parts  []Part
	pieces []piece
	seed   maphash.Seed
	table  []int32     // a hash table of parts: 1 + the index of a part, or 0; its size is a power of two, and at most half of it is used
	recent [256]uint16 // for each value of recentSlot, the index of the last part that was found for such a key; it may be of an earlier request
	cuts   []cut       // cuts in the current series

	partsPeak, piecesPeak, decidedPeak buffer.Peak

	changed  bool // a piece of the body is in no part
	rejected int
	reasons  []Rejection

	symbols rewriter // used in version 2
	decided []int32  // in version 2, for each symbol: 1 + the index of the part with this key, or 0
}

// A Rejection contains the reason why a series was rejected.
type Rejection struct {
	Series int // index of the series in the request
	Cause  error
}

// maxReasons is the maximum number of rejections that are reported one by one.
const maxReasons = 8

// Part contains all series with the same value of the label.
type Part struct {
	splitter *Splitter
	key      []byte
	hash     uint64
	slot     int // index in the table

	first, last uint32 // indexes of the part's first and last piece; 0 means none
	size        int    // number of bytes in the part's pieces

	Series, Samples, Exemplars, Histograms int
	Metadata                               int // number of series with metadata (version 2)
}

// piece is a range of the body that is copied to a part. It contains adjacent series, or a part of
// a series before or after a removed label. The type is small, because a body with alternating
// tenants needs a piece for each series.
type piece struct {
	from, to uint32
	next     uint32 // the next piece of the same part; 0 means none
	// In version 1, if a label is removed from the message that begins here, mark is the length of
	// the remaining message. In version 2, if the deciding label is removed, mark is the number of
	// this label, counted from 1. In all other cases, mark is 0.
	mark  uint32
	plain bool // in version 2: plainRefs has read all references
}

// cut is the range of a field that is removed.
type cut struct{ from, to int }

// Split splits body, which must be shorter than 4 GB. On error, there are no parts. The error is an
// *[Error], [ErrParts], [ErrSeries] or [ErrSymbols].
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

// begin removes all data of the previous request from p, and prepares p for body.
func (p *Splitter) begin(body []byte, version Version) {
	p.forget()
	if p.table == nil {
		p.seed, p.table = maphash.MakeSeed(), make([]int32, 64)
	}
	p.pieces = append(emptied(p.pieces, &p.piecesPeak), piece{}) // so that index 0 means none
	p.decided = emptied(p.decided, &p.decidedPeak)
	p.changed, p.rejected = false, 0
	clear(p.reasons)
	p.reasons = p.reasons[:0]
	p.scanner.Reset(body, version)
	p.symbols.forget(p.scanner.symbols)
}

// forget removes the parts.
func (p *Splitter) forget() {
	for i := range p.parts {
		p.table[p.parts[i].slot] = 0
	}
	clear(p.parts) // their keys are views of the body
	if p.partsPeak.TooLarge(len(p.parts), len(p.table)/2, keepRoom) {
		p.parts, p.table = nil, nil
	}
	if invariants {
		p.parts = nil // so that a part that a caller still holds contains no Splitter
	}
	p.parts = p.parts[:0]
}

// collect adds each series to its part.
func (p *Splitter) collect(accept func([]byte, *SeriesView) error) error {
	n := -1
	for v := range p.scanner.Series {
		if n++; n == p.by.MaxSeries && n > 0 {
			return ErrSeries
		}
		key, decider, err := p.keyOf(v)
		if err == nil && p.named >= 0 && len(key) > 0 { // without a key, nobody receives the part
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

// keyOf returns the value of the deciding label, and the number of this label, counted from 1. If
// there is no deciding label, it returns Default and 0. In version 1, it sets p.cuts to the fields
// that must be removed, in order.
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

// nameLabel is the label that contains the name of a metric.
const nameLabel = "__name__"

// sound returns an error if no store accepts the series.
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

// cut adds a cut to p.cuts, which is sorted by offset.
func (p *Splitter) cut(from, to int) {
	p.cuts = append(p.cuts, cut{from, to})
	for i := len(p.cuts) - 1; i > 0 && p.cuts[i-1].from > from; i-- {
		p.cuts[i-1], p.cuts[i] = p.cuts[i], p.cuts[i-1]
	}
}

// reject records that series n is rejected.
func (p *Splitter) reject(n int, cause error) {
	p.changed = true
	p.rejected++
	if len(p.reasons) < maxReasons {
		p.reasons = append(p.reasons, Rejection{n, cause})
	}
}

// part returns the part with this key, and creates it if necessary. If a new part would exceed
// MaxParts, it returns nil.
func (p *Splitter) part(key []byte) *Part {
	recent := &p.recent[recentSlot(key)]
	if i := int(*recent); i < len(p.parts) && bytes.Equal(p.parts[i].key, key) {
		return &p.parts[i]
	}
	h := maphash.Bytes(p.seed, key)
	mask := uint64(len(p.table) - 1)
	slot := h & mask
	for p.table[slot] != 0 {
		if part := &p.parts[p.table[slot]-1]; part.hash == h && bytes.Equal(part.key, key) {
			*recent = uint16(p.table[slot] - 1)
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

// recentSlot returns a number that depends on the length of a key and on some of its bytes: at the
// beginning, in the middle and at the end. It is much faster than a hash of all bytes. A hostile
// body can contain only keys with the same number. Then recent names the part of another key, and
// the table of hashes is searched.
func recentSlot(key []byte) byte {
	n := len(key)
	if n < 4 {
		if n == 0 {
			return 0
		}
		return byte(n) + key[0] + 5*key[n/2] + 17*key[n-1]
	}
	sum := mem.Load32(key, 0) + 5*mem.Load32(key, n/2-2) + 17*mem.Load32(key, n-4) + uint32(n)
	return byte(sum * 0x9e3779b1 >> 24)
}

// widen doubles the size of the table.
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

// add appends a piece to the pieces of a part. If the last piece of the part ends where the new
// piece begins, add extends the last piece instead.
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

// addCut adds the series v to a part, without the fields in p.cuts. Two cuts may be adjacent.
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

// Whole reports whether the body is identical to the request of a single part. This is the case if
// all series belong to one part, nothing has been removed, and the body contains only these series.
func (p *Splitter) Whole() bool { return p.WholeWithMetadata() && !p.scanner.metadata }

// WholeWithMetadata is like Whole, but ignores metadata of version 1. Use it if the part should
// include this metadata.
func (p *Splitter) WholeWithMetadata() bool { return len(p.parts) == 1 && !p.changed }

// Rejected returns the number of rejected series, and the first few rejections with their causes.
func (p *Splitter) Rejected() (n int, first []Rejection) { return p.rejected, p.reasons }

// MetadataRaw yields the metadata of a request of version 1. This metadata belongs to no series, so
// no part contains it. Each entry is an encoded field that can be appended to any part. In version
// 2, MetadataRaw yields no entries, because metadata belongs to series.
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

// Key returns the value of the deciding label, as a view of the body. If the series have no
// deciding label, it returns the field Default of [By]. The caller must not change the result.
func (part *Part) Key() []byte { return part.key }

// Missing reports whether the part contains the series that have none of the labels. If [By] has a
// Default, Missing returns false.
func (part *Part) Missing() bool { return len(part.key) == 0 }

// Size returns the number of bytes that Append appends in version 1. In version 2, Append also
// appends symbols (see [Part.AppendSize]).
func (part *Part) Size() int { return part.size }

// AppendSize returns the number of bytes that Append appends, in both versions. In version 2, each
// part can be as large as the body, because every part whose series refer to a symbol contains this
// symbol. So add up the sizes before you append the parts of an untrusted body. AppendSize takes
// about as long as Append would take without copying symbols.
func (part *Part) AppendSize() int {
	if part.splitter.scanner.version == V2 {
		return part.appendSize2()
	}
	return part.size
}

// Append appends the part as a request of the same version as the body. In version 1, requests can
// be concatenated. In version 2, they cannot be concatenated, because references would refer to
// wrong symbols.
//
// In version 2, each part contains the symbols to which it refers, so the total size of the parts
// can be much larger than the body. For example, a body of 1.1 MB in which 4000 tenants refer to
// the same long symbols produces 3.8 GB of parts. Append one part at a time, and call
// [Part.AppendSize] first.
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
