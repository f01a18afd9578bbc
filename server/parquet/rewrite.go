package parquet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/table"
)

// Rewrite implements [table.Sink]. It reads and writes a file page by page. So it needs as much
// memory as Land needs for the file, plus the memory for one page.
//
//	temporary file ─▶ fsync ─▶ rename over the file … ─▶ fsync of the directory, when its last file is done
//
// After a crash, each file is either unchanged or completely rewritten. If the crash leaves a
// temporary file, New removes the file.
func (s *Sink) Rewrite(ctx context.Context, dir string, fields []table.Field) (table.Rewritten, error) {
	var done table.Rewritten
	path, err := s.path(dir)
	if err != nil {
		return done, fmt.Errorf("parquet: %w", err)
	}
	kinds := make(map[string]column.Kind, len(fields))
	for _, f := range fields {
		kinds[f.Name] = f.Kind
	}
	err = s.rewriteAll(ctx, path, kinds, &done)
	return done, err
}

func (s *Sink) rewriteAll(ctx context.Context, dir string, kinds map[string]column.Kind, done *table.Rewritten) error {
	entries, err := s.options.Disk.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) { // no file was ever written there, or someone has removed the directory
		return nil
	}
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	files := 0
	for _, e := range entries {
		switch path := filepath.Join(dir, e.Name()); {
		case e.IsDir():
			if err := s.rewriteAll(ctx, path, kinds, done); err != nil {
				return err
			}
		case e.Type().IsRegular() && strings.HasSuffix(path, ".parquet") && !strings.HasPrefix(e.Name(), "."):
			files++
			changed, err := s.rewrite(ctx, path, kinds)
			if changed {
				done.Files++
			}
			if content := (*contentError)(nil); errors.As(err, &content) {
				done.Kept = append(done.Kept, err)
			} else if err != nil {
				return err
			}
		}
	}
	if files == 0 {
		return nil
	}
	// The sync is needed even if this call replaced no file: an earlier call may have ended after a
	// rename.
	if err := s.options.Disk.SyncDir(dir); err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}

// contentError is the error for invalid content of a file. A retry is useless.
type contentError struct{ err error }

func (e *contentError) Error() string { return e.err.Error() }
func (e *contentError) Unwrap() error { return e.err }

// rewrite replaces a file if its columns do not have the given kinds, and reports whether it
// replaced the file.
func (s *Sink) rewrite(ctx context.Context, path string, kinds map[string]column.Kind) (changed bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	in, err := s.options.Disk.Open(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) { // someone has removed the file
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("parquet: %w", err)
	}
	defer in.Close()
	src := &source{in: in}
	defer func() {
		if fault := recover(); fault != nil { // parquet-go panics on bytes that are not Parquet; the other files must still be rewritten
			err = &contentError{fmt.Errorf("%v", fault)}
		}
		if err != nil {
			err = fmt.Errorf("parquet: rewriting %s: %w", path, cmp.Or(src.err, err))
		}
	}()
	if fits, err := src.open(kinds); err != nil || fits {
		return false, err
	}
	defer src.close()
	f, err := src.describe()
	if err != nil {
		return false, err
	}
	temp := filepath.Join(filepath.Dir(path), tempPrefix+filepath.Base(path)+".rewritten"+tempSuffix)
	out, err := s.options.Disk.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, disk.FileMode())
	if err != nil {
		return false, err
	}
	if _, err = s.fill(ctx, out, f); err == nil {
		_, err = s.options.Disk.Lstat(path) // a file that someone has removed meanwhile must not come back
	}
	if err == nil {
		err = s.options.Disk.Rename(temp, path)
	}
	if err != nil {
		s.options.Disk.Remove(temp) // if this fails, New removes it
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	return true, nil
}

// source is a file that is read while it is rewritten.
type source struct {
	in   disk.File
	err  error // error of the disk
	file *parquet.File

	kinds []column.Kind // kinds of the columns after the rewrite

	// These fields contain the current position.
	cells       *cells
	column, row int // position of the next cell to read
}

