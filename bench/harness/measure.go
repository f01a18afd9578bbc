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

// Options contains the durations of a measurement, and other settings.
type Options struct {
	Rounds int
	Slot   time.Duration // time that a side works in a round
	Procs  int           // GOMAXPROCS while timing; 0 does not change it

	Load     time.Duration // time that an observed case works; some cases use only a part of it
	Dir      string        // directory of the bench module, for cases that build programs or store files
	Progress io.Writer     // receives the name of each observed case at its start, because such cases take long; may be nil

	Only func(Case) bool // selects the cases; nil means all
	Row  func(*Row)      // is called with each row after it was measured; may be nil
}

// Measure runs a suite, and judges its bars.
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

// Check builds every timed case of a suite, and checks the output of every side, without timing
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

// build returns the sides of a case after checking their outputs.
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
		sides[i].Check = nil // releases the expected value, which would enlarge the live heap
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
	runtime.GC() // the input is built: start with only the memory that the case itself keeps

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

// rounds runs the sides in turn. For each side, it returns the time of one operation in each round,
// in nanoseconds, and the number of operations in a slot.
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

// turn returns the index of the side that works at a place of a round. The order rotates, and odd
// rounds run it backwards.
func turn(round, place, n int) int {
	if round%2 == 1 {
		place = n - 1 - place
	}
	return (round + place) % n
}

// calibrate returns the number of operations that fill a slot.
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

// Allocations of fast operations are averaged over at least allocOps operations. So an allocation
// that serves many operations counts as a fraction. The minimum of allocTries attempts excludes the
// allocations of the runtime itself.
const (
	allocOps   = 1000
	allocTries = 3
)

// allocations returns heap objects and bytes per operation. One slot contains n operations. The
// count uses at most eight slots.
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
