package load

import (
	"sync"
	"time"
)

// timeline counts the rows that were acknowledged in each second of a run, for all workers
// together.
type timeline struct {
	start time.Time

	mu    sync.Mutex
	rows  []int64
	total int64
}

func (t *timeline) add(now time.Time, rows int) {
	second := int(now.Sub(t.start) / time.Second)
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := second + 1 - len(t.rows); n > 0 {
		t.rows = append(t.rows, make([]int64, n)...)
	}
	t.rows[second] += int64(rows)
	t.total += int64(rows)
}

// acknowledged returns the number of rows that were counted so far.
func (t *timeline) acknowledged() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

// seconds returns the number of rows in each whole second of a run. The argument `sent` is the
// duration of sending. Rows that were acknowledged after the last whole second are not included.
func (t *timeline) seconds(sent time.Duration) []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := make([]int64, sent/time.Second)
	copy(rows, t.rows)
	return rows
}

// window is the number of seconds over which degradation averages the rate.
const window = 5

// degradation compares the rate in the last five seconds with the rate in the best five consecutive
// seconds. It returns the fraction by which the rate in the last five seconds was lower, or 0 if
// these were the best. The run must contain at least ten seconds and some rows; otherwise ok is
// false.
func degradation(seconds []int64) (share float64, ok bool) {
	if len(seconds) < 2*window {
		return 0, false
	}
	var best, sum int64
	for i, n := range seconds {
		sum += n
		if i >= window {
			sum -= seconds[i-window]
		}
		best = max(best, sum)
	}
	if best == 0 {
		return 0, false
	}
	return 1 - float64(sum)/float64(best), true
}

// slope returns the growth per sample in the second half of equidistant samples: the slope of the
// least-squares line. It ignores the first half, because buffers still fill up during that time. It
// needs ten samples.
func slope(samples []int64) (perSample float64, ok bool) {
	if len(samples) < 10 {
		return 0, false
	}
	half := samples[len(samples)/2:]
	n := float64(len(half))
	middle := (n - 1) / 2
	var along, square float64
	for i, v := range half {
		x := float64(i) - middle
		along += x * float64(v-half[0])
		square += x * x
	}
	return along / square, true
}
