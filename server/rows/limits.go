package rows

import (
	"cmp"
	"math"

	"github.com/slipstream-go/slipstream/column"
)

// Limits contains the limits of the rows in a body. A field that is 0 or negative is set to its
// default, which follows the colon in the field's comment.
type Limits struct {
	Rows    int // maximum rows: 1 Mi
	Columns int // maximum columns of a table: 4096
	Tables  int // maximum tables: 1000
	Cells   int // maximum cells, including nulls: 32 Mi
}

// SetDefaults sets each field that is 0 or negative to its default.
func (l *Limits) SetDefaults() {
	l.Rows = cmp.Or(max(l.Rows, 0), 1<<20)
	l.Columns = cmp.Or(max(l.Columns, 0), 4096)
	l.Tables = cmp.Or(max(l.Tables, 0), 1000)
	l.Cells = cmp.Or(max(l.Cells, 0), 32<<20)
}

// A sparse batch can contain more cells than the body contains bytes, because a missing cell
// occupies no bytes in the body. These constants limit the number of cells.
const (
	cellsPerByte = 4
	freeCells    = 64 << 10
	columnCost   = 32 // memory that a column needs in addition to its cells; the unit is one cell
)

// cells returns the maximum number of cells for a body of n bytes.
func (l *Limits) cells(n int) int {
	return int(min(cellsPerByte*int64(n)+freeCells, int64(l.Cells)))
}

// bound sets the limits of a batch. Package column enforces them while the batch is filled.
func (l *Limits) bound(b *column.Batch, cells int) {
	b.MaxRows, b.MaxColumns, b.MaxCells = l.Rows, l.Columns, cells
}

// Unbounded is a Limits value that allows bodies of any size, for a replay of the log. All requests
// in the log were within the limits when they were received.
var Unbounded = Limits{Rows: math.MaxInt32, Columns: math.MaxInt32, Tables: math.MaxInt32, Cells: math.MaxInt32}
