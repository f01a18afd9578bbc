package table

import (
	"cmp"
	"context"
	"strconv"

	"github.com/slipstream-go/slipstream/column"
)

// Name is a table's full name.
type Name struct{ DB, Table string }

func (n Name) String() string { return n.DB + "." + n.Table }

func (n Name) compare(other Name) int {
	return cmp.Or(cmp.Compare(n.DB, other.DB), cmp.Compare(n.Table, other.Table))
}

// Field describes a column of a table: its name, and the kind of its cells.
type Field struct {
	Name string
	Kind column.Kind

	// Inexact is true if an Int64 column has received an integer that a float64 would round. Such a
	// column is never changed to Float64, and floats for it are rejected.
	Inexact bool

	// The field As contains the name of the column in files, if that name differs from Name. It
	// differs if query engines would confuse Name with the name of a different column.
	As string
}

// With returns the field as it is after the column has received the cells of c. If the column
// cannot contain these cells, With returns the reason. The kind of c must not be Null.
func (f Field) With(c *column.Column) (Field, *TypeError) {
	if e := f.Conflict(c); e != nil {
		return f, e
	}
	return f.with(c), nil
}

// The method with is like With, for cells that the column can contain.
func (f Field) with(c *column.Column) Field {
	if c.Kind == column.Float64 && f.Kind == column.Int64 {
		f.Kind, f.Inexact = column.Float64, false
	}
	f.Inexact = f.Inexact || f.Kind == column.Int64 && c.Inexact() >= 0
	return f
}

// FileName returns the name of the column in files.
func (f Field) FileName() string { return cmp.Or(f.As, f.Name) }

func (f *Field) setFileName(name string) {
	if name != f.Name {
		f.As = name
	}
}

// Conflict returns the reason why the field cannot contain the cells of c, or nil. Ints and floats
// may be mixed, unless an integer would be rounded.
func (f Field) Conflict(c *column.Column) *TypeError {
	e := &TypeError{Column: f.Name, Have: f.Kind, Got: c.Kind, Row: -1}
	switch {
	case f.Kind == c.Kind:
		return nil
	case f.Kind == column.Int64 && c.Kind == column.Float64:
		if !f.Inexact {
			return nil
		}
		if e.Row = c.FirstFloat(); e.Row >= 0 {
			e.Cell = strconv.FormatFloat(c.Floats[e.Row], 'g', -1, 64)
		}
	case f.Kind == column.Float64 && c.Kind == column.Int64:
		if e.Row = c.Inexact(); e.Row < 0 {
			return nil
		}
		e.Cell = strconv.FormatInt(c.Ints[e.Row], 10)
	}
	return e
}

// File describes a file that a sink must write. The sink reads the rows column by column, so only
// the part that is being encoded is copied.
type File struct {
	// Path is relative to the sink's root and slash-separated, for example
	// "db/table/utc_date=2026-11-21/utc_hour=09/node-00000000000000000001-00000000000000000042.parquet".
	Path string

	// Columns are the columns in the file's order. The first column is "time", of Kind Time and
	// without nulls. The rows are in ascending order of time. The other columns may have nulls.
	Columns []Field

	// Rows is the number of rows, at least one.
	Rows int

	// Meta is metadata about the origin of the rows. The sink writes it to the file unchanged.
	Meta map[string]string

	// Gather sets dst to rows [from, to) of Columns[col], in the order of the file and with the
	// kind of the field. If a column contains only nulls in this range, dst may have the kind Null.
	Gather func(col, from, to int, dst *column.Column) error
}

// Sink writes files. Its methods may be called concurrently for different paths.
type Sink interface {
	// Land writes the file and returns its size in bytes. When it returns nil, the file is complete
	// and survives a crash. When it returns an error, it has not created the file. Land never
	// replaces a file: if the file already exists, the error is fs.ErrExist.
	Land(ctx context.Context, f *File) (bytes int64, err error)

	// Exists reports whether a file exists at path.
	Exists(path string) (bool, error)

	// Remove durably deletes the file at path. If the file does not exist, Remove returns nil.
	Remove(path string) error

	// Rewrite changes the kinds of columns in the files below dir from int64 to float64, so that
	// they match the given fields. Each file is durably replaced in one step by a file with the
	// same rows. Files that already match are not changed. After an error, the caller can call
	// Rewrite again to continue.
	Rewrite(ctx context.Context, dir string, fields []Field) (Rewritten, error)
}

// Rewritten is the result of [Sink.Rewrite].
type Rewritten struct {
	Files int     // files that were replaced
	Kept  []error // one error for each file that was not changed because its content cannot be converted or read
}

// Editor is a Sink that can change existing files.
type Editor interface {
	Sink

	// Files returns the paths of the files below a directory. "." is the root directory.
	Files(dir string) ([]string, error)

	// Edit reads a file and calls the function `edit` with the file's rows. If the function reports
	// a change, a file with the changed rows durably replaces the file in one step: readers see
	// either the old or the new file.
	Edit(ctx context.Context, path string, edit func(*column.Batch) (changed bool, err error)) error

	// RemoveAll removes the files below a directory, and then the empty directories.
	RemoveAll(dir string) error
}
