package column

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Batch is a set of columns of equal length, in the order of their first appearance.
//
// [Batch.Column] returns a column by name. A batch remembers the names of its previous content. If
// the next content uses the same names in the same order, each column is found by one comparison.
// Its memory and name are reused.
type Batch struct {
	Columns []*Column
	Rows    int

	// MaxRows is the maximum number of rows. MaxColumns and MaxCells limit the size of a batch with
	// many columns that contain values in few rows. Without a limit, such a batch grows as rows ×
	// columns. Zero means no limit.
	MaxRows    int
	MaxColumns int
	MaxCells   int

	spare []*Column // spare[len(Columns):] wait for reuse; spare[:len(Columns)] are the Columns
	next  int       // index at which the next name is expected
	index map[string]int
}

// linear is the maximum number of columns for which a search compares the names one by one instead
// of hashing.
const linear = 8

// farMore determines how Reset empties the index. If an earlier batch had more than farMore times
// the columns of this batch, Reset deletes the names one by one. Deleting a name takes about 250
// instructions. Clearing a map takes about 1000 instructions for each name, but at most for one
// name per thousand names of the largest batch so far. It takes another 100 instructions for each
// of these thousands.
const farMore = 64

// Reset removes all cells and keeps the memory.
func (b *Batch) Reset() {
	if len(b.spare) > farMore*len(b.Columns) { // the time to clear a map depends on its largest size so far
		for _, c := range b.Columns {
			delete(b.index, c.Name)
		}
	} else {
		clear(b.index)
	}
	b.Columns, b.Rows, b.next = b.Columns[:0], 0, 0
}

// Find returns the column with this name, or nil.
func (b *Batch) Find(name string) *Column {
	if i := b.find(name); i >= 0 {
		return b.Columns[i]
	}
	return nil
}

// ErrName is returned for a column name that is not UTF-8.
var ErrName = errors.New("column: a name is not UTF-8")

// Column returns the column with this name. If there is none, it creates one with a null for each
// closed row. Column returns an error, and creates no column, if the batch already contains
// MaxColumns columns, if it would contain more than MaxCells cells, or if the name is invalid
// ([ErrName]).
func (b *Batch) Column(name []byte) (*Column, error) {
	if i := b.next; i < len(b.Columns) && b.Columns[i].Name == string(name) {
		b.next++
		return b.Columns[i], nil
	}
	if i := b.find(string(name)); i >= 0 {
		b.next = i + 1
		return b.Columns[i], nil
	}
	n := len(b.Columns)
	if b.MaxColumns > 0 && n >= b.MaxColumns {
		return nil, fmt.Errorf("column: more than %d columns", b.MaxColumns)
	}
	if err := b.checkCells(b.Rows+1, n+1); err != nil {
		return nil, err
	}
	if !utf8.Valid(name) {
		return nil, ErrName
	}
	if n == len(b.spare) {
		b.spare = append(b.spare, &Column{Name: string(name)})
	}
	c := b.spare[n]
	c.Reset()
	c.AppendNulls(b.Rows)
	if c.Name != string(name) {
		c.Name = string(name)
	}
	b.Columns = append(b.Columns, c)
	if n >= linear {
		b.reindex(n)
	}
	b.next = n + 1
	return c, nil
}

func (b *Batch) find(name string) int {
	if len(b.Columns) > linear {
		if i, ok := b.index[name]; ok {
			return i
		}
		return -1
	}
	for i, c := range b.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// reindex adds column n to the index. When the number of columns first exceeds linear, reindex also
// adds all columns before it.
func (b *Batch) reindex(n int) {
	if b.index == nil {
		b.index = make(map[string]int)
	}
	from := n
	if n == linear {
		from = 0
	}
	for i := from; i <= n; i++ {
		b.index[b.Columns[i].Name] = i
	}
}

// CloseRow ends a row: columns without a cell in the row get a null. It returns an error if the
// batch would exceed MaxRows or MaxCells.
func (b *Batch) CloseRow() error {
	if b.MaxRows > 0 && b.Rows >= b.MaxRows {
		return TooManyRows(b.MaxRows)
	}
	if err := b.checkCells(b.Rows+1, len(b.Columns)); err != nil {
		return err
	}
	b.Rows++
	b.next = 0
	for _, c := range b.Columns {
		if c.Rows < b.Rows {
			c.AppendNulls(b.Rows - c.Rows)
		}
	}
	return nil
}

// Undo removes the cells from row Rows on: the cells of an unfinished row, or of closed rows after
// Rows was reduced. Each column returns to the kind that it had before these cells. It also returns
// to its earlier kind if it was prepared for a cell that was not added. A column without a value
// may get any kind again.
func (b *Batch) Undo() {
	b.next = 0
	for _, c := range b.Columns {
		c.Truncate(b.Rows)
		c.narrow(b.Rows)
		if c.Kind != Null && c.typed >= b.Rows {
			c.forget(b.Rows)
		}
	}
}

// TooManyRows returns the error for a batch whose number of rows exceeds most.
func TooManyRows(most int) error {
	return fmt.Errorf("column: more than %d rows in one batch; send smaller batches", most)
}

func (b *Batch) checkCells(rows, columns int) error {
	if b.MaxCells > 0 && columns > 0 && rows > b.MaxCells/columns {
		return fmt.Errorf("column: %d rows of %d columns are too sparse: most cells would be null", rows, columns)
	}
	return nil
}

// Bytes returns the size of the batch's cells.
func (b *Batch) Bytes() int {
	n := 0
	for _, c := range b.Columns {
		n += c.Bytes()
	}
	return n
}

// Footprint returns the size of the batch's memory, including memory that is not in use.
func (b *Batch) Footprint() int {
	n := 0
	for _, c := range b.spare {
		n += c.Footprint()
	}
	return n
}
