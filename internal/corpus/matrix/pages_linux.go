package matrix

import (
	"syscall"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// page is memory of its own that ends where the next page cannot be touched.
type page struct {
	all    []byte // with the page after it
	size   int    // without
	frozen bool
}

// newPage returns n bytes at the end of a page, which can be written until it is protected.
func newPage(n int) (p *page, b []byte) {
	unit := syscall.Getpagesize()
	size := (n + unit - 1) / unit * unit
	all, err := syscall.Mmap(-1, 0, size+unit, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	p = &page{all, size, false}
	p.set(all[size:], syscall.PROT_NONE)
	return p, all[size-n : size : size]
}

// protect makes p read-only, or writable.
func (p *page) protect(readOnly bool) {
	if p.frozen = readOnly; p.size == 0 {
		return
	}
	if readOnly {
		p.set(p.all[:p.size], syscall.PROT_READ)
	} else {
		p.set(p.all[:p.size], syscall.PROT_READ|syscall.PROT_WRITE)
	}
}

// readOnly reports whether p cannot be written.
func (p *page) readOnly() bool { return p.frozen }

// has reports whether q lies in p.
func (p *page) has(q mem.Pointer) bool {
	from := uintptr(mem.PointerTo(&p.all[0]))
	return from <= uintptr(q) && uintptr(q) < from+uintptr(p.size)
}

func (p *page) set(b []byte, prot int) {
	if err := syscall.Mprotect(b, prot); err != nil {
		panic(err)
	}
}

func (p *page) free() {
	if err := syscall.Munmap(p.all); err != nil {
		panic(err)
	}
}
