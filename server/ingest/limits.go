package ingest

import (
	"math"

	"github.com/slipstream-go/slipstream/column"
)

// Limits are the limits of a request, and of all current requests. Zero fields have the defaults in
// their comments.
type Limits struct {
	Body         int64 // bytes of a body as it is received: 64 MiB
	Decompressed int64 // bytes of a body after decompression: 256 MiB
	Ratio        int64 // of the two, beyond the first MiB: 200
	InFlight     int64 // bytes of all bodies that are being received, decoded or written: 256 MiB
	MinRate      int64 // bytes in a second that a body must arrive with, over 5 s: 4 KiB; below 0: no minimum

	Rows    int // in a request: 1 Mi
	Columns int // of a table in a request: 4096
	Tables  int // in a request: 1000
	Cells   int // in a request, nulls included: 32 Mi
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

// A sparse batch has more cells than its body has bytes, because a null that is left out costs
// nothing on the wire. These say how many more.
const (
	cellsPerByte = 4
	freeCells    = 64 << 10
	columnCost   = 32 // what a column occupies beside its cells, in cells
)

// cells is how many cells a body of n bytes may make.
func (l *Limits) cells(n int) int { return int(min(cellsPerByte*int64(n)+freeCells, int64(l.Cells))) }

// bound sets what the column package enforces while a batch is filled.
func (l *Limits) bound(b *column.Batch, cells int) {
	b.MaxRows, b.MaxColumns, b.MaxCells = l.Rows, l.Columns, cells
}

// decompressed is what a compressed body of n bytes may become.
func (l *Limits) decompressed(n int) int64 {
	const free = 1 << 20
	return min(l.Decompressed, max(free, l.Ratio*int64(n)))
}

// unbounded are the limits of a replay: what is in the log was within those of its time.
var unbounded = Limits{
	Body: math.MaxInt64 / 2, Decompressed: math.MaxInt64 / 2, Ratio: math.MaxInt32, InFlight: math.MaxInt64 / 2,
	Rows: math.MaxInt32, Columns: math.MaxInt32, Tables: math.MaxInt32, Cells: math.MaxInt32,
}
