package table

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/slipstream-go/slipstream/column"
)

// Alterations of tables by an administrator. While one is at work, its table takes no rows: requests with such are refused with
// ErrHeld. First all of its rows land. So no record in the log has rows of the former kind that a restart would read again.
//
//	hold ──▶ rows land ──▶ files are edited ──▶ catalog on disk ──▶ the table takes rows
//
// The catalog is last. An alteration that fails before has changed a part of the files, if any, and may be repeated.

// ErrUnknown says that there is no such table, or no such column.
var ErrUnknown = errors.New("it does not exist")

// ErrUnfit is wrapped by errors about a cell in a file that has no counterpart in the type that its column is to have. No file has
// been changed then.
var ErrUnfit = errors.New("a cell does not fit the type")

// Drop removes a table from the catalog. Its files are removed too, or they stay where they are: rows that come later make a
// table of the same name, whose types may be others, beside them.
func (s *Store) Drop(ctx context.Context, name Name, files bool) error {
	return s.alter(ctx, name, func(sc *schema, e Editor) (*schema, error) {
		if !files {
			return nil, nil
		}
		return nil, e.RemoveAll(name.dir())
	})
}

// DropColumn removes a column from the catalog: its type is that of the next value. The files are rewritten without it, or they
// keep it as it is.
func (s *Store) DropColumn(ctx context.Context, name Name, col string, files bool) error {
	return s.alterColumn(ctx, name, col, func(sc *schema, i int, e Editor) error {
		in := sc.fields[i].FileName()
		sc.fields = slices.Delete(sc.fields, i, i+1)
		if !files {
			return nil
		}
		return eachFile(e, name, func(path string) error {
			return e.Edit(ctx, path, func(b *column.Batch) (bool, error) {
				had := len(b.Columns)
				b.Columns = slices.DeleteFunc(b.Columns, func(c *column.Column) bool { return c.Name == in })
				return len(b.Columns) < had, nil
			})
		})
	})
}

// SetType gives a column another type, in the catalog and in all files, one after the other. The error is ErrUnfit if a cell
// cannot be converted.
func (s *Store) SetType(ctx context.Context, name Name, col string, kind column.Kind) error {
	return s.alterColumn(ctx, name, col, func(sc *schema, i int, e Editor) error {
		field := &sc.fields[i]
		field.Kind, field.Inexact = kind, false
		for _, write := range []bool{false, true} { // all cells are checked before a file is changed
			err := eachFile(e, name, func(path string) error {
				return e.Edit(ctx, path, func(b *column.Batch) (bool, error) {
					i := slices.IndexFunc(b.Columns, func(c *column.Column) bool { return c.Name == field.FileName() })
					if i < 0 {
						return false, nil
					}
					old := b.Columns[i]
					c, err := converted(old, kind)
					if err != nil {
						return false, fmt.Errorf("column %q: %w", col, err)
					}
					b.Columns[i] = c
					field.Inexact = field.Inexact || c.Inexact() >= 0
					return write && old.Kind != kind, nil
				})
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
}

func eachFile(e Editor, name Name, fn func(path string) error) error {
	files, err := e.Files(name.dir())
	if err != nil {
		return err
	}
	for _, path := range files {
		if err := fn(path); err != nil {
			return err
		}
	}
	return nil
}

// alterColumn is alter for a column, which is field i. Edit changes the fields of a schema of its own.
func (s *Store) alterColumn(ctx context.Context, name Name, col string, edit func(sc *schema, i int, e Editor) error) error {
	if col == timeColumn {
		return invalid("table %s: the column time is a time, in every table", name)
	}
	return s.alter(ctx, name, func(sc *schema, e Editor) (*schema, error) {
		i, ok := sc.index[col]
		if !ok {
			return nil, fmt.Errorf("table %s: column %q: %w", name, col, ErrUnknown)
		}
		next := &schema{table: sc.table, fields: slices.Clone(sc.fields), index: maps.Clone(sc.index)}
		if err := edit(next, i, e); err != nil {
			return nil, err
		}
		clear(next.index)
		for i, f := range next.fields {
			next.index[f.Name] = i
		}
		return next, nil
	})
}

// alter holds a table while edit makes of its schema another one, or nil, which removes the table.
func (s *Store) alter(ctx context.Context, name Name, edit func(*schema, Editor) (*schema, error)) error {
	e, ok := s.o.Sink.(Editor)
	if !ok {
		return errors.New("table: the sink cannot change files that have landed")
	}
	sc, err := s.catalog.hold(name)
	if err != nil {
		return err
	}
	var next *schema
	if err = s.landTable(ctx, sc.table); err == nil {
		next, err = edit(sc, e)
	}
	if err != nil {
		s.catalog.release(name)
		return err
	}
	if err := s.catalog.replace(name, next); err != nil {
		return err
	}
	if next == nil {
		s.mu.Lock()
		s.tables = slices.DeleteFunc(s.tables, func(t *table) bool { return t == sc.table })
		s.mu.Unlock()
	}
	return nil
}

// landTick is how often landTable looks whether rows do not land.
const landTick = 50 * time.Millisecond

// landTable lands the rows of a table that is held, or returns why they do not land.
func (s *Store) landTable(ctx context.Context, t *table) error {
	s.gate.Lock() // those that were admitted before have been committed, or queued
	closed := s.closed
	s.gate.Unlock()
	if closed {
		return ErrClosed
	}
	if err := s.settleAsync(); err != nil {
		return err
	}
	s.mu.Lock()
	u := s.sealed(t)
	s.mu.Unlock()
	if u == nil {
		return nil
	}
	tick := time.NewTicker(landTick)
	defer tick.Stop()
	for {
		select {
		case <-u.done:
			return nil
		case <-ctx.Done():
			return s.unlanded(ctx.Err())
		case <-s.ctx.Done():
			return s.unlanded(context.Cause(s.ctx))
		case <-tick.C:
			s.mu.Lock()
			err := t.landError()
			s.mu.Unlock()
			if err != nil {
				return fmt.Errorf("table %s: its rows do not land: %w", t.name, err)
			}
		}
	}
}

// hold has a table take no rows. Those that were admitted before may be on their way.
func (c *catalog) hold(name Name) (*schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.pending[name] != nil {
		c.decided.Wait()
	}
	sc := c.tables[name]
	switch {
	case sc == nil:
		return nil, fmt.Errorf("table %s: %w", name, ErrUnknown)
	case sc.held:
		return nil, fmt.Errorf("table %s: %w", name, ErrHeld)
	}
	c.tables[name] = sc.with(true)
	return sc, nil
}

// release has a table take rows again.
func (c *catalog) release(name Name) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tables[name] = c.tables[name].with(false)
}

// with is the schema, held or not.
func (sc *schema) with(held bool) *schema {
	return &schema{table: sc.table, fields: sc.fields, index: sc.index, held: held}
}

// replace gives a table that is held another schema, or removes it if that is nil, and has it take rows again. After an error it
// has the schema that it had.
func (c *catalog) replace(name Name, next *schema) error {
	ch := &change{tables: map[Name]*schema{name: next}}
	c.mu.Lock()
	old := c.tables[name]
	c.pending[name] = ch // whoever would make the table again waits
	delete(c.tables, name)
	if next != nil {
		c.tables[name] = next.with(true)
	}
	c.changes++
	c.mu.Unlock()
	err := c.flush()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		c.tables[name] = old.with(false)
		c.changes++
	case next != nil:
		c.tables[name] = next
	}
	c.decide(ch)
	return err
}
