package parquet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/slipstream-go/slipstream/server/table"
)

var _ table.Counter = (*Sink)(nil)

// Count implements [table.Counter]. It reads the footer of each file. The error lists the files
// that could not be read and whose rows are therefore not counted.
func (s *Sink) Count(ctx context.Context, dir string, except []string) (n table.Totals, err error) {
	if err := ctx.Err(); err != nil {
		return n, err
	}
	place, err := s.path(dir)
	if err != nil {
		return n, fmt.Errorf("parquet: %w", err)
	}
	entries, err := s.options.Disk.ReadDir(place)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return n, fmt.Errorf("parquet: %w", err)
	}
	var failed []error
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		one, err := table.Totals{}, error(nil)
		switch {
		case strings.HasPrefix(e.Name(), tempPrefix):
		case e.IsDir():
			one, err = s.Count(ctx, name, except)
		case strings.HasSuffix(e.Name(), ".parquet") && !slices.Contains(except, name):
			one, err = s.countFile(name)
		}
		n.Rows, n.Files, n.Bytes = n.Rows+one.Rows, n.Files+one.Files, n.Bytes+one.Bytes
		failed = append(failed, err)
	}
	return n, errors.Join(failed...)
}

func (s *Sink) countFile(name string) (n table.Totals, err error) {
	place, err := s.path(name)
	if err != nil {
		return n, fmt.Errorf("parquet: %w", err)
	}
	f, err := s.options.Disk.Open(place, os.O_RDONLY, 0)
	if err != nil {
		return n, fmt.Errorf("parquet: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return n, fmt.Errorf("parquet: %w", err)
	}
	n.Files, n.Bytes = 1, info.Size()
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true))
	if err != nil {
		return n, fmt.Errorf("parquet: opening %s: %w", name, err)
	}
	n.Rows = file.NumRows()
	return n, nil
}
