package parquet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/table"
)

var _ table.Editor = (*Sink)(nil)

// Files implements [table.Editor].
func (s *Sink) Files(dir string) (files []string, err error) {
	at := s.root
	if dir != "." {
		if at, err = s.path(dir); err != nil {
			return nil, fmt.Errorf("parquet: %w", err)
		}
	}
	entries, err := s.options.Disk.ReadDir(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			below, e := s.Files(name)
			err = errors.Join(err, e)
			files = append(files, below...)
		case e.Type().IsRegular() && path.Ext(name) == ".parquet" && !strings.HasPrefix(e.Name(), tempPrefix):
			files = append(files, name)
		}
	}
	return files, err
}

// Edit implements [table.Editor].
func (s *Sink) Edit(ctx context.Context, name string, edit func(*column.Batch) (changed bool, err error)) error {
	err := s.edit(ctx, name, edit)
	if err != nil {
		return fmt.Errorf("parquet: rewriting %s: %w", name, err)
	}
	return nil
}

func (s *Sink) edit(ctx context.Context, name string, edit func(*column.Batch) (changed bool, err error)) error {
	path, err := s.path(name)
	if err != nil {
		return err
	}
	rows, meta, err := Read(s.options.Disk, path)
	if err != nil {
		return err
	}
	changed, err := edit(rows)
	if err != nil || !changed {
		return err
	}
	f := &table.File{Path: name, Rows: rows.Rows, Meta: meta, Gather: func(col, from, to int, dst *column.Column) error {
		dst.Reset()
		dst.Accepts(rows.Columns[col].Kind)
		return dst.AppendColumn(rows.Columns[col], from, to)
	}}
	for _, c := range rows.Columns {
		f.Columns = append(f.Columns, table.Field{Name: c.Name, Kind: c.Kind})
	}
	_, err = s.make(ctx, f, path, func(temp string) error {
		if err := s.options.Disk.Rename(temp, path); err != nil {
			return err
		}
		return s.options.Disk.SyncDir(filepath.Dir(path))
	})
	return err
}

// RemoveAll implements [table.Editor].
func (s *Sink) RemoveAll(dir string) error {
	files, err := s.Files(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := s.Remove(f); err != nil {
			return err
		}
	}
	at, err := s.path(dir)
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	defer s.dirs.forget()
	return s.prune(at)
}

// prune removes the empty directories below dir, and then dir if it is empty. It does not remove
// other files, because they do not belong to the sink.
func (s *Sink) prune(dir string) error {
	d := s.options.Disk
	entries, err := d.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := s.prune(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	if entries, err = d.ReadDir(dir); err != nil || len(entries) > 0 {
		return err
	}
	if err := d.Remove(dir); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return d.SyncDir(filepath.Dir(dir))
}
