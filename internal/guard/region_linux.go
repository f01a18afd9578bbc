package guard

import "syscall"

// Region is memory between two pages that cannot be touched.
type Region struct {
	Bytes []byte // whole pages
	all   []byte // with the pages around them
}

// NewRegion returns a Region of the fewest pages that hold n bytes, at least one.
func NewRegion(n int) *Region {
	page := syscall.Getpagesize()
	size := max(1, (n+page-1)/page) * page
	all, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic("guard: " + err.Error())
	}
	r := &Region{all[page : page+size : page+size], all}
	r.protect(syscall.PROT_READ | syscall.PROT_WRITE)
	return r
}

// ReadOnly makes the Region unwritable: a write faults.
func (r *Region) ReadOnly() { r.protect(syscall.PROT_READ) }

// NoAccess makes the Region unreadable and unwritable.
func (r *Region) NoAccess() { r.protect(syscall.PROT_NONE) }

// Writable makes the Region writable again.
func (r *Region) Writable() { r.protect(syscall.PROT_READ | syscall.PROT_WRITE) }

// Free gives the memory back. Whatever refers to it faults from then on.
func (r *Region) Free() {
	if err := syscall.Munmap(r.all); err != nil {
		panic("guard: " + err.Error())
	}
}

func (r *Region) protect(prot int) {
	if err := syscall.Mprotect(r.Bytes, prot); err != nil {
		panic("guard: " + err.Error())
	}
}
