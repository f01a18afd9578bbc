package wal

import (
	"os"

	"golang.org/x/sys/unix"
)

// maxVecs is IOV_MAX.
const maxVecs = 1024

func (f diskFile) writeVec(vecs [][]byte, off int64) (n int, err error) {
	err = uninterrupted(func() error {
		n, err = unix.Pwritev(int(f.Fd()), vecs, off)
		return err
	})
	return n, os.NewSyscallError("pwritev", err)
}

// datasync leaves out what reading the data back does not need, such as times.
func (f diskFile) datasync() error {
	err := uninterrupted(func() error { return unix.Fdatasync(int(f.Fd())) })
	return os.NewSyscallError("fdatasync", err)
}

func allocate(f *os.File, off, n int64) error {
	err := uninterrupted(func() error { return unix.Fallocate(int(f.Fd()), 0, off, n) })
	return os.NewSyscallError("fallocate", err)
}

// canZero says that zero may work.
const canZero = true

// zero makes f size bytes of zeros, which is no longer than size, and keeps the blocks that it has.
func zero(f *os.File, size int64) error {
	err := uninterrupted(func() error { return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_ZERO_RANGE, 0, size) })
	return os.NewSyscallError("fallocate", err)
}

func uninterrupted(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}
