package table

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/slipstream-go/slipstream/column"
)

// schema is one table's columns; it never changes, a newer one takes its place.
type schema struct {
	table  *table
	fields []Field        // "time" first, the others in the order of their first appearance
	index  map[string]int // name to its place in fields
	folds  map[string]int // by [Fold], names in files, and the last number that one was given: made when a column is added

	widenings int // how often a column was widened
	rewritten int // how many of these all files have followed; see rewrite.go

	held, dropped bool // the table takes no rows; the disk shall not have it; see alter.go
}

func newSchema(name Name) *schema {
	sc := &schema{table: &table{name: name}, index: make(map[string]int)}
	sc.add(Field{Name: timeColumn, Kind: column.Time})
	return sc
}

func (sc *schema) add(f Field) {
	sc.index[f.Name] = len(sc.fields)
	sc.fields = append(sc.fields, f)
}

// uniform reports whether a column has one kind in all files.
func (sc *schema) uniform() bool { return sc.rewritten == sc.widenings }

// covers is the fast twin of extended: it reports whether the table has each column of b already,
// of a fitting kind. Columns are expected in the schema's order.
func (sc *schema) covers(b *column.Batch) bool {
	if sc.held {
		return false
	}
	next := 0
	for _, c := range b.Columns {
		if c.Kind == column.Null {
			continue
		}
		if next >= len(sc.fields) || sc.fields[next].Name != c.Name {
			i, ok := sc.index[c.Name]
			if !ok {
				return false
			}
			next = i
		}
		f := &sc.fields[next]
		if f.Kind != c.Kind && !(f.Kind == column.Float64 && c.Kind == column.Int64) {
			return false
		}
		if c.Kind == column.Int64 && !f.Inexact && c.Inexact() >= 0 {
			return false
		}
		next++
	}
	return true
}

// extended is the schema with the columns of b added, and its Int64 columns widened where b has
// Float64. It is sc itself if nothing changes.
func (sc *schema) extended(b *column.Batch, l limits) (*schema, error) {
	if sc.held {
		return nil, fmt.Errorf("table %s: %w", sc.table.name, ErrHeld)
	}
	next := sc
	for _, c := range b.Columns {
		if c.Kind == column.Null {
			continue
		}
		if i, known := next.index[c.Name]; known {
			if e := next.fields[i].Conflict(c); e != nil && (l.on || !e.rounds()) {
				e.Name = sc.table.name
				return nil, e
			}
		} else if l.on && len(next.fields) >= l.columns {
			return nil, invalid("table %s: column %q would be one more than the %d a table may have", sc.table.name, c.Name, l.columns)
		} else if err := checkColumnName(sc.table.name, c.Name); err != nil {
			return nil, err
		}
		next = next.merged(sc, fieldOf(c))
	}
	next.forget(sc)
	return next, nil
}

// with is the schema with fields that came with rows which it was asked for, by extended.
func (sc *schema) with(fields []Field) *schema {
	next := sc
	for _, f := range fields {
		next = next.merged(sc, f)
	}
	next.forget(sc)
	return next
}

// changed is a copy of old that may be changed: sc, if it is one already.
func (sc *schema) changed(old *schema) *schema {
	if sc != old {
		return sc
	}
	next := *old
	next.fields, next.index, next.folds = slices.Clone(old.fields), maps.Clone(old.index), nil
	return &next
}

// merged adds a field to sc, a copy of old or old itself.
func (sc *schema) merged(old *schema, f Field) *schema {
	i, known := sc.index[f.Name]
	if !known {
		sc = sc.changed(old)
		f.setFileName(sc.fileName(f.Name))
		sc.add(f)
		return sc
	}
	have := sc.fields[i]
	switch {
	case have.Kind == column.Int64 && f.Kind == column.Float64:
		have.Kind = f.Kind
	case have.Kind == column.Int64:
		have.Inexact = have.Inexact || f.Inexact
	}
	if have != sc.fields[i] {
		sc = sc.changed(old)
		if sc.fields[i].Kind != have.Kind {
			sc.widenings++
		}
		sc.fields[i] = have
	}
	return sc
}

// forget drops what only changes need.
func (sc *schema) forget(old *schema) {
	if sc != old {
		sc.folds = nil
	}
}

// fieldOf is what a column brings.
func fieldOf(c *column.Column) Field {
	return Field{Name: c.Name, Kind: c.Kind, Inexact: c.Kind == column.Int64 && c.Inexact() >= 0}
}

// fieldsOf is what a batch brings.
func fieldsOf(b *column.Batch) []Field {
	fields := make([]Field, 0, len(b.Columns))
	for _, c := range b.Columns {
		if c.Kind != column.Null {
			fields = append(fields, fieldOf(c))
		}
	}
	return fields
}

// TypeError reports that a column of a batch has another type than the column of its table, or that
// a float64 would round an integer of one of them.
type TypeError struct {
	Name      Name
	Column    string
	Have, Got column.Kind // what the table holds; what the batch brought

	Write int    // which of the writes
	Row   int    // of the batch: the first at fault if an integer would be rounded, else -1
	Cell  string // what the row has there
}

func (e *TypeError) Error() string { return fmt.Sprintf("table %s: %s", e.Name, e.Reason()) }

// Reason returns the text of the error without the name of the table.
func (e *TypeError) Reason() string {
	have, got, mend := e.Have.String(), e.Got.String(), "convert it"
	switch {
	case !e.rounds():
	case e.Have == column.Int64:
		have, got, mend = "integers that a float64 would round", cmp.Or(e.Cell, "floats"), "send integers"
	default:
		got, mend = e.Cell+", which a float64 would round", "send it as a string"
	}
	return fmt.Sprintf("column %q holds %s and cannot take %s: %s, or send it under another name", e.Column, have, got, mend)
}

func (e *TypeError) Unwrap() error { return ErrInvalid }

// rounds reports whether the types would fit, if an integer were rounded.
func (e *TypeError) rounds() bool {
	return e.Have == column.Int64 && e.Got == column.Float64 || e.Have == column.Float64 && e.Got == column.Int64
}
