package remotewrite

import "github.com/slipstream-go/slipstream/internal/buffer"

// memory contains the values of a decoded Request: a slab for each kind of value.
type memory struct {
	series             slab[Series]
	labels             slab[Label]
	samples            slab[Sample]
	exemplars          slab[Exemplar]
	exemplarLabels     slab[Label] // separate, because exemplars may be between the labels of the series
	histograms         slab[Histogram]
	negative, positive bucketMemory
	customValues       slab[float64]
	metadata           slab[Metadata]
	symbols            slab[string]
	texts              buffer.Strings

	before   []Label // the plain labels at the beginning of the previous series
	beforeAt int     // their offset in the body
}

type bucketMemory struct {
	spans  slab[BucketSpan]
	deltas slab[int64]
	counts slab[float64]
}

// begin marks all memory as free.
func (m *memory) begin() {
	m.series.begin()
	m.labels.begin()
	m.samples.begin()
	m.exemplars.begin()
	m.exemplarLabels.begin()
	m.histograms.begin()
	m.negative.begin()
	m.positive.begin()
	m.customValues.begin()
	m.metadata.begin()
	m.symbols.begin()
	m.before = nil
}

func (m *bucketMemory) begin() {
	m.spans.begin()
	m.deltas.begin()
	m.counts.begin()
}

// end clears the values of earlier requests that are left after the values of this request. Values
// without pointers may remain.
func (m *memory) end() {
	m.series.end()
	m.labels.end()
	m.exemplars.end()
	m.exemplarLabels.end()
	m.histograms.end()
	m.metadata.end()
	m.symbols.end()
}

// keepRoom is the number of values for which memory is always kept. More memory is released if
// recent requests did not need it.
const keepRoom = 1 << 10

// emptied returns list as an empty list for the next request. If its memory is too large, it
// returns nil.
func emptied[T any](list []T, p *buffer.Peak) []T {
	if p.TooLarge(len(list), cap(list), keepRoom) {
		return nil
	}
	return list[:0]
}

// slab is memory for the values of one kind in all messages of a request. Each message gets a slice
// of it.
//
//	block   of earlier messages      | of the current message | free, except values of an earlier request
//	        0                        from                      len          left                        cap
//
// A full block stays with the messages that have slices of it. A new block of twice its size
// follows, and only the values of the current message are moved. The next request reuses the last
// block. After a few requests, this block is large enough for a whole request.
type slab[T any] struct {
	block []T
	from  int
	left  int
	used  int // values in the earlier blocks
	peak  buffer.Peak
}

const firstRoom = 16

// begin makes s empty.
func (s *slab[T]) begin() {
	s.left = max(s.left, len(s.block))
	if s.peak.TooLarge(s.used+len(s.block), cap(s.block), keepRoom) {
		s.block, s.left = nil, 0
	}
	s.used, s.from, s.block = 0, 0, s.block[:0]
}

// end clears the values that are left from earlier requests.
func (s *slab[T]) end() {
	if n := len(s.block); n < s.left {
		clear(s.block[n:s.left])
	}
	s.left = len(s.block)
}

// next returns the next value of the current message. Its content is undefined.
func (s *slab[T]) next() *T {
	n := len(s.block)
	if n == cap(s.block) {
		s.grow()
		n = len(s.block)
	}
	s.block = s.block[:n+1]
	return &s.block[n]
}

// grow begins a new block with the values of the current message.
func (s *slab[T]) grow() {
	open := s.block[s.from:]
	s.used += s.from
	s.block = append(make([]T, 0, max(firstRoom, 2*cap(s.block))), open...)
	s.from, s.left = 0, 0
}

// cut ends the current message, and returns its values.
func (s *slab[T]) cut() []T {
	from, to := s.from, len(s.block)
	if from == to {
		return nil
	}
	s.from = to
	return s.block[from:to:to]
}
