package table

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/slipstream-go/slipstream/column"
)

// schema contains one table's columns. A schema never changes: a newer schema replaces it.
type schema struct {
	table  *table
	fields []Field        // "time" first, then the other columns in the order of their first occurrence
	index  map[string]int // index in fields, by name
	folds  map[string]int // for each name in files, as returned by [Fold]: the last number that was appended to it; created when a column is added

	widenings int // how many times a column was widened
	rewritten int // number of these widenings that were applied to all files; see rewrite.go

	held, dropped bool // held: the table accepts no rows; dropped: the catalog on disk must not contain the table; see alter.go
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

// covers reports whether the table already has each column of b, with a compatible kind. If it
// does, the caller need not call the slower method extended. A call of covers is fastest if the
// columns are in the schema's order.
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

// extended returns the schema with the columns of b added, and with Int64 columns widened if their
// column in b is Float64. If nothing changes, it returns sc itself.
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
			return nil, invalid("table %s: column %q: the table already has the maximum of %d columns", sc.table.name, c.Name, l.columns)
		} else if err := checkColumnName(sc.table.name, c.Name); err != nil {
			return nil, err
		}
		next = next.merged(sc, fieldOf(c))
	}
	next.forget(sc)
	return next, nil
}

// The method with returns the schema with the given fields added. The method `extended` must have
// accepted these fields before.
func (sc *schema) with(fields []Field) *schema {
	next := sc
	for _, f := range fields {
		next = next.merged(sc, f)
	}
	next.forget(sc)
	return next
}

// changed returns a copy of the schema `old`. The caller may change the copy. If sc is already such
// a copy, changed returns sc.
func (sc *schema) changed(old *schema) *schema {
	if sc != old {
		return sc
	}
	next := *old
	next.fields, next.index, next.folds = slices.Clone(old.fields), maps.Clone(old.index), nil
	return &next
}

// merged returns sc with a field added. The schema sc must be the schema `old` or a copy of it.
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

// forget drops the data that is only needed to change the schema.
func (sc *schema) forget(old *schema) {
	if sc != old {
		sc.folds = nil
	}
}

// fieldOf returns the field that describes a column of a batch.
func fieldOf(c *column.Column) Field {
	return Field{Name: c.Name, Kind: c.Kind, Inexact: c.Kind == column.Int64 && c.Inexact() >= 0}
}

// fieldsOf returns the fields that describe the columns of a batch.
func fieldsOf(b *column.Batch) []Field {
	fields := make([]Field, 0, len(b.Columns))
	for _, c := range b.Columns {
		if c.Kind != column.Null {
			fields = append(fields, fieldOf(c))
		}
	}
	return fields
}

// TypeError reports a conflict between a column of a batch and the same column of the table. Either
// the two columns have different types, or a float64 would round an integer in one of them.
type TypeError struct {
	Name      Name
	Column    string
	Have, Got column.Kind // kind of the column in the table; kind in the batch

	Write int    // index of the write
	Row   int    // index of the first conflicting row in the batch if an integer would be rounded, otherwise -1
	Cell  string // the row's value in this column
}

func (e *TypeError) Error() string { return fmt.Sprintf("table %s: %s", e.Name, e.Reason()) }

// Reason returns the text of the error without the name of the table.
func (e *TypeError) Reason() string {
	have, got, mend := e.Have.String()+" values", e.Got.String()+" values", "convert the values"
	switch {
	case !e.rounds():
	case e.Have == column.Int64:
		have, got, mend = "integers that float64 cannot represent exactly", cmp.Or(e.Cell, "floats"), "send integers"
	default:
		got, mend = e.Cell+", which float64 cannot represent exactly", "send it as a string"
	}
	return fmt.Sprintf("column %q contains %s, so it cannot store %s: %s, or use another column name", e.Column, have, got, mend)
}

func (e *TypeError) Unwrap() error { return ErrInvalid }

// rounds reports whether the only conflict is that an integer would be rounded.
func (e *TypeError) rounds() bool {
	return e.Have == column.Int64 && e.Got == column.Float64 || e.Have == column.Float64 && e.Got == column.Int64
}
