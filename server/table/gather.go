package table

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/slipstream-go/slipstream/column"
)

// gatherer returns the rows of one partition, column by column. It implements [File.Gather]. It is
// not safe for concurrent use.
type gatherer struct {
	chunks []chunk
	fields []Field
	absent []bool // for each field: whether it is missing in all batches of the unit
	runs   []run
	marks  []int // marks[i] is the first row of runs[i*markEvery]
	rows   int

	// The cells of the column that was requested last, by chunk. The cells of a chunk are looked up
	// at their first use.
	col    int
	bools  [][]bool
	ints   [][]int64
	floats [][]float64
	texts  []text
	nulls  []nulls
	anyNil bool // a chunk that was used has nulls
}

// text locates the strings of a chunk. The string in row i of the chunk is
// arena[ends[base+i-1]:ends[base+i]].
type text struct {
	arena []byte
	ends  []uint32
	found bool
}

// nulls contains the nulls of a column in a batch.
type nulls struct {
	all  bool
	bits column.Bitmap
}

const markEvery = 1024

func newGatherer(chunks []chunk, fields []Field, absent []bool, p partition) *gatherer {
	g := &gatherer{chunks: chunks, fields: fields, absent: absent, runs: p.runs, rows: p.rows, col: -1}
	row := 0
	for i, r := range p.runs {
		if i%markEvery == 0 {
			g.marks = append(g.marks, row)
		}
		row += int(r.rows)
	}
	return g
}

// gather implements [File.Gather].
func (g *gatherer) gather(col, from, to int, dst *column.Column) error {
	if uint(col) >= uint(len(g.fields)) || from < 0 || from > to || to > g.rows {
		return fmt.Errorf("table: rows %d to %d of column %d do not exist: the file has %d rows and %d columns", from, to, col, g.rows, len(g.fields))
	}
	dst.Reset()
	n := to - from
	if n == 0 || g.absent[col] {
		dst.AppendNulls(n)
		return nil
	}
	if col != g.col {
		g.begin(col)
	}
	dst.Kind = g.fields[col].Kind
	switch dst.Kind {
	case column.Bool:
		dst.Bools = gatherCells(g, g.bools, boolsOf, from, n, dst.Bools)
	case column.Int64, column.Time:
		dst.Ints = gatherCells(g, g.ints, intsOf, from, n, dst.Ints)
	case column.Float64:
		dst.Floats = gatherCells(g, g.floats, floatsOf, from, n, dst.Floats)
	case column.String:
		if err := g.gatherText(from, n, dst); err != nil {
			return err
		}
	}
	dst.Rows = n
	if g.anyNil {
		g.gatherNulls(from, n, dst)
	}
	return nil
}

// begin drops the cells of the previous column and prepares the slices for the cells of the column
// with the index `col`.
func (g *gatherer) begin(col int) {
	g.col, g.anyNil = col, false
	g.nulls = emptied(g.nulls, len(g.chunks))
	switch g.fields[col].Kind {
	case column.Bool:
		g.bools = emptied(g.bools, len(g.chunks))
	case column.Int64, column.Time:
		g.ints = emptied(g.ints, len(g.chunks))
	case column.Float64:
		g.floats = emptied(g.floats, len(g.chunks))
	case column.String:
		g.texts = emptied(g.texts, len(g.chunks))
	}
}

func emptied[T any](s []T, n int) []T {
	if s == nil {
		return make([]T, n)
	}
	clear(s)
	return s
}

// seek returns the index of the run that contains a row, and the number of rows in that run before
// the row.
func (g *gatherer) seek(row int) (i, skip int) {
	mark := sort.SearchInts(g.marks, row+1) - 1
	i, skip = mark*markEvery, row-g.marks[mark]
	for skip >= int(g.runs[i].rows) {
		skip -= int(g.runs[i].rows)
		i++
	}
	return i, skip
}

// find returns the requested column of a chunk's batch. It returns nil if the batch contains only
// nulls in that column.
func (g *gatherer) find(chunk uint16) *column.Column {
	c := g.chunks[chunk].batch.Find(g.fields[g.col].Name)
	if c == nil || c.Kind == column.Null {
		g.nulls[chunk].all = true
		g.anyNil = true
		return nil
	}
	if c.Nulls.Any() {
		g.nulls[chunk].bits = c.Nulls
		g.anyNil = true
	}
	return c
}

func boolsOf(c *column.Column) []bool     { return c.Bools }
func intsOf(c *column.Column) []int64     { return c.Ints }
func floatsOf(c *column.Column) []float64 { return c.Floats }

// gatherCells returns n cells, starting with row `from`, in the buffer of dst. Null cells are zero.
func gatherCells[T bool | int64 | float64](g *gatherer, cells [][]T, of func(*column.Column) []T, from, n int, dst []T) []T {
	dst = slices.Grow(dst[:0], n)[:n]
	i, skip := g.seek(from)
	for out := dst; len(out) > 0; i, skip = i+1, 0 {
		r := g.runs[i]
		src := cells[r.chunk]
		if src == nil {
			k := &g.chunks[r.chunk]
			if c := g.find(r.chunk); c != nil {
				src = of(c)[k.base : k.base+k.rows]
			} else {
				src = make([]T, k.rows)
			}
			cells[r.chunk] = src
		}
		src = src[int(r.from)+skip : int(r.from)+int(r.rows)]
		src = src[:min(len(src), len(out))]
		if len(src) == 1 { // overlapping batches make runs of one row, and a call of copy costs more than the cell
			out[0] = src[0]
		} else {
			copy(out, src)
		}
		out = out[len(src):]
	}
	return dst
}

func (g *gatherer) gatherText(from, n int, dst *column.Column) error {
	dst.Ends = slices.Grow(dst.Ends, n)
	i, skip := g.seek(from)
	for n > 0 {
		r := g.runs[i]
		t := &g.texts[r.chunk]
		if !t.found {
			t.found = true
			if c := g.find(r.chunk); c != nil {
				t.arena, t.ends = c.Text, c.Ends
			}
		}
		k := min(int(r.rows)-skip, n)
		if first := g.chunks[r.chunk].base + int(r.from) + skip; t.ends == nil {
			for range k {
				dst.Ends = append(dst.Ends, uint32(len(dst.Text)))
			}
		} else {
			start := uint32(0)
			if first > 0 {
				start = t.ends[first-1]
			}
			ends := t.ends[first : first+k]
			text := t.arena[start:ends[k-1]]
			if uint64(len(dst.Text))+uint64(len(text)) > math.MaxUint32 {
				return column.ErrTextTooLong
			}
			shift := uint32(len(dst.Text)) - start // may wrap; the sum below wraps back
			dst.Text = append(dst.Text, text...)
			for _, end := range ends {
				dst.Ends = append(dst.Ends, end+shift)
			}
		}
		n -= k
		i, skip = i+1, 0
	}
	return nil
}

// gatherNulls sets the nulls of dst for n rows. The cells of these rows must have been gathered.
func (g *gatherer) gatherNulls(from, n int, dst *column.Column) {
	i, skip := g.seek(from)
	for row := 0; row < n; i, skip = i+1, 0 {
		r := g.runs[i]
		k := min(int(r.rows)-skip, n-row)
		switch in := &g.nulls[r.chunk]; {
		case in.all:
			dst.Nulls = dst.Nulls.SetRange(row, row+k)
		case in.bits != nil:
			first := g.chunks[r.chunk].base + int(r.from) + skip
			for j := range k {
				if in.bits.Get(first + j) {
					dst.Nulls = dst.Nulls.Set(row + j)
				}
			}
		}
		row += k
	}
}
