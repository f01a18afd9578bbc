package parquet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/table"
)

// Options configures a sink.
type Options struct {
	Codec   Codec
	Version string    // version of the program, for created_by in the files; "dev" if empty
	Disk    disk.Disk // disk.OS if nil
}

// createdBy returns the value of created_by, in the form that parquet-mr parses. Parquet-mr
// distrusts the statistics of files whose writer it cannot identify.
func (o Options) createdBy() string {
	if o.Version == "" {
		return "slipstream version dev"
	}
	return "slipstream version " + o.Version
}

// Sink writes Parquet files below one directory. It is safe for concurrent use. For each file that
// is being written, it uses the memory of a few column chunks.
type Sink struct {
	root    string
	options Options
	dirs    dirs
	writers sync.Pool // pool of *writer
}

var _ table.Sink = (*Sink)(nil)

// New returns a sink for the directory. It creates the directory if needed. It removes temporary
// files that remain in the directory after a crash. Only one process at a time may use a directory.
func New(dir string, o Options) (*Sink, error) {
	if int(o.Codec) >= len(codecNames) {
		return nil, fmt.Errorf("parquet: unknown codec %v", o.Codec)
	}
	root, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	if o.Disk == nil {
		o.Disk = disk.OS
	}
	if err := disk.MkdirAll(o.Disk, root); err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	if err := sweep(o.Disk, root); err != nil {
		return nil, fmt.Errorf("parquet: removing the temporary files of an earlier run: %w", err)
	}
	return &Sink{root: root, options: o, dirs: dirs{disk: o.Disk, root: root}}, nil
}

const (
	tempPrefix = "."
	tempSuffix = ".tmp"
)

// sweep removes the temporary files in a directory and in all directories below it.
func sweep(d disk.Disk, dir string) error {
	entries, err := d.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case e.IsDir():
			err = sweep(d, filepath.Join(dir, name))
		case e.Type().IsRegular() && strings.HasPrefix(name, tempPrefix) && strings.HasSuffix(name, tempSuffix):
			err = d.Remove(filepath.Join(dir, name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// path returns the file's path in the file system.
func (s *Sink) path(name string) (string, error) {
	if !fs.ValidPath(name) || name == "." || strings.HasPrefix(filepath.Base(name), ".") || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%q is not the path of a file below the root", name)
	}
	return filepath.Join(s.root, filepath.FromSlash(name)), nil
}

// Land implements [table.Sink].
func (s *Sink) Land(ctx context.Context, f *table.File) (bytes int64, err error) {
	path, err := s.path(f.Path)
	if err != nil {
		return 0, fmt.Errorf("parquet: %w", err)
	}
	bytes, err = s.make(ctx, f, path, func(temp string) error { return disk.Publish(s.options.Disk, temp, path) })
	if err != nil {
		return 0, fmt.Errorf("parquet: writing %s: %w", f.Path, err)
	}
	return bytes, nil
}

// make writes a file under a temporary name and syncs it. Then it calls the function `publish`,
// which gives the file its final name. It returns the file's size.
func (s *Sink) make(ctx context.Context, f *table.File, path string, publish func(temp string) error) (int64, error) {
	dir := filepath.Dir(path)
	temp := filepath.Join(dir, tempPrefix+filepath.Base(path)+tempSuffix)
	out, err := s.dirs.create(dir, temp)
	if err != nil {
		return 0, err
	}
	bytes, err := s.fill(ctx, out, f)
	if err == nil {
		err = publish(temp)
	}
	if err != nil {
		s.options.Disk.Remove(temp) // if this fails, New removes it
		return 0, err
	}
	return bytes, nil
}

// fill durably writes the content of the file to out, and closes out.
func (s *Sink) fill(ctx context.Context, out disk.File, f *table.File) (bytes int64, err error) {
	w, err := s.writer()
	if err == nil {
		defer s.release(w)
		err = w.write(ctx, out, f)
		bytes = w.at
	}
	if err == nil {
		err = out.Sync()
	}
	return bytes, cmp.Or(err, out.Close())
}

// Exists implements [table.Sink].
func (s *Sink) Exists(name string) (bool, error) {
	path, err := s.path(name)
	if err != nil {
		return false, fmt.Errorf("parquet: %w", err)
	}
	_, err = s.options.Disk.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Remove implements [table.Sink].
func (s *Sink) Remove(name string) error {
	path, err := s.path(name)
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	err = s.options.Disk.Remove(path)
	if err == nil || errors.Is(err, fs.ErrNotExist) { // a missing file may have been removed just before a crash, without a sync
		err = s.options.Disk.SyncDir(filepath.Dir(path))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("parquet: removing %s: %w", name, err)
	}
	return nil
}

func (s *Sink) writer() (*writer, error) {
	if w, ok := s.writers.Get().(*writer); ok {
		return w, nil
	}
	return newWriter(s.options)
}

// release returns a writer to the pool, unless an unusual file has made its buffers too large to
// keep.
func (s *Sink) release(w *writer) {
	w.out.Reset(nil)
	if w.idle() <= maxIdle {
		s.writers.Put(w)
	}
}
