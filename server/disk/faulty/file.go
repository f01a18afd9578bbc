package faulty

import (
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"syscall"
)

// file is an open file.
type file struct {
	d      *Disk
	n      *node
	path   string
	off    int64 // offset for the next Read or Write
	closed bool
}

// begin is like Disk.begin, but also fails if the file is closed.
func (f *file) begin(name string) (fault error, err error) {
	fault, err = f.d.begin(name, f.path)
	if err == nil && f.closed {
		f.d.mu.Unlock()
		return nil, failed(name, f.path, fs.ErrClosed)
	}
	return fault, err
}

func (f *file) Name() string { return f.path }

func (f *file) Read(b []byte) (int, error) {
	n, err := f.read("Read", b, f.off)
	if f.off += int64(n); n > 0 {
		err = nil
	}
	return n, err
}

func (f *file) ReadAt(b []byte, off int64) (int, error) { return f.read("ReadAt", b, off) }

func (f *file) read(name string, b []byte, off int64) (int, error) {
	fault, err := f.begin(name)
	if err != nil {
		return 0, err
	}
	defer f.d.mu.Unlock()
	if fault != nil {
		return 0, fault
	}
	if name == "Read" {
		b = b[:f.d.shortened(name, f.path, len(b))]
	}
	n := f.n.data.read(b, off)
	if n < len(b) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) Write(b []byte) (int, error) {
	n, err := f.WriteAt(b, f.off)
	f.off += int64(n)
	return n, err
}

func (f *file) WriteAt(b []byte, off int64) (int, error) {
	n, err := f.write("WriteAt", b, off)
	if err == nil && n < len(b) {
		err = failed("write", f.path, syscall.ENOSPC)
	}
	return n, err
}

func (f *file) WriteVec(vecs [][]byte, off int64) (int, error) {
	b := slices.Concat(vecs...)
	n, err := f.write("WriteVec", b, off)
	if err == nil && n == 0 && len(b) > 0 {
		err = failed("write", f.path, syscall.ENOSPC)
	}
	return n, err
}

// write writes the beginning of b for which the disk has space.
func (f *file) write(name string, b []byte, off int64) (int, error) {
	fault, err := f.begin(name)
	if err != nil {
		return 0, err
	}
	defer f.d.mu.Unlock()
	if !done(fault) { // a random part of it is written
		b = b[:f.d.rand.IntN(len(b)+1)]
	} else if name == "WriteVec" {
		b = b[:f.d.shortened(name, f.path, len(b))]
	}
	if more := off + int64(len(b)) - max(f.n.data.size, f.n.reserved); more > 0 {
		b = b[:max(0, int64(len(b))-max(0, more-f.d.free()))]
	}
	if len(b) > 0 {
		f.n.write(write{off: off, b: slices.Clone(b)})
	}
	if fault != nil {
		return 0, fault
	}
	return len(b), nil
}

func (f *file) Truncate(size int64) error {
	return f.resize("Truncate", size, func() { f.n.resize(size) })
}

func (f *file) Allocate(off, n int64) error {
	return f.resize("Allocate", off+n, func() {
		if off+n > f.n.data.size {
			f.n.resize(off + n)
		}
		f.n.reserved = max(f.n.reserved, off+n)
	})
}

func (f *file) Zero(size int64) error {
	return f.resize("Zero", size, func() {
		f.n.write(write{size: 0})
		f.n.resize(size)
		f.n.reserved = max(f.n.reserved, size)
	})
}

// resize runs a call that changes the size of the file to `size` bytes.
func (f *file) resize(name string, size int64, change func()) error {
	fault, err := f.begin(name)
	if err != nil {
		return err
	}
	defer f.d.mu.Unlock()
	if !done(fault) {
		return fault
	}
	if size-max(f.n.data.size, f.n.reserved) > f.d.free() {
		return failed(name, f.path, syscall.ENOSPC)
	}
	change()
	return fault
}

func (f *file) Sync() error     { return f.sync("Sync") }
func (f *file) Datasync() error { return f.sync("Datasync") }

func (f *file) sync(name string) error {
	fault, err := f.begin(name)
	if err != nil {
		return err
	}
	defer f.d.mu.Unlock()
	if done(fault) {
		f.n.settle()
	} else {
		f.n.lose(f.d.rand)
	}
	return fault
}

func (f *file) Stat() (fs.FileInfo, error) {
	fault, err := f.begin("Stat")
	if err != nil {
		return nil, err
	}
	defer f.d.mu.Unlock()
	return f.n.info(filepath.Base(f.path)), fault
}

// Close has no simulated faults, because closing a file does not affect its data.
func (f *file) Close() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return failed("close", f.path, fs.ErrClosed)
	}
	f.closed = true
	if f.d.nodes != nil { // otherwise Kill has moved the nodes to the disk of the next process
		f.n.opens--
		f.d.release(f.n)
	}
	return nil
}
