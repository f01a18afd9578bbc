//go:build linux && (amd64 || arm64)

package column

import (
	"errors"
	"syscall"
	"testing"
)

// A column rejects strings that exceed the range of its offsets, and stays unchanged. The 4 GiB of
// text are reserved addresses without memory, so the column must not read them.
func TestTextLimit(t *testing.T) {
	text, err := syscall.Mmap(-1, 0, 1<<32-1, syscall.PROT_READ, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_NORESERVE)
	if err != nil {
		t.Skip("no addresses for 4 GiB: ", err)
	}
	defer syscall.Munmap(text)
	c := &Column{Kind: String, Rows: 1, Text: text, Ends: []uint32{1<<32 - 1}}
	if err := c.AppendString([]byte("x")); !errors.Is(err, ErrTextTooLong) || c.Rows != 1 || len(c.Ends) != 1 {
		t.Error(c.Rows, err)
	}
	one := &Column{Kind: String, Rows: 1, Text: []byte("x"), Ends: []uint32{1}}
	if err := c.AppendColumn(one, 0, 1); !errors.Is(err, ErrTextTooLong) || c.Rows != 1 || len(c.Ends) != 1 {
		t.Error(c.Rows, err)
	}
	if err := c.AppendString(nil); err != nil || c.Rows != 2 || len(c.StringAt(1)) != 0 {
		t.Error(c.Rows, err)
	}
}
