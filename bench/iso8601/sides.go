package iso8601

import (
	"fmt"

	"github.com/slipstream-go/slipstream/bench/harness"
)

// worker is a way to convert an In to an Out.
type worker[In, Out any] struct {
	rival string
	mark  string
	work  func(In) (Out, error)
}

// sides returns a side for each worker, which processes the list. right reports whether got is
// correct for the input at index i. If right is nil, all inputs must fail.
func sides[In, Out any](list []In, right func(i int, got Out) bool, workers ...worker[In, Out]) []harness.Side {
	var all []harness.Side
	for _, w := range workers {
		each := func(check func(i int, got Out) bool) error {
			for i, in := range list {
				got, err := w.work(in)
				if (err == nil) != (right != nil) {
					return fmt.Errorf("%v: error %v", in, err)
				}
				if check != nil && !check(i, got) {
					return fmt.Errorf("%v: got %v", in, got)
				}
			}
			return nil
		}
		all = append(all, harness.Side{
			Rival: w.rival, Mark: w.mark,
			Run:   func() error { return each(nil) },
			Check: func() error { return each(right) },
		})
	}
	return all
}
