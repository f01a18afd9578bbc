package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/server/disk/faulty"
)

// short is how many seeds the short form runs.
const short = 200

// run calls each with seeds, each in a bubble of its own.
func run(t *testing.T, each func(t *testing.T, w *world)) {
	one := func(seed uint64) {
		t.Run(fmt.Sprint("seed", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer time.Sleep(time.Hour) // for what an earlier life has left behind: the clock stops with this goroutine
				w := newWorld(t, seed)
				each(t, w)
				if t.Failed() {
					t.Logf("SLIPSTREAM_SEED=%d go test -run '%s' ./sim", seed, strings.SplitN(t.Name(), "/", 2)[0])
				}
			})
		})
	}
	if text := os.Getenv("SLIPSTREAM_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		one(seed)
		return
	}
	if text := os.Getenv("SLIPSTREAM_LONG"); text != "" {
		long, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for end := time.Now().Add(long); time.Now().Before(end) && !t.Failed(); n++ {
			one(rand.Uint64())
		}
		t.Logf("%d seeds", n)
		return
	}
	seeds := uint64(short)
	if testing.Short() {
		seeds /= 5
	}
	for seed := range seeds {
		one(seed)
	}
}

// world is a machine and what its clients know.
type world struct {
	t    *testing.T
	r    *rand.Rand
	disk *faulty.Disk
	off  context.Context // ends when the disk crashes at a call

	broken string // a directory below which all fails in this life, and nothing else does; or empty

	log []string // what happened in each life
}

func newWorld(t *testing.T, seed uint64) *world {
	w := &world{t: t, r: rand.New(rand.NewPCG(seed, 0))}
	w.disk = faulty.New(w.r.Uint64(), faulty.Options{})
	return w
}

func (w *world) say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

func (w *world) fatal(format string, args ...any) {
	w.t.Helper()
	for _, line := range w.log {
		w.t.Log(line)
	}
	if os.Getenv("SLIPSTREAM_SEED") != "" {
		for _, line := range w.disk.Trace() {
			w.t.Log(line)
		}
	}
	w.t.Fatalf(format, args...)
}

// delay takes a time of its own for each call, and now and then a long one.
func delay(most time.Duration) func(c faulty.Call) time.Duration {
	return func(c faulty.Call) time.Duration {
		if c.Rand.IntN(50) == 0 {
			return time.Duration(c.Rand.Int64N(int64(most)))
		}
		return time.Duration(1 + c.Rand.Int64N(int64(100*time.Microsecond)))
	}
}

// faults chooses how the disk is in a life. It may crash at a call.
func (w *world) faults(sinkRoot string) {
	off, crash := context.WithCancel(context.Background())
	w.off = off
	o := faulty.Options{Delay: delay(time.Second), Crashed: crash}
	kind := "sound"
	w.broken = ""
	switch w.r.IntN(6) {
	case 0:
		kind = "calls fail now and then"
		o.Fail = func(c faulty.Call) error {
			if c.Rand.IntN(300) == 0 {
				return []error{syscall.EIO, syscall.ENOSPC}[c.Rand.IntN(2)]
			}
			return nil
		}
	case 1:
		kind = "the sink's calls fail often"
		o.Fail = func(c faulty.Call) error {
			if c.Rand.IntN(10) == 0 && strings.HasPrefix(c.Path, sinkRoot) {
				return syscall.EIO
			}
			return nil
		}
	case 2:
		o.Size = int64(100<<10 + w.r.IntN(400<<10))
		kind = fmt.Sprint(o.Size>>10, " KB")
	case 3:
		w.broken = fmt.Sprint(sinkRoot, "/db/t", w.r.IntN(3))
		kind = w.broken + " fails"
		broken := w.broken
		o.Fail = func(c faulty.Call) error {
			if strings.HasPrefix(c.Path, broken) {
				return syscall.EIO
			}
			return nil
		}
	case 4:
		kind = "slow"
		o.Delay = delay(time.Minute)
	}
	o.Fail = transient(o.Fail)
	w.disk.Set(o)
	when := "no crash"
	if w.r.IntN(3) > 0 {
		at := 1 + w.r.IntN(1<<(1+w.r.IntN(11)))
		w.disk.CrashAt(at)
		when = fmt.Sprint("crash at call ", at)
	}
	w.say("a disk: %s, %s", kind, when)
}

// transient has reads fail at most three times in a row: what cannot be read for good is damage, which is another matter.
func transient(fail func(faulty.Call) error) func(faulty.Call) error {
	if fail == nil {
		return nil
	}
	failed := 0
	return func(c faulty.Call) error {
		err := fail(c)
		if c.Name != "ReadAt" {
			return err
		}
		if failed++; err == nil || failed > 3 {
			failed = 0
			return nil
		}
		return err
	}
}

// crashed reports whether the disk has crashed.
func (w *world) crashed() bool { return w.off.Err() != nil }

// next is the machine, or only the process, switched off and on again.
func (w *world) next() {
	if w.crashed() || w.r.IntN(2) == 0 {
		w.say("the machine stops")
		w.disk = w.disk.Crash()
	} else {
		w.say("the process stops")
		w.disk = w.disk.Kill()
	}
}
