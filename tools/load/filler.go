package load

import "github.com/slipstream-go/slipstream/column"

// filler fills a batch cell by cell, and keeps the first error.
type filler struct {
	batch column.Batch
	err   error
}

func (f *filler) reset() {
	f.batch.Reset()
	f.err = nil
}

// cell returns the column with the given name. The caller must append one cell of the kind k to
// this column. It returns nil after an error.
func (f *filler) cell(name string, k column.Kind) *column.Column {
	c, err := f.batch.Column([]byte(name))
	if err != nil {
		f.fail(err)
		return nil
	}
	c.Accepts(k)
	return c
}

func (f *filler) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *filler) time(us int64) {
	if c := f.cell("time", column.Time); c != nil {
		c.AppendTime(us)
	}
}

func (f *filler) int64(name string, v int64) {
	if c := f.cell(name, column.Int64); c != nil {
		c.AppendInt64(v)
	}
}

func (f *filler) float64(name string, v float64) {
	if c := f.cell(name, column.Float64); c != nil {
		c.AppendFloat64(v)
	}
}

func (f *filler) text(name, v string) {
	if c := f.cell(name, column.String); c != nil {
		if err := c.AppendString([]byte(v)); err != nil {
			f.fail(err)
		}
	}
}

func (f *filler) closeRow() {
	if err := f.batch.CloseRow(); err != nil {
		f.fail(err)
	}
}
