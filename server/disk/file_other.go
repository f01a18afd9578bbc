//go:build unix && !linux

package disk

import "errors"

// MaxVecs is the maximum number of slices in a call of WriteVec. On these systems there is no limit
// in practice.
const MaxVecs = 1 << 30

func (f osFile) WriteVec(vecs [][]byte, off int64) (n int, err error) {
	for _, v := range vecs {
		k, err := f.WriteAt(v, off+int64(n))
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func (f osFile) Datasync() error {
	return f.Sync()
}

func (osFile) Allocate(off, n int64) error { return errors.ErrUnsupported }

func (osFile) Zero(size int64) error { return errors.ErrUnsupported }
