package remotewrite

import (
	"fmt"
	"math"
	"math/bits"
)

// tally is the result of reading a request. It depends on the order and on each value. For a text,
// it depends on the length, the first byte and the last byte.
type tally struct {
	series, labels, samples, exemplars, histograms int

	sum uint64
}

func (t *tally) add(v uint64) { t.sum = bits.RotateLeft64(t.sum, 1) ^ v }

// label adds a label of a series or of an exemplar.
func label[T string | []byte](t *tally, name, value T) {
	t.labels++
	t.add(ends(name))
	t.add(ends(value))
}

func ends[T string | []byte](s T) uint64 {
	if len(s) == 0 {
		return 0
	}
	return uint64(len(s))<<16 | uint64(s[0])<<8 | uint64(s[len(s)-1])
}

func (t *tally) sample(value float64, time int64) {
	t.samples++
	t.point(value, time)
}

// exemplar adds an exemplar, after its labels.
func (t *tally) exemplar(value float64, time int64) {
	t.exemplars++
	t.point(value, time)
}

func (t *tally) point(value float64, time int64) {
	t.add(math.Float64bits(value))
	t.add(uint64(time))
}

// histogram adds a native histogram. It reads only the timestamp.
func (t *tally) histogram(time int64) {
	t.histograms++
	t.add(uint64(time))
}

func (t tally) check(want tally) error {
	if t != want {
		return fmt.Errorf("reading gives %+v, want %+v", t, want)
	}
	return nil
}
