package load

import (
	"sync"
	"time"
)

// timeline counts the rows acknowledged in each second of a run, for all workers.
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

// acknowledged is how many rows were counted so far.
func (t *timeline) acknowledged() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.total
}

// seconds are the rows of each whole second of a run that sent for so long. What came in later is
// not in them.
func (t *timeline) seconds(sent time.Duration) []int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	rows := make([]int64, sent/time.Second)
	copy(rows, t.rows)
	return rows
}

// window is how many seconds a rate is taken over when the run is judged.
const window = 5

// degradation is by how much the last five seconds fell short of the best five in a row: 0 when
// none were better. It needs ten seconds, and some rows in them.
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

// slope is the least-squares slope of the second half of equidistant samples: their growth from one
// to the next, once what fills up at first is full. It needs ten samples.
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
