//go:build invariants

package mem

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// sealed is the memory of a chunk from whose front strings have been cut.
type sealed struct {
	base   uintptr
	n      atomic.Int64 // bytes that are strings
	mu     sync.Mutex
	copied []byte // those n, as they were when they were sealed
}

// sealedPages finds what is sealed by the page it lies on; pages may share a list. A list never changes.
var (
	sealedPages [1 << 14]atomic.Pointer[[]*sealed]
	sealing     sync.Mutex
)

const sealedPage = 12 // bits of an offset in a page

func sealedAt(addr uintptr) *atomic.Pointer[[]*sealed] {
	return &sealedPages[addr>>sealedPage%uintptr(len(sealedPages))]
}

// Seal notes that the bytes of b are strings from now on. It panics if those that were sealed before have changed since; so does the
// collector when it finds the chunk unused.
func Seal(b []byte) {
	if cap(b) < 32 {
		return // such objects may share a block, which no finalizer tells apart
	}
	first, size := unsafe.SliceData(b), cap(b) // b itself would keep its array from the finalizer
	s := findSealed(uintptr(unsafe.Pointer(first)))
	if s == nil {
		s = &sealed{base: uintptr(unsafe.Pointer(first))}
		s.enter(size, func(all []*sealed) []*sealed { return append(slices.Clone(all), s) })
		runtime.SetFinalizer(first, func(first *byte) {
			s.check(unsafe.Slice(first, s.n.Load()))
			s.enter(size, func(all []*sealed) []*sealed {
				return slices.DeleteFunc(slices.Clone(all), func(o *sealed) bool { return o == s })
			})
		})
	}
	s.check(b)
	s.n.Store(int64(len(b)))
}

// enter changes the lists of the pages that n bytes from s.base touch.
func (s *sealed) enter(n int, change func([]*sealed) []*sealed) {
	sealing.Lock()
	defer sealing.Unlock()
	for page := s.base >> sealedPage; page <= (s.base+uintptr(n)-1)>>sealedPage; page++ {
		at := sealedAt(page << sealedPage)
		var all []*sealed
		if old := at.Load(); old != nil {
			all = *old
		}
		if all = change(all); len(all) == 0 {
			at.Store(nil)
		} else {
			at.Store(&all)
		}
	}
}

// check holds b against what was sealed, and takes a copy of what is new.
func (s *sealed) check(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(b) < len(s.copied) {
		panic(fmt.Sprintf("mem: %d bytes of a chunk are strings, and now %d are", len(s.copied), len(b)))
	}
	if !bytes.Equal(s.copied, b[:len(s.copied)]) {
		panic(fmt.Sprintf("mem: strings that were handed out have changed:\n%q, now\n%q", s.copied, b[:len(s.copied)]))
	}
	s.copied = append(s.copied, b[len(s.copied):]...)
}

func findSealed(addr uintptr) *sealed {
	if all := sealedAt(addr).Load(); all != nil {
		for _, s := range *all {
			if s.base == addr {
				return s
			}
		}
	}
	return nil
}

// writable panics if one of the n bytes at p is part of a string.
func writable(p unsafe.Pointer, n int) {
	for at, end := uintptr(p), uintptr(p)+uintptr(n); at < end; at = (at>>sealedPage + 1) << sealedPage {
		all := sealedAt(at).Load()
		if all == nil {
			continue
		}
		for _, s := range *all {
			if last := s.base + uintptr(s.n.Load()); uintptr(p) < last && s.base < end {
				panic(fmt.Sprintf("mem: store of %d bytes at offset %d of a chunk whose first %d bytes are strings", n, int(uintptr(p)-s.base), s.n.Load()))
			}
		}
	}
}
