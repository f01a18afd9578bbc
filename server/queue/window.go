package queue

// Window limits the weight of a call with several items, as a congestion window limits the bytes in
// flight. The window halves after a call that was too large for its target, and grows by an eighth
// after a successful call. It stays below the weight of the last failed call, and tries that weight
// again only after 100 calls. The reason for the caution is that a target may have stored the items
// of a call that timed out, and then receives them twice.
type Window struct {
	most   int64
	now    int64
	failed int64 // weight of the last failed call; 0 if none has failed
	passed int   // number of calls since the window stopped below failed
}

// retryWeight is the number of calls after which the window tries the weight of a failed call
// again.
const retryWeight = 100

// NewWindow returns a window with a maximum weight.
func NewWindow(most int64) Window { return Window{most: most, now: most} }

// Takes reports whether a call with several items may have this weight.
func (w *Window) Takes(weight int64) bool { return weight <= w.now }

// Failed halves the window after a call of this weight. A single item of any weight is always
// allowed.
func (w *Window) Failed(weight int64) {
	w.failed, w.passed = weight, 0
	w.now = max(min(weight, w.now)/2, 1)
}

// Passed enlarges the window after a call of this weight. A call of at most half of the window has
// no effect.
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
