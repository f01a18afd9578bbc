//go:build unix && !linux

package wal

import (
	"errors"
	"os"
)

// maxVecs bounds nothing here: one call writes them all.
const maxVecs = 1 << 30

func (f diskFile) writeVec(vecs [][]byte, off int64) (n int, err error) {
	for _, v := range vecs {
		k, err := f.WriteAt(v, off+int64(n))
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func (f diskFile) datasync() error {
	return f.Sync()
}

func allocate(*os.File, int64, int64) error {
	return errors.ErrUnsupported
}

const canZero = false

func zero(*os.File, int64) error {
	return errors.ErrUnsupported
}
