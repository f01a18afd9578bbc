package sim

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/disk/faulty"
)

// World is a simulated machine, with the state that a test keeps about the machine. Only the test's
// goroutine may call the methods, except Count and Crashed.
type World struct {
	T    *testing.T
	Rand *rand.Rand
	Disk *faulty.Disk
	Off  context.Context // ends when the disk crashes at a call

	Broken string // directory below which all calls fail until the next start, while all other calls succeed; may be empty
	Well   bool   // until the next start, the disk has no errors, and is neither small nor slow, but may crash
	Small  bool   // until the next start, the disk is small and has no other faults, but may crash

	Met Counts

	mu      sync.Mutex
	disk    faulty.Options // current options of the disk
	phase   string
	phases  int // number of phases since the last start
	crashIn int // number of the phase in which the disk crashes; 0 if it does not crash
	crashAt int // number of the call at which it crashes, counted from the beginning of that phase
	crashed func(faulty.Call)

	digests []uint64 // digests of the disks that were used before the current disk
	log     []string // all events since the beginning of the test
}

func newWorld(t *testing.T, seed uint64) *World {
	w := &World{T: t, Rand: rand.New(rand.NewPCG(seed, 0)), Met: make(Counts)}
	w.Disk = faulty.New(w.Rand.Uint64(), faulty.Options{})
	return w
}

// Say records an event. If the test fails for this seed, its log contains the event.
func (w *World) Say(format string, args ...any) {
	w.log = append(w.log, fmt.Sprintf(format, args...))
}

// Fatal logs all events that Say has recorded, and ends the test.
func (w *World) Fatal(format string, args ...any) {
	w.T.Helper()
	for _, line := range w.log {
		w.T.Log(line)
	}
	if os.Getenv("SLIPSTREAM_SEED") != "" {
		for _, line := range w.Disk.Trace() {
			w.T.Log(line)
		}
	}
	w.T.Fatalf(format, args...)
}

// Count adds n to the count of an event. Plan.Meets may require the event.
func (w *World) Count(name string, n int) {
	if n == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Met[name] += n
}

// Phase sets the current phase of the service, such as "start", "work" or "close". Crashes are
// counted for each phase.
func (w *World) Phase(name string) {
	w.mu.Lock()
	w.phase = name
	w.phases++
	crash := w.phases == w.crashIn
	w.mu.Unlock()
	if crash && !w.Crashed() {
		w.Disk.CrashAt(w.crashAt)
	}
}

// phases is the number of phases between a start and the next stop of the service.
const phases = 3

// delay returns a function that returns a random delay for each call. The delay is up to 100 µs,
// and occasionally up to `most`.
func delay(most time.Duration) func(c faulty.Call) time.Duration {
	return func(c faulty.Call) time.Duration {
		if c.Rand.IntN(50) == 0 {
			return time.Duration(c.Rand.Int64N(int64(most)))
		}
		return time.Duration(1 + c.Rand.Int64N(int64(100*time.Microsecond)))
	}
}

// kinds lists the kinds of calls for which Faults may make the nth call fail.
var kinds = []string{
	"Open", "ReadDir", "Stat", "Lstat", "Mkdir", "Rename", "Link", "Remove", "SyncDir", "Free", "Size", "Lock",
	"Read", "ReadAt", "WriteAt", "WriteVec", "Truncate", "Allocate", "Zero", "Sync", "Datasync",
}

