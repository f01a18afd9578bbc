package sim

import (
	"context"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/column"
)

// Fate is the known outcome of a row, a sample or an item.
type Fate int

const (
	Unknown Fate = iota
	Acknowledged
	Refused
	Dropped // removed together with its table
)

func (f Fate) String() string {
	return [...]string{Unknown: "of unknown fate", Acknowledged: "acknowledged", Refused: "refused", Dropped: "dropped"}[f]
}

// Lives simulates the lives of a service (the times from a start to the next stop). It calls the
// function `live` a random number of times, from 1 to `most`. Then it calls the function `end`
// once, for the last life.
func (w *World) Lives(most int, live, end func()) {
	for range 1 + w.Rand.IntN(most) {
		live()
	}
	end()
}

// Begin starts the service on a disk that may fail: see [World.Faults]. It calls the function
// `start`, which starts the service, and then enters the given phase. If the function `start`
// returns an error, Begin calls Next and returns false.
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

// Grace returns a context for the shutdown of a service. The context is cancelled after a random
// time that is shorter than `most`. If the disk has crashed, the context is already cancelled.
func (w *World) Grace(most time.Duration) (ctx context.Context, cancel context.CancelFunc) {
	ctx, cancel = context.WithTimeout(context.Background(), time.Duration(w.Rand.IntN(int(most/time.Second)))*time.Second)
	if w.Crashed() {
		cancel()
	}
	return ctx, cancel
}

// Await waits until the function `lacks` returns nil. If that takes longer than `most`, Await ends
// the test with the last error from `lacks`.
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

// Walk calls the function `each` with the path of every file below dir, except temporary files. If
// Walk cannot read a directory, it continues with the other directories, and returns the error at
// the end.
func (w *World) Walk(dir string, each func(path string)) error {
	entries, err := w.Disk.ReadDir(dir)
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); e.IsDir() {
			err = errors.Join(err, w.Walk(name, each))
		} else if !strings.HasPrefix(e.Name(), ".") { // a name with a leading dot is a temporary file, which is removed at the next start
			each(name)
		}
	}
	return err
}

// Number returns a cell of a numeric column as a float64.
func Number(c *column.Column, row int) float64 {
	if c.Kind == column.Int64 {
		return float64(c.Ints[row])
	}
	return c.Floats[row]
}
