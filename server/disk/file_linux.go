package disk

import (
	"os"

	"golang.org/x/sys/unix"
)

// MaxVecs is the maximum number of slices in a call of WriteVec: IOV_MAX.
const MaxVecs = 1024

func (f osFile) WriteVec(vecs [][]byte, off int64) (n int, err error) {
	err = uninterrupted(func() error {
		n, err = unix.Pwritev(int(f.Fd()), vecs, off)
		return err
	})
	return n, os.NewSyscallError("pwritev", err)
}

// Datasync does not sync metadata that is not needed to read the data, such as times.
func (f osFile) Datasync() error {
	err := uninterrupted(func() error { return unix.Fdatasync(int(f.Fd())) })
	return os.NewSyscallError("fdatasync", err)
}

func (f osFile) Allocate(off, n int64) error {
	err := uninterrupted(func() error { return unix.Fallocate(int(f.Fd()), 0, off, n) })
	return os.NewSyscallError("fallocate", err)
}

// The method Zero keeps the existing blocks of the file.
func (f osFile) Zero(size int64) error {
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