// Faults chooses the faults that the disk has until the next start of the service. The disk may
// also crash at a call. The argument `root` is the directory that contains the directories of the
// tables: db/t0 and so on.
func (w *World) Faults(root string) {
	w.Broken, w.Well, w.Small = "", false, false
	o := faulty.Options{Delay: delay(time.Second), Crashed: w.Power()}
	kind := "sound"
	switch w.Rand.IntN(8) {
	case 0:
		kind = "calls fail now and then"
		o.Fail = func(c faulty.Call) error {
			if c.Rand.IntN(300) == 0 {
				return []error{syscall.EIO, syscall.ENOSPC}[c.Rand.IntN(2)]
			}
			return nil
		}
	case 1:
		kind = "the calls below " + root + " fail often"
		o.Fail = func(c faulty.Call) error {
			if c.Rand.IntN(10) == 0 && strings.HasPrefix(c.Path, root) {
				return syscall.EIO
			}
			return nil
		}
	case 2:
		o.Size = int64(100<<10 + w.Rand.IntN(400<<10))
		kind = fmt.Sprint(o.Size>>10, " KB")
		w.Small = true
		w.Count("small disks", 1)
	case 3:
		w.Broken = fmt.Sprint(root, "/db/t", w.Rand.IntN(3))
		kind = w.Broken + " fails"
		broken := w.Broken
		o.Fail = func(c faulty.Call) error {
			if strings.HasPrefix(c.Path, broken) {
				return syscall.EIO
			}
			return nil
		}
	case 4:
		kind = "slow"
		o.Delay = delay(time.Minute)
		w.Count("slow disks", 1)
	case 5, 6:
		name, nth, err := kinds[w.Rand.IntN(len(kinds))], 1+w.Rand.IntN(1<<w.Rand.IntN(7)), []error{syscall.EIO, syscall.ENOSPC}[w.Rand.IntN(2)]
		kind = fmt.Sprintf("%s number %d fails: %v", name, nth, err)
		n := 0
		o.Fail = func(c faulty.Call) error {
			if c.Name != name {
				return nil
			}
			if n++; n != nth {
				return nil
			}
			return err
		}
	default:
		w.Well = true
	}
	if o.Fail != nil {
		o.Fail = w.counted(transient(o.Fail))
	}
	if w.Rand.IntN(2) == 0 {
		o.Short = func(c faulty.Call) bool {
			if c.Rand.IntN(10) > 0 {
				return false
			}
			w.Count("short "+c.Name, 1)
			return true
		}
	}
	w.disk = o
	w.Disk.Set(o)
	when := "no crash"
	w.phases, w.crashIn = 0, 0
	if w.Rand.IntN(4) > 0 {
		w.crashIn = 1 + w.Rand.IntN(phases)
		w.crashAt = 1 + w.Rand.IntN(1<<(1+w.Rand.IntN([phases]int{7, 11, 5}[w.crashIn-1])))
		when = fmt.Sprintf("crash at call %d of phase %d", w.crashAt, w.crashIn)
	}
	w.Say("a disk: %s, %s", kind, when)
}

// AlsoFail adds calls that fail until the next start: a call fails if the function `fail` returns
// an error for it. The calls that already fail continue to fail.
func (w *World) AlsoFail(kind string, fail func(faulty.Call) error) {
	w.Say("besides, %s", kind)
	w.Well, w.Small = false, false
	before := w.disk.Fail
	w.disk.Fail = w.counted(fail)
	if also := w.disk.Fail; before != nil {
		w.disk.Fail = func(c faulty.Call) error { return cmp.Or(before(c), also(c)) }
	}
	w.Disk.Set(w.disk)
}

// Sound removes all faults from the disk. A crash that is already planned still happens.
func (w *World) Sound() {
	w.Disk.Set(faulty.Options{Delay: delay(time.Millisecond), Crashed: w.crashed})
}

// Power turns the machine on. It returns a function that the disk must call when it crashes.
func (w *World) Power() (crashed func(c faulty.Call)) {
	off, crash := context.WithCancel(context.Background())
	w.Off = off
	w.crashed = func(c faulty.Call) {
		w.mu.Lock()
		phase := w.phase
		w.mu.Unlock()
		w.Count("crash: "+phase, 1)
		w.Count("crash at "+c.Name, 1)
		crash()
	}
	return w.crashed
}

// counted returns a function that works like the function `fail`, and also counts the failed calls
// by name and error.
func (w *World) counted(fail func(faulty.Call) error) func(faulty.Call) error {
	return func(c faulty.Call) error {
		err := fail(c)
		if err != nil {
			w.Count(fmt.Sprintf("%s fails: %v", c.Name, err), 1)
		}
		return err
	}
}

// transient returns a function that works like the function `fail`, but makes reads fail at most
// three times in a row. Data that can never be read would be damage, and this function does not
// simulate damage.
func transient(fail func(faulty.Call) error) func(faulty.Call) error {
	failed := 0
	return func(c faulty.Call) error {
		err := fail(c)
		if c.Name != "ReadAt" && c.Name != "Read" {
			return err
		}
		if failed++; err == nil || failed > 3 {
			failed = 0
			return nil
		}
		return err
	}
}

// Crashed reports whether the disk has crashed.
func (w *World) Crashed() bool { return w.Off.Err() != nil }

// Next restarts the machine if the disk has crashed. Otherwise it chooses at random whether the
// machine or only the process restarts.
func (w *World) Next() {
	w.crashIn = 0
	if w.Crashed() || w.Rand.IntN(2) == 0 {
		w.Say("the machine stops")
		w.Count("lives that end with the machine", 1)
		w.Reboot()
		return
	}
	w.Say("the process stops")
	w.Count("lives that end with the process", 1)
	w.digests = append(w.digests, w.Disk.Digest())
	w.Disk = w.Disk.Kill()
}

// Reboot turns the machine off and on again.
func (w *World) Reboot() {
	w.digests = append(w.digests, w.Disk.Digest())
	w.Disk = w.Disk.Crash()
}

// Digest returns a hash of the calls to all disks so far, with their outcomes and times.
func (w *World) Digest() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, w.digests, w.Disk.Digest())
	return h.Sum64()
}
