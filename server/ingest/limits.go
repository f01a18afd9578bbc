package ingest

import (
	"math"

	"github.com/slipstream-go/slipstream/column"
)

// Limits contains the limits of a request, and of all current requests. A field that is 0 is set to
// its default, which follows the colon in its comment.
type Limits struct {
	Body         int64 // maximum bytes of a body as received: 64 MiB
	Decompressed int64 // maximum bytes of a body after decompression: 256 MiB
	Ratio        int64 // maximum decompression ratio, enforced after the first MiB: 200
	InFlight     int64 // maximum bytes of all bodies that are being received, decoded or written: 256 MiB
	MinRate      int64 // minimum bytes per second of an arriving body, over 5 s: 4 KiB; negative: no minimum

	Rows    int // maximum rows of a request: 1 Mi
	Columns int // maximum columns of a table in a request: 4096
	Tables  int // maximum tables of a request: 1000
	Cells   int // maximum cells of a request, including nulls: 32 Mi
}

func (l *Limits) setDefaults() {
	setDefault(&l.Body, 64<<20)
	setDefault(&l.Decompressed, 256<<20)
	setDefault(&l.Ratio, 200)
	setDefault(&l.InFlight, 256<<20)
	if l.MinRate == 0 {
		l.MinRate = 4 << 10
	}
	setDefault(&l.Rows, 1<<20)
	setDefault(&l.Columns, 4096)
	setDefault(&l.Tables, 1000)
	setDefault(&l.Cells, 32<<20)
}

func setDefault[T int | int64](v *T, value T) {
	if *v <= 0 {
		*v = value
	}
}

// A sparse batch can contain more cells than the body contains bytes, because a missing cell
// occupies no bytes in the body. These constants limit the number of cells.
const (
	cellsPerByte = 4
	freeCells    = 64 << 10
	columnCost   = 32 // memory that a column needs in addition to its cells, in cells
)

// cells returns the maximum number of cells for a body of n bytes.
func (l *Limits) cells(n int) int { return int(min(cellsPerByte*int64(n)+freeCells, int64(l.Cells))) }

// bound sets the limits that package column enforces while a batch is filled.
func (l *Limits) bound(b *column.Batch, cells int) {
	b.MaxRows, b.MaxColumns, b.MaxCells = l.Rows, l.Columns, cells
}

// decompressed returns the maximum decompressed size of a body of n bytes.
func (l *Limits) decompressed(n int) int64 {
	const free = 1 << 20
	return min(l.Decompressed, max(free, l.Ratio*int64(n)))
}

// unbounded contains the limits for a replay. The log only contains requests that were within the
// limits when they were received.
var unbounded = Limits{
	Body: math.MaxInt64 / 2, Decompressed: math.MaxInt64 / 2, Ratio: math.MaxInt32, InFlight: math.MaxInt64 / 2,
	Rows: math.MaxInt32, Columns: math.MaxInt32, Tables: math.MaxInt32, Cells: math.MaxInt32,
}
