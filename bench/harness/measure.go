package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

// Options says how long and on how many processors to measure.
type Options struct {
	Rounds int
	Slot   time.Duration // how long a side works in a round
	Procs  int           // GOMAXPROCS while timing; 0 leaves it

	Load     time.Duration // how long an observed case works; some work for a part of it
	Dir      string        // the bench module's directory, for cases that build or keep something
	Progress io.Writer     // is told which observed case is under way, as that takes long; may be nil

	Only func(Case) bool // which cases; nil means all
	Row  func(*Row)      // called with each row when it is measured; may be nil
}

// Measure runs a suite and judges its bars.
func Measure(ctx context.Context, suite Suite, o Options) (*Result, error) {
	switch {
	case o.Rounds < 1 || o.Slot <= 0:
		return nil, fmt.Errorf("bench: %d rounds of %v: both must be more than zero", o.Rounds, o.Slot)
	case o.Load <= 0:
		return nil, fmt.Errorf("bench: a load of %v: must be more than zero", o.Load)
	}
	if o.Progress == nil {
		o.Progress = io.Discard
	}
	if err := suite.validate(); err != nil {
		return nil, fmt.Errorf("bench: suite %s: %w", suite.Name, err)
	}
	result := newResult(suite, o)
	for _, c := range suite.Cases {
		if o.Only != nil && !o.Only(c) {
			continue
		}
		row, err := measureCase(ctx, suite, c, o)
		if err != nil {
			return nil, fmt.Errorf("bench: suite %s, %s, %s: %w", suite.Name, c.Group, c.Name, err)
		}
		result.Rows = append(result.Rows, *row)
		if o.Row != nil {
			o.Row(row)
		}
	}
	for _, m := range suite.Means {
		if r, ok := m.judge(suite, result.Rows); ok {
			result.Means = append(result.Means, r)
		}
	}
	return result, nil
}

// Check builds every timed case of a suite and looks at the outcome of every side, without timing
// anything.
func Check(suite Suite) error {
	if err := suite.validate(); err != nil {
		return fmt.Errorf("bench: suite %s: %w", suite.Name, err)
	}
	var errs []error
	for _, c := range suite.Cases {
		if c.Observe != nil {
			continue
		}
		if _, err := build(suite, c); err != nil {
			errs = append(errs, fmt.Errorf("bench: suite %s, %s, %s: %w", suite.Name, c.Group, c.Name, err))
		}
	}
	return errors.Join(errs...)
}

// build makes the sides of a case and checks what they do.
func build(suite Suite, c Case) ([]Side, error) {
	sides, err := c.Sides()
	if err != nil {
		return nil, fmt.Errorf("building the input: %w", err)
	}
	if err := suite.validateSides(c, sides); err != nil {
		return nil, err
	}
	sides = slices.Clone(sides)
	var wrong []error
	for i := range sides {
		if err := sides[i].Check(); err != nil {
			wrong = append(wrong, fmt.Errorf("%s is wrong: %w", sides[i].Label(), err))
		}
		sides[i].Check = nil // with it goes the expected value, which would swell the live heap
	}
	return sides, errors.Join(wrong...)
}

func measureCase(ctx context.Context, suite Suite, c Case, o Options) (*Row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Observe != nil {
		return observeCase(ctx, suite, c, o)
	}
	if o.Procs > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(o.Procs))
	}
	sides, err := build(suite, c)
	if err != nil {
		return nil, err
	}
	runtime.GC() // the input is built: start from what the case itself keeps

	times, ops, err := rounds(sides, o)
	if err != nil {
		return nil, err
	}
	row := &Row{Group: c.Group, Name: c.Name, Note: c.Note, Bytes: c.Bytes, Items: c.Items, Item: c.Item}
	for i, s := range sides {
		ratio := ratios(times[i], times[0])
		m := Measured{
			Rival: s.Rival, Label: s.Label(), Mark: s.Mark,
			Ns: slices.Min(times[i]), Ratio: ratio.median, Low: ratio.low, High: ratio.high,
		}
		if m.Allocs, m.Bytes, err = allocations(s, ops[i]); err != nil {
			return nil, err
		}
		row.Sides = append(row.Sides, m)
	}
	for _, b := range c.Bars {
		row.Bars = append(row.Bars, b.judge(row))
	}
	return row, nil
}

// rounds interleaves the sides. It returns per side the time of one operation in each round, in
// nanoseconds, and how many operations fill a slot.
func rounds(sides []Side, o Options) (times [][]float64, ops []int, err error) {
	times, ops = make([][]float64, len(sides)), make([]int, len(sides))
	for i, s := range sides {
		if ops[i], err = calibrate(s, o.Slot); err != nil {
			return nil, nil, err
		}
	}
	for round := range o.Rounds {
		for place := range sides {
			i := turn(round, place, len(sides))
			d, err := elapsed(sides[i], ops[i])
			if err != nil {
				return nil, nil, err
			}
			times[i] = append(times[i], float64(d.Nanoseconds())/float64(ops[i]))
		}
	}
	return times, ops, nil
}

// turn is which of n sides works at a place of a round: the order rotates, and odd rounds run it
// backwards.
func turn(round, place, n int) int {
	if round%2 == 1 {
		place = n - 1 - place
	}
	return (round + place) % n
}

// calibrate is how many operations fill a slot.
func calibrate(s Side, slot time.Duration) (int, error) {
	for n := 1; ; n *= 2 {
		d, err := elapsed(s, n)
		if err != nil {
			return 0, err
		}
		if d >= slot/2 {
			return max(1, int(float64(n)*float64(slot)/float64(d))), nil
		}
	}
}

func elapsed(s Side, n int) (time.Duration, error) {
	start := time.Now()
	for range n {
		if err := s.Run(); err != nil {
			return 0, fmt.Errorf("%s: %w", s.Label(), err)
		}
	}
	return max(time.Since(start), 1), nil
}

// Allocations are averaged over allocOps operations or more where they are quick, so that what is
// allocated once for many operations shows as a fraction; the least of allocTries leaves out what
// the runtime allocates for itself.
const (
	allocOps   = 1000
	allocTries = 3
)

// allocations counts heap objects and bytes per operation. One slot holds n operations; at most
// eight slots' worth is done.
func allocations(s Side, n int) (allocs, bytes float64, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	n = min(max(n, allocOps), 8*n)
	var before, after runtime.MemStats
	for try := range allocTries {
		runtime.ReadMemStats(&before)
		for range n {
			if err := s.Run(); err != nil {
				return 0, 0, fmt.Errorf("%s: %w", s.Label(), err)
			}
		}
		runtime.ReadMemStats(&after)
		a := float64(after.Mallocs-before.Mallocs) / float64(n)
		b := float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
		if try == 0 || a < allocs {
			allocs, bytes = a, b
		}
	}
	return allocs, bytes, nil
}
