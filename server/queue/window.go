package queue

// Window bounds the weight of a call that carries several items, as a congestion window bounds the
// bytes in flight. It halves when a call was too large for its target, and grows by an eighth when
// a call passed. It stops below the weight that failed last, and tries that again after 100 calls:
// a call that times out may have been stored, and then its items arrive twice.
type Window struct {
	most   int64
	now    int64
	failed int64 // weight that failed last; 0: none
	passed int   // calls since the window has stopped below it
}

// retryWeight is the number of calls after which a weight that failed is tried again.
const retryWeight = 100

// NewWindow returns a window that is open up to most.
func NewWindow(most int64) Window { return Window{most: most, now: most} }

// Takes reports whether a call of several items may have this weight.
func (w *Window) Takes(weight int64) bool { return weight <= w.now }

// Failed halves the window after a call of this weight. It ends at single items, which may have any
// weight.
func (w *Window) Failed(weight int64) {
	w.failed, w.passed = weight, 0
	w.now = max(min(weight, w.now)/2, 1)
}

// Passed raises the window after a call of this weight. A call of at most half of the window proves
// nothing and raises nothing.
func (w *Window) Passed(weight int64) {
	if weight <= w.now/2 {
		return
	}
	next := w.now + w.now/8 + 1
	if w.failed > 0 && next >= w.failed {
		if w.passed++; w.passed < retryWeight {
			return
		}
		w.failed, w.passed = 0, 0
	}
	w.now = min(next, w.most)
}
