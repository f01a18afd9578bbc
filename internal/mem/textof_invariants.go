//go:build invariants

package mem

import "fmt"

// This file contains the functions of textof.go, with checks of their preconditions.

func SetString(p *string, b []byte, i, n int) {
	if n <= 0 || i < 0 || i > len(b)-n {
		panic(fmt.Sprintf("mem: a string of %d bytes at %d of %d", n, i, len(b)))
	}
	*p = String(b[i : i+n])
}

func SetText(p *string, s string, i, n int) { SetString(p, Bytes(s), i, n) }
