//go:build !linux

package matrix

import "github.com/slipstream-go/slipstream/internal/mem"

// page is plain memory: nothing notices a write to it but the comparison of contents.
type page struct{}

func newPage(n int) (p *page, b []byte) { return new(page), make([]byte, (n+7)/8*8)[:n:n] }

func (p *page) protect(bool) {}

func (p *page) readOnly() bool { return false }

func (p *page) has(mem.Pointer) bool { return false }

func (p *page) free() {}
