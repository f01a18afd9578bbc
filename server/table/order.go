package table

import (
	"cmp"
	"maps"
	"runtime"
	"slices"

	"github.com/slipstream-go/slipstream/column"
)

// The order of a unit's rows is computed in four steps. Each step moves as few rows as the data
// allows:
//
//	cut      pieces into chunks that a row number of 16 bits can address, and chunks into segments: consecutive rows in
//	         the same hour. If a batch is within one hour, each of its chunks is one segment: its span is known.
//	split    the segments by hour.
//	arrange  the segments of an hour by their first time. Where sorted segments do not overlap, this is the order.
//	sort     the rows of segments that do overlap, as keys of (time, arrival), with a radix sort.
//
// The result is a list of runs. Rows with the same time stay in the order of their arrival.

// chunkRows is the maximum number of rows of a chunk.
const chunkRows = 1 << 16

// chunk is a piece, or a part of a large piece.
type chunk struct {
	batch *column.Batch
	base  int // index of the chunk's first row in the batch
	rows  int
	times []int64
}

// run is a group of consecutive rows of one chunk that are consecutive in the file, too.
type run struct {
	chunk, from uint16
	rows        uint32
}

// segment is a group of consecutive rows of one chunk in the same hour.
type segment struct {
	run
	hour     int64
	min, max int64 // bounds of the times; they are exact if the field `sorted` is true
	sorted   bool
}

// arrival returns the number of the first row of a segment. Rows that arrived later have higher
// numbers.
func (s *segment) arrival() uint32 { return uint32(s.chunk)<<16 | uint32(s.from) }

// partition contains the rows of one hour, in time order.
type partition struct {
	hour int64
	rows int
	runs []run
}

// orderer sorts the rows of units, one unit at a time. It reuses its buffers.
type orderer struct {
	keys, spare []uint64
	counts      [radixDigits][1 << radixBits]uint32
}

// order returns the chunks of the pieces, and the partitions of their rows.
func (o *orderer) order(pieces []piece) ([]chunk, []partition) {
	chunks, segments := cut(pieces)
	hours := split(segments)
	parts := make([]partition, len(hours))
	for i, segments := range hours {
		parts[i] = partition{hour: segments[0].hour, runs: o.arrange(chunks, segments)}
		for _, s := range segments {
			parts[i].rows += int(s.rows)
		}
		runtime.Gosched()
	}
	if cap(o.keys) > maxRecordRows {
		o.keys, o.spare = nil, nil
	}
	return chunks, parts
}

func cut(pieces []piece) ([]chunk, []segment) {
	chunks := make([]chunk, 0, len(pieces))
	segments := make([]segment, 0, len(pieces))
	for _, p := range pieces {
		times := p.batch.Find(timeColumn).Ints
		oneHour := hourOf(p.span.min) == hourOf(p.span.max)
		for base := 0; base < len(times); base += chunkRows {
			c := chunk{batch: p.batch, base: base, times: times[base:min(base+chunkRows, len(times))]}
			c.rows = len(c.times)
			n := uint16(len(chunks))
			chunks = append(chunks, c)
			if !oneHour {
				segments = cutHours(segments, n, c.times)
				continue
			}
			s := segment{run: run{chunk: n, rows: uint32(c.rows)}, hour: hourOf(p.span.min), min: p.span.min, max: p.span.max, sorted: p.span.sorted}
			if s.sorted {
				s.min, s.max = c.times[0], c.times[c.rows-1]
			}
			segments = append(segments, s)
		}
	}
	return chunks, segments
}

// cutHours appends the segments of a chunk whose rows lie in several hours.
func cutHours(segments []segment, chunk uint16, times []int64) []segment {
	for from := 0; from < len(times); {
		t := times[from]
		s := segment{run: run{chunk: chunk, from: uint16(from)}, hour: hourOf(t), min: t, max: t, sorted: true}
		first, end := hourBounds(s.hour)
		last := t
		for from < len(times) && first <= times[from] && times[from] <= end {
			t = times[from]
			s.sorted = s.sorted && t >= last
			s.min, s.max, last = min(s.min, t), max(s.max, t), t
			from++
		}
		s.rows = uint32(from - int(s.from))
		segments = append(segments, s)
	}
	return segments
}

// split groups segments by hour, in ascending order of the hours. Within an hour, the segments keep
// their order.
func split(segments []segment) [][]segment {
	first := segments[0].hour
	if !slices.ContainsFunc(segments, func(s segment) bool { return s.hour != first }) {
		return [][]segment{segments}
	}
	counts := make(map[int64]int)
	for _, s := range segments {
		counts[s.hour]++
	}
	sorted := make([]segment, len(segments))
	hours := make([][]segment, 0, len(counts))
	place := make(map[int64]int, len(counts))
	for _, h := range slices.Sorted(maps.Keys(counts)) {
		n := counts[h]
		place[h] = len(hours)
		hours = append(hours, sorted[:0:n])
		sorted = sorted[n:]
	}
	for _, s := range segments {
		i := place[s.hour]
		hours[i] = append(hours[i], s)
	}
	return hours
}

