package sim

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/column"
)

// Fate is what is known of a row, a sample or an item.
type Fate int

const (
	Unknown Fate = iota
	Acknowledged
	Refused
	Dropped // with its table
)

func (f Fate) String() string {
	return [...]string{Unknown: "of unknown fate", Acknowledged: "acknowledged", Refused: "refused", Dropped: "dropped"}[f]
}

// Lives runs some lives, most at most, and the last one.
func (w *World) Lives(most int, live, end func()) {
	for range 1 + w.Rand.IntN(most) {
		live()
	}
	end()
}

// Begin begins a life on a disk that may fail, see [World.Faults]: start starts the service, which
// then is in the phase named. If it does not start, Begin returns false, and the life is over.
func (w *World) Begin(root, phase string, start func() error) bool {
	w.Faults(root)
	w.Phase("start")
	if err := start(); err != nil {
		w.Say("it does not start: %v", err)
		w.Count("starts that fail", 1)
		w.Next()
		return false
	}
	w.Phase(phase)
	return true
}

// Grace returns a context for the end of a service: it ends after a time below most, or has ended
// where the disk has crashed.
func (w *World) Grace(most time.Duration) (ctx context.Context, cancel context.CancelFunc) {
	ctx, cancel = context.WithTimeout(context.Background(), time.Duration(w.Rand.IntN(int(most/time.Second)))*time.Second)
	if w.Crashed() {
		cancel()
	}
	return ctx, cancel
}

// Await waits until lacks returns nil. Otherwise it ends the test by that error when the time is
// over.
func (w *World) Await(most time.Duration, lacks func() error) {
	for began := time.Now(); ; time.Sleep(time.Second) {
		err := lacks()
		if err == nil {
			return
		}
		if time.Since(began) > most {
			w.Fatal("after %v: %v", most, err)
		}
	}
}

// Walk calls each with the files below dir, as far as the disk lets it read directories.
func (w *World) Walk(dir string, each func(path string)) error {
	entries, err := w.Disk.ReadDir(dir)
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); e.IsDir() {
			err = errors.Join(err, w.Walk(name, each))
		} else if !strings.HasPrefix(e.Name(), ".") { // which is a temporary file, and is removed at the next start
			each(name)
		}
	}
	return err
}

// Number returns a cell of a column of numbers.
func Number(c *column.Column, row int) float64 {
	if c.Kind == column.Int64 {
		return float64(c.Ints[row])
	}
	return c.Floats[row]
}
