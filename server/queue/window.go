package queue

// Window limits the weight of a call with several items, in the same way as TCP's congestion window
// limits the unacknowledged bytes. The weight of a call is the sum of the weights of its items: see
// MaxJoinWeight in [Options]. After a call that was too large for its target, the window is halved.
// After a successful call, it grows by an eighth. It stays below the weight of the last failed
// call, and tries that weight again only after 100 calls. The window waits for so many calls
// because a call that times out may duplicate items: the target may have stored them, and receives
// them again.
type Window struct {
	most   int64
	now    int64
	failed int64 // weight of the last failed call; 0 if none has failed
	passed int   // number of successful calls since the window stopped growing, below the weight `failed`
}

// retryWeight is the number of calls after which the window tries the weight of a failed call
// again.
const retryWeight = 100

// NewWindow returns a window with the maximum weight `most`.
func NewWindow(most int64) Window { return Window{most: most, now: most} }

// The method Takes reports whether a call with several items may have the given weight.
func (w *Window) Takes(weight int64) bool { return weight <= w.now }

// The method Failed reduces the window after a call has failed. The parameter `weight` is the
// weight of that call. The new size is half of this weight, or half of the old size if that is
// smaller. A single item of any weight is always allowed.
func (w *Window) Failed(weight int64) {
	w.failed, w.passed = weight, 0
	w.now = max(min(weight, w.now)/2, 1)
}

// The method Passed enlarges the window after a call has succeeded. The parameter `weight` is the
// weight of that call. If the weight is at most half of the window, Passed has no effect.
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
