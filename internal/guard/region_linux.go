package guard

import (
	"syscall"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Region is memory between two pages that cannot be accessed.
type Region struct {
	Bytes []byte // whole pages
	all   []byte // Bytes with the pages before and after it
	prot  int    // protection of Bytes
}

// NewRegion returns a Region with the minimum number of pages for n bytes, but at least one page.
func NewRegion(n int) *Region {
	page := syscall.Getpagesize()
	size := max(1, (n+page-1)/page) * page
	all, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic("guard: " + err.Error())
	}
	r := &Region{Bytes: all[page : page+size : page+size], all: all}
	r.Writable()
	return r
}

// ReadOnly makes the Region read-only: a write faults.
func (r *Region) ReadOnly() { r.protect(syscall.PROT_READ) }

// IsReadOnly reports whether the Region is read-only.
func (r *Region) IsReadOnly() bool { return r.prot == syscall.PROT_READ }

// NoAccess makes the Region unreadable and unwritable.
func (r *Region) NoAccess() { r.protect(syscall.PROT_NONE) }

// Writable makes the Region writable again.
func (r *Region) Writable() { r.protect(syscall.PROT_READ | syscall.PROT_WRITE) }

// Contains reports whether p points into Bytes.
func (r *Region) Contains(p mem.Raw) bool {
	from := uintptr(mem.RawTo(&r.Bytes[0]))
	return from <= uintptr(p) && uintptr(p) < from+uintptr(len(r.Bytes))
}

// Free unmaps the memory. Any later access to it faults.
func (r *Region) Free() {
	if err := syscall.Munmap(r.all); err != nil {
		panic("guard: " + err.Error())
	}
}

func (r *Region) protect(prot int) {
	if err := syscall.Mprotect(r.Bytes, prot); err != nil {
		panic("guard: " + err.Error())
	}
	r.prot = prot
}
