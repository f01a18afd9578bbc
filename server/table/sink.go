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

// Field is a column of a table: its name, and the kind of its cells.
type Field struct {
	Name string
	Kind column.Kind

	// Inexact says that an Int64 column was given an integer that a float64 would round. So it does
	// not become a Float64 one: floats are refused.
	Inexact bool

	// As is the column's name in files, if engines could not read one of its own name there; else
	// empty.
	As string
}

// With returns the field as it is once it has taken the cells of c, whose kind is not Null, or why
// it does not take them.
func (f Field) With(c *column.Column) (Field, *TypeError) {
	if e := f.Conflict(c); e != nil {
		return f, e
	}
	return f.with(c), nil
}

// with is With for cells that the field takes.
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

// Conflict returns nil if the field takes the cells of c, or why it does not. Ints and floats mix,
// as floats, unless an integer would be rounded.
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

// File is a file to be made: what is in it, and how to get at it. The rows are not copied together
// beforehand; the sink gathers them column by column, and keeps no more than it is just encoding.
type File struct {
	// Path is relative to the sink's root and slash separated, as
	// "db/table/utc_date=2026-11-21/utc_hour=09/node-00000000000000000001-00000000000000000042.parquet".
	Path string

	// Columns are the columns in the file's order. The first is "time", of Kind Time and never
	// null, and the rows are in its ascending order. The others may have nulls.
	Columns []Field

	// Rows is how many there are; at least one.
	Rows int

	// Meta is written into the file as it is: where the rows came from.
	Meta map[string]string

	// Gather resets dst and fills it with rows [from, to) of Columns[col], in the file's order and
	// of the field's kind. A column whose cells in this range are all null may be left as Kind
	// Null.
	Gather func(col, from, to int, dst *column.Column) error
}

// Sink makes files. Its methods may be called from several goroutines, for different paths.
type Sink interface {
	// Land makes the file and returns its size in bytes. When it returns nil, the file is wholly
	// there under its name and survives a crash; otherwise there is no file of that name, unless it
	// was there before: a file is never replaced, and the error is fs.ErrExist then.
	Land(ctx context.Context, f *File) (bytes int64, err error)

	// Exists reports whether there is a file at path.
	Exists(path string) (bool, error)

	// Remove deletes the file at path, durably. It is no error if there is none.
	Remove(path string) error

	// Rewrite gives the columns of the files below dir the kinds that fields have: int64 becomes
	// float64. Each file is replaced under its name, at once and durably, by one with the same
	// rows; those that fit stay as they are. After an error, another call goes on.
	Rewrite(ctx context.Context, dir string, fields []Field) (Rewritten, error)
}

// Rewritten is what a call of [Sink.Rewrite] has done.
type Rewritten struct {
	Files int     // that were replaced
	Kept  []error // files that do not fit and stay as they are, since what is in them cannot be converted or read
}

// Editor is a [Sink] whose files can be changed after they have landed.
type Editor interface {
	Sink

	// Files lists the files below a directory, by their paths. "." is the directory above all.
	Files(dir string) ([]string, error)

	// Edit reads a file and calls edit with its rows. If that reports a change, it replaces the
	// file durably by those rows, in one step: at any moment readers find the old file or the new
	// one.
	Edit(ctx context.Context, path string, edit func(*column.Batch) (changed bool, err error)) error

	// RemoveAll removes the files below a directory, and the directories that are empty then.
	RemoveAll(dir string) error
}
