package growth

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"weak"
)

const (
	heldMost  = 256 << 10 // maximum number of bytes that may stay in use after a large message
	heldSteps = 24        // number of small messages after the large message
	heldSmall = 256       // size of a small message in bytes
	heldLong  = 16 << 20  // size of the large message in bytes, in the long test
	heldShort = 2 << 20   // the same in the short test
)

// CheckHeld asserts that little memory stays in use after large messages. It runs in a separate
// process: see [Apart].
func CheckHeld(t *testing.T, cases []Held) {
	if raced {
		t.Skip("the race detector empties pools at random, and the tag invariants allocates")
	}
	if !Apart(t) {
		return
	}
	large := heldShort
	if long(t) > 0 {
		large = heldLong
	}
	for _, h := range cases {
		t.Run(h.Name, func(t *testing.T) {
			if err := h.check(large); err != nil {
				t.Error(err)
			}
		})
	}
}

// check runs the messages twice. In the first run, all results are dropped. In the second run, the
// results of small messages are kept.
func (h Held) check(large int) error {
	if h.Large > 0 {
		large = h.Large
	}
	// With one processor, a pool returns the object that was last put into it.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for _, keep := range []bool{false, true} {
		if keep && h.Kept == 0 {
			break
		}
		runtime.GC()
		runtime.GC() // now pools are empty
		step := h.Start(large, heldSmall)
		kept := make([]any, 0, heldSteps)
		step(heldSmall)
		before := live()
		step(large)
		for range heldSteps {
			// An object in a pool survives one collection after its last use, so each collection is
			// followed by a use.
			runtime.GC()
			if v := step(heldSmall); keep {
				kept = append(kept, v)
			}
		}
		held, bound := live()-before, heldMost
		if keep {
			bound += int(h.Kept * heldSteps * heldSmall)
		}
		runtime.KeepAlive(step)
		runtime.KeepAlive(kept)
		if held > bound {
			return fmt.Errorf("%d KB stay in use after a message of %d KB and %d small messages (small results kept: %t); the maximum is %d KB",
				held>>10, large>>10, heldSteps, keep, bound>>10)
		}
	}
	return nil
}

// live returns the number of bytes on the heap that are reachable, including objects in pools.
func live() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// CheckForgets asserts that pools do not refer to memory of a caller, such as the input, after the
// call has returned. Each function in the map `uses` allocates memory, uses this memory in a call,
// and returns a pointer to the memory.
func CheckForgets(t *testing.T, uses map[string]func() *byte) {
	if raced {
		t.Skip("the race detector empties pools at random, and the tag invariants keeps memory of its own")
	}
	for name, use := range uses {
		t.Run(name, func(t *testing.T) {
			if refersTo(use) {
				t.Error("something refers to memory of the call after it has returned")
			}
		})
	}
}

// refersTo calls the function `use`, which returns a pointer, and reports whether some object still
// refers to that memory.
func refersTo(use func() *byte) bool {
	// With one processor, a pool returns the object that was last put into it.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	memory := weak.Make(use())
	runtime.GC() // only once, since a second collection would empty the pools
	return memory.Value() != nil
}
