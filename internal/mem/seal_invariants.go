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

// sealed describes a chunk of memory in which some bytes are strings.
type sealed struct {
	base   uintptr
	mu     sync.Mutex
	spans  []span // the bytes that are strings, in order
	copied []byte // the bytes of the chunk at the time when they were sealed, including the gaps between spans
}

type span struct{ from, to int }

// sealedPages lists the sealed chunks by the memory page on which they lie. Several pages may share
// a list. A list is never modified, only replaced.
var (
	sealedPages [1 << 14]atomic.Pointer[[]*sealed]
	sealing     sync.Mutex
)

const sealedPage = 12 // number of bits in the offset within a page

func sealedAt(addr uintptr) *atomic.Pointer[[]*sealed] {
	return &sealedPages[addr>>sealedPage%uintptr(len(sealedPages))]
}

// Seal marks the last n bytes of b as a string. It panics if bytes that were sealed earlier have
// changed. A finalizer makes the same check when the chunk is no longer used.
func Seal(b []byte, n int) {
	if cap(b) < 32 {
		return // such small objects may share a block, and then a finalizer does not run for each of them
	}
	first, size := unsafe.SliceData(b), cap(b) // a reference to b would keep its array alive
	s := findSealed(uintptr(unsafe.Pointer(first)))
	if s == nil {
		s = &sealed{base: uintptr(unsafe.Pointer(first))}
		s.enter(size, func(all []*sealed) []*sealed { return append(slices.Clone(all), s) })
		runtime.SetFinalizer(first, func(first *byte) {
			s.check(unsafe.Slice(first, size))
			s.enter(size, func(all []*sealed) []*sealed {
				return slices.DeleteFunc(slices.Clone(all), func(o *sealed) bool { return o == s })
			})
		})
	}
	s.check(b)
	s.add(b, n)
}

// enter applies the function `change` to the list of each page that contains one of the n bytes at
// s.base.
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

// check panics if sealed bytes of b have changed.
func (s *sealed) check(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.spans {
		if had := s.copied[x.from:x.to]; x.to > len(b) || !bytes.Equal(had, b[x.from:x.to]) {
			panic(fmt.Sprintf("mem: strings that were handed out have changed: %q, now %q", had, b[x.from:min(x.to, len(b))]))
		}
	}
}

// add records that the last n bytes of b are sealed.
func (s *sealed) add(b []byte, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.copied = append(s.copied, b[len(s.copied):]...)
	from := len(b) - n
	if k := len(s.spans); k > 0 && s.spans[k-1].to == from {
		s.spans[k-1].to = len(b)
	} else {
		s.spans = append(s.spans, span{from, len(b)})
	}
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
			s.writable(int(uintptr(p)-s.base), n)
		}
	}
}

// writable panics if one of the n bytes at the offset `from` is part of a string.
func (s *sealed) writable(from, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.spans {
		if from < x.to && x.from < from+n {
			panic(fmt.Sprintf("mem: store of %d bytes at %d of a chunk whose bytes %d to %d are strings", n, from, x.from, x.to))
		}
	}
}
