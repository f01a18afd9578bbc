package remotewrite

import "github.com/slipstream-go/slipstream/internal/buffer"

// memory contains the values of a decoded Request. It has a slab for each kind of value.
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
	beforeAt int     // offset of the labels in before, in the body
}

type bucketMemory struct {
	spans  slab[BucketSpan]
	deltas slab[int64]
	counts slab[float64]
}

// begin marks the whole memory as free.
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

// end clears old values from earlier requests that are still stored after the values of this
// request. It does not clear values without pointers.
func (m *memory) end() {
	m.series.end()
	m.labels.end()
	m.exemplars.end()
	m.exemplarLabels.end()
	m.histograms.end()
	m.metadata.end()
	m.symbols.end()
}

// keepRoom is the number of values for which memory is always kept. Memory for more values is
// released if recent requests did not need it.
const keepRoom = 1 << 10

// emptied returns the list with length 0, for the next request. If the memory of the list is too
// large, it returns nil.
func emptied[T any](list []T, p *buffer.Peak) []T {
	if p.TooLarge(len(list), cap(list), keepRoom) {
		return nil
	}
	return list[:0]
}

// slab is memory for all values of one kind in a request. Each message uses a slice of this memory.
//
//	block   of earlier messages      | of the current message | free, except values of an earlier request
//	        0                        from                      len          left                        cap
//
// If a block is full, the slab continues with a new block of twice the size, and moves only the
// values of the current message to the new block. Earlier messages continue to use the old block.
// The next request reuses the last block. After a few requests, this block is large enough for a
// whole request.
type slab[T any] struct {
	block []T
	from  int
	left  int
	used  int // number of values in the earlier blocks of the request
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

// end clears the old values from earlier requests.
func (s *slab[T]) end() {
	if n := len(s.block); n < s.left {
		clear(s.block[n:s.left])
	}
	s.left = len(s.block)
}

// next returns a pointer to the next value of the current message. The content of this value is
// undefined.
func (s *slab[T]) next() *T {
	n := len(s.block)
	if n == cap(s.block) {
		s.grow()
		n = len(s.block)
	}
	s.block = s.block[:n+1]
	return &s.block[n]
}

// grow allocates a new block, and copies the values of the current message to it.
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