// ReadAt reads from the file. If the disk returns an error, ReadAt records it in s.err, to
// distinguish it from an error in the content.
func (s *source) ReadAt(b []byte, off int64) (int, error) {
	if off < 0 { // due to a wrong length in the file
		return 0, io.ErrUnexpectedEOF
	}
	n, err := s.in.ReadAt(b, off)
	if err != nil && !errors.Is(err, io.EOF) {
		s.err = err
	}
	return n, err
}

// open reads the footer, and reports whether the columns already have the given kinds.
func (s *source) open(kinds map[string]column.Kind) (fits bool, err error) {
	info, err := s.in.Stat()
	if err != nil {
		s.err = err
		return false, err
	}
	if s.file, err = parquet.OpenFile(s, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true)); err != nil {
		return false, &contentError{err}
	}
	fits = true
	for _, path := range s.file.Schema().Columns() {
		leaf, ok := s.file.Schema().Lookup(path...)
		if !ok || len(path) != 1 {
			return false, &contentError{errors.New("the file was not written by this program")}
		}
		kind, err := kindOf(leaf.Node.Type())
		if err != nil {
			return false, &contentError{err}
		}
		if stamp := timestampOf(leaf.Node.Type()); stamp != nil && stamp.IsAdjustedToUTC {
			fits = false
		}
		if kind == column.Int64 && kinds[path[0]] == column.Float64 {
			kind, fits = column.Float64, false
		}
		s.kinds = append(s.kinds, kind)
	}
	return fits, nil
}

// describe returns the description of the rewritten file.
func (s *source) describe() (*table.File, error) {
	f := &table.File{Rows: int(s.file.NumRows()), Meta: make(map[string]string), Gather: s.gather}
	for i, path := range s.file.Schema().Columns() {
		f.Columns = append(f.Columns, table.Field{Name: path[0], Kind: s.kinds[i]})
	}
	for _, kv := range s.file.Metadata().KeyValueMetadata {
		f.Meta[kv.Key] = kv.Value
	}
	if _, err := columnsOf(f); err != nil {
		return nil, &contentError{err}
	}
	return f, nil
}

func (s *source) close() {
	if s.cells != nil {
		s.cells.close()
		s.cells = nil
	}
}

// gather implements [table.File.Gather]. The writer requests the rows of a column chunk in order.
// The row groups of the new file are as large as the row groups of the old file.
func (s *source) gather(col, from, to int, dst *column.Column) error {
	dst.Reset()
	if err := s.read(col, from, to, dst); err != nil {
		return &contentError{fmt.Errorf("column %q: %w", s.file.Schema().Columns()[col][0], err)}
	}
	if dst.Kind == column.Int64 && s.kinds[col] == column.Float64 {
		if row := dst.Inexact(); row >= 0 {
			return &contentError{fmt.Errorf("column %q: float64 cannot represent %d exactly, so the column keeps its integers",
				s.file.Schema().Columns()[col][0], dst.Ints[row])}
		}
		dst.Widen()
	}
	return nil
}

// read appends rows [from, to) of a column to dst.
func (s *source) read(col, from, to int, dst *column.Column) error {
	for from < to {
		seek := s.cells == nil || s.column != col || s.row != from
		if seek {
			if err := s.seek(col, from); err != nil {
				return err
			}
		}
		had := dst.Rows
		if err := s.cells.read(dst, to-from); err != nil {
			return err
		}
		n := dst.Rows - had
		if from, s.row = from+n, s.row+n; n > 0 {
			continue
		}
		if seek {
			return fmt.Errorf("row %d is missing", from)
		}
		s.close() // the row group has ended
	}
	return nil
}

// seek opens s.cells at a row of a column.
func (s *source) seek(col, row int) (err error) {
	s.close()
	start := 0
	for _, g := range s.file.RowGroups() {
		if rows := int(g.NumRows()); row >= start+rows {
			start += rows
			continue
		}
		s.cells, err = openCells(g.ColumnChunks()[col], int64(row-start))
		s.column, s.row = col, row
		return err
	}
	return fmt.Errorf("row %d is missing", row)
}