// arrange returns the rows of one hour in time order, as runs. It reorders the segments.
func (o *orderer) arrange(chunks []chunk, segments []segment) []run {
	if inOrder(segments) {
		runs := make([]run, len(segments))
		for i, s := range segments {
			runs[i] = s.run
		}
		return runs
	}
	rows := 0
	for _, s := range segments {
		rows += int(s.rows)
	}
	if len(segments) > rows/16 { // arranging so many segments would cost as much as sorting their rows
		return o.sort(nil, chunks, segments)
	}
	slices.SortFunc(segments, func(a, b segment) int {
		return cmp.Or(cmp.Compare(a.min, b.min), cmp.Compare(a.arrival(), b.arrival()))
	})
	var runs []run
	for len(segments) > 0 {
		n := overlapping(segments)
		if n == 1 && segments[0].sorted {
			runs = append(runs, segments[0].run)
		} else {
			slices.SortFunc(segments[:n], func(a, b segment) int { return cmp.Compare(a.arrival(), b.arrival()) })
			runs = o.sort(runs, chunks, segments[:n])
		}
		segments = segments[n:]
	}
	return runs
}

func inOrder(segments []segment) bool {
	for i, s := range segments {
		if !s.sorted || i > 0 && s.min < segments[i-1].max {
			return false
		}
	}
	return true
}

// overlapping returns the number of segments at the front that must be sorted together. The
// segments are in the order of their first times. If the first time of a segment equals the last
// time of the previous segments, it must be sorted with them. This is not necessary if the segment
// also arrived after them.
func overlapping(segments []segment) int {
	end, latest := segments[0].max, segments[0].arrival()
	for i, s := range segments[1:] {
		if s.min > end || s.min == end && s.arrival() > latest {
			return i + 1
		}
		end, latest = max(end, s.max), max(latest, s.arrival())
	}
	return len(segments)
}

// sort appends the rows of segments to runs, in time order. The segments must be in the order of
// their arrival.
//
// The upper half of a key is the time since the earliest row. Its 32 bits are enough for an hour in
// microseconds. The lower half consists of the numbers of the chunk and the row. So all keys
// differ, and sorting by key is stable.
func (o *orderer) sort(runs []run, chunks []chunk, segments []segment) []run {
	earliest := segments[0].min
	for _, s := range segments {
		earliest = min(earliest, s.min)
	}
	keys := o.keys[:0]
	for _, s := range segments {
		arrival := uint64(s.arrival())
		for _, t := range chunks[s.chunk].times[s.from : int(s.from)+int(s.rows)] {
			keys = append(keys, uint64(t-earliest)<<32|arrival)
			arrival++
		}
	}
	o.keys = keys
	runtime.Gosched() // requests may be waiting for the processor
	if len(keys) < 512 {
		slices.Sort(keys)
	} else {
		keys = o.radix(keys)
	}

	runs = slices.Grow(runs, len(keys))
	next := uint32(0) // the row after the last run, 0 if no row can extend the run
	for _, key := range keys {
		row := uint32(key)
		if row == next && next != 0 {
			runs[len(runs)-1].rows++
		} else {
			runs = append(runs, run{chunk: uint16(row >> 16), from: uint16(row), rows: 1})
		}
		if next = row + 1; uint16(next) == 0 {
			next = 0
		}
	}
	return runs
}

const (
	radixBits   = 11
	radixDigits = 3 // each of 11 bits, for the 32 bits of the time
)

// radix sorts keys by their upper half. It starts with the lowest digit, and skips digits that are
// equal in all keys.
func (o *orderer) radix(keys []uint64) []uint64 {
	o.counts = [radixDigits][1 << radixBits]uint32{}
	for _, k := range keys {
		t := uint32(k >> 32)
		o.counts[0][t%(1<<radixBits)]++
		o.counts[1][t>>radixBits%(1<<radixBits)]++
		o.counts[2][t>>(2*radixBits)]++
	}
	spare := slices.Grow(o.spare[:0], len(keys))[:len(keys)]
	for digit := range o.counts {
		counts, shift := &o.counts[digit], 32+digit*radixBits
		if counts[keys[0]>>shift%(1<<radixBits)] == uint32(len(keys)) {
			continue
		}
		sum := uint32(0)
		for i, n := range counts {
			counts[i] = sum
			sum += n
		}
		for from := 0; from < len(keys); from += chunkRows {
			for _, k := range keys[from:min(from+chunkRows, len(keys))] {
				at := &counts[k>>shift%(1<<radixBits)]
				spare[*at] = k
				*at++
			}
			runtime.Gosched()
		}
		keys, spare = spare, keys
	}
	o.keys, o.spare = keys, spare
	return keys
}
