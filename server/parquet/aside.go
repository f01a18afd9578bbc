package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/table"
)

// Aside is a sink for the files of a table whose own directory cannot be written. It keeps the
// files until they can be moved to the table's directory.
type Aside struct {
	*Sink
	home *Sink // sink to which the files are moved back
}

var _ table.Aside = (*Aside)(nil)

// NewAside returns a sink for the directory, like New. The files of this sink are later moved to
// the sink `home`.
func NewAside(dir string, home *Sink) (*Aside, error) {
	s, err := New(dir, home.options)
	if err != nil {
		return nil, err
	}
	return &Aside{s, home}, nil
}

// Return implements [table.Aside]. The file keeps its old name until the new name is on disk, so a
// crash does not lose the file.
func (a *Aside) Return(name string) error {
	from, err := a.path(name)
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	to, err := a.home.path(name)
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	if err := a.link(from, to); err != nil {
		return fmt.Errorf("parquet: returning %s: %w", name, err)
	}
	return a.Remove(name)
}

// link durably creates a hard link: the file at the path `from` gets the second name `to`.
func (a *Aside) link(from, to string) error {
	d := a.options.Disk
	if err := a.home.dirs.ensure(filepath.Dir(to)); err != nil {
		return err
	}
	err := d.Link(from, to)
	switch {
	case errors.Is(err, fs.ErrExist):
		if same, e := a.same(from, to); e != nil {
			return e
		} else if !same {
			return err
		}
	case errors.Is(err, syscall.EXDEV), errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.EPERM):
		return a.copy(from, to)
	case err != nil:
		return err
	}
	return d.SyncDir(filepath.Dir(to))
}

// copy copies the file. It is called instead of link if the paths are on different file systems, or
// if the file system does not support hard links.
func (a *Aside) copy(from, to string) error {
	d := a.options.Disk
	in, err := d.Open(from, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	temp := filepath.Join(filepath.Dir(to), tempPrefix+filepath.Base(to)+tempSuffix)
	out, err := d.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, disk.FileMode())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	if e := out.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = disk.Publish(d, temp, to)
	}
	if err != nil {
		d.Remove(temp) // if this fails, New removes it
		if errors.Is(err, fs.ErrExist) {
			if same, e := a.same(from, to); e == nil && same {
				return d.SyncDir(filepath.Dir(to))
			}
		}
	}
	return err
}

// same reports whether two files have the same content. After a crash in the middle of Return, two
// such files exist.
func (a *Aside) same(from, to string) (bool, error) {
	x, err := a.options.Disk.Open(from, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer x.Close()
	y, err := a.options.Disk.Open(to, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer y.Close()
	p, q := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errX := io.ReadFull(x, p)
		m, errY := io.ReadFull(y, q)
		if !bytes.Equal(p[:n], q[:m]) {
			return false, nil
		}
		if errX != nil || errY != nil {
			return true, notEnd(errors.Join(errX, errY))
		}
	}
}

// notEnd returns err, or nil if err reports the end of a file.
func notEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
