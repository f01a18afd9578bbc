package remotewrite

import "github.com/slipstream-go/slipstream/internal/buffer"

// memory is what a Request is decoded into: a slab for each kind of value.
type memory struct {
	series             slab[Series]
	labels             slab[Label]
	samples            slab[Sample]
	exemplars          slab[Exemplar]
	exemplarLabels     slab[Label] // they may come amid those of the series
	histograms         slab[Histogram]
	negative, positive bucketMemory
	customValues       slab[float64]
	metadata           slab[Metadata]
	symbols            slab[string]
	texts              buffer.Strings

	before   []Label // the plain labels that the series before begins with
	beforeAt int     // where in the body they are
}

type bucketMemory struct {
	spans  slab[BucketSpan]
	deltas slab[int64]
	counts slab[float64]
}

// begin makes all memory free.
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

// end forgets what earlier requests have left behind that of this one. What has no pointers may
// stay.
func (m *memory) end() {
	m.series.end()
	m.labels.end()
	m.exemplars.end()
	m.exemplarLabels.end()
	m.histograms.end()
	m.metadata.end()
	m.symbols.end()
}

// keepRoom is how many values there is room for in any case. More goes when recent requests have
// not needed it.
const keepRoom = 1 << 10

// emptied is the list of the last request made ready for the next: its memory, or none if that has
// become too large.
func emptied[T any](list []T, p *buffer.Peak) []T {
	if p.TooLarge(len(list), cap(list), keepRoom) {
		return nil
	}
	return list[:0]
}

// slab is memory for the values of one kind in all messages of a request. Each message gets a slice
// of it.
//
//	block   those of messages before | of the current message | free, but for what an earlier request left
//	        0                        from                      len          left                        cap
//
// A block that is full stays with the messages that have slices of it, and one of twice its size
// follows: nothing is moved but the values of the current message. The last block is there for the
// next request, which soon finds all the room that it needs in it.
type slab[T any] struct {
	block []T
	from  int
	left  int
	used  int // values in the blocks before
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

// end clears what is left of earlier requests.
func (s *slab[T]) end() {
	if n := len(s.block); n < s.left {
		clear(s.block[n:s.left])
	}
	s.left = len(s.block)
}

// next is the next value of the current message, which holds anything.
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

// cut ends the current message: its values are the slice.
func (s *slab[T]) cut() []T {
	from, to := s.from, len(s.block)
	if from == to {
		return nil
	}
	s.from = to
	return s.block[from:to:to]
}
