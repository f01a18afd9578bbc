package column

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

// Batch is a set of columns of equal length. The columns are in the order in which they were added.
//
// [Batch.Column] returns a column by name. After Reset, a batch remembers the names of its previous
// columns. If the same names are used again in the same order, each column is found with one
// comparison, and its memory and name are reused.
type Batch struct {
	Columns []*Column
	Rows    int

	// MaxRows is the maximum number of rows. MaxColumns and MaxCells limit the size of a batch with
	// many columns that contain values in only a few rows. Without a limit, the size of such a
	// batch is proportional to rows × columns. Zero means no limit.
	MaxRows    int
	MaxColumns int
	MaxCells   int

	spare []*Column // spare[:len(Columns)] are the Columns; all later elements are available for reuse
	next  int       // index at which the next name is expected
	index map[string]int
}

// linear is the maximum number of columns for which a search compares the names one by one. For
// more columns, it uses a hash table.
const linear = 8

// farMore determines how Reset empties the index. If an earlier batch had more than farMore times
// as many columns as this batch, Reset deletes the names one by one. Otherwise, it clears the map.
// Deleting a name takes about 250 instructions. The time to clear a map depends on N, the number of
// names in the largest batch so far. Clearing takes about 1000 instructions for each name in the
// map, but at most N instructions for all names together, plus N/10 instructions.
const farMore = 64

// Reset removes all cells, but keeps the memory.
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

// Find returns the column with this name. If there is no such column, it returns nil.
func (b *Batch) Find(name string) *Column {
	if i := b.find(name); i >= 0 {
		return b.Columns[i]
	}
	return nil
}

// ErrName is returned for a column name that is not UTF-8.
var ErrName = errors.New("column: a name is not UTF-8")

// Column returns the column with this name. If there is no such column, it creates a column with a
// null for each closed row. If the batch already contains MaxColumns columns, if it would contain
// more than MaxCells cells, or if the name is invalid ([ErrName]), Column returns an error and
// creates no column.
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

// reindex adds column n to the index. When the number of columns first exceeds the constant linear,
// reindex also adds all earlier columns.
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

// CloseRow ends a row. It appends a null to each column that has no cell in the row. It returns an
// error if the batch would exceed MaxRows or MaxCells.
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

// Undo removes the cells of an unfinished row. To remove closed rows, too, reduce b.Rows before the
// call: Undo removes each cell whose row number is at least b.Rows. Undo also restores the kind
// that each column had before the removed cells were added. It does so even if [Column.Accepts] has
// prepared a column for a cell that was not added. If a column then contains only nulls, it can get
// any kind.
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

// TooManyRows returns the error for a batch that exceeds its maximum number of rows. The argument
// `most` is this maximum.
func TooManyRows(most int) error {
	return fmt.Errorf("column: more than %d rows in one batch; send smaller batches", most)
}

func (b *Batch) checkCells(rows, columns int) error {
	if b.MaxCells > 0 && columns > 0 && rows > b.MaxCells/columns {
		return fmt.Errorf("column: %d rows of %d columns are too sparse: most cells would be null", rows, columns)
	}
	return nil
}

// Bytes returns the size of the batch's cells in bytes.
func (b *Batch) Bytes() int {
	n := 0
	for _, c := range b.Columns {
		n += c.Bytes()
	}
	return n
}

// Footprint returns the size of the batch's memory in bytes, including memory that is not in use.
func (b *Batch) Footprint() int {
	n := 0
	for _, c := range b.spare {
		n += c.Footprint()
	}
	return n
}
