package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Alterations of tables by an administrator. While one is at work, its table takes no rows:
// requests with such are refused with ErrHeld. First all of its rows land. So no record in the log
// has rows of the former kind that a restart would read again.
//
//	hold ──▶ rows land ──▶ files are edited ──▶ catalog on disk ──▶ the table takes rows
//
// The catalog is last. An alteration that fails before has changed a part of the files, if any, and
// may be repeated.

// ErrUnknown: the table or the column does not exist.
var ErrUnknown = errors.New("it does not exist")

// ErrUnfit is wrapped by errors about a cell in a file that cannot be converted to the new type of
// its column. No file has been changed.
var ErrUnfit = errors.New("a cell does not fit the type")

// Drop removes a table from the catalog. If files is set, its files are removed, too. Otherwise
// later rows create a table with the same name in the same directory, perhaps with other types.
func (s *Store) Drop(ctx context.Context, name Name, files bool) error {
	return s.alter(ctx, name, func(sc *schema, e Editor) (*schema, error) {
		if !files {
			return nil, nil
		}
		return nil, e.RemoveAll(name.dir())
	})
}

// DropColumn removes a column from the catalog. The next value sets its type. If files is set, the
// files are rewritten without the column; otherwise they keep it.
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

// SetType changes the type of a column, in the catalog and in all files, one after the other. If a
// cell cannot be converted, the error is [ErrUnfit].
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

// alterColumn is alter for a column, which is field i. Edit changes the fields of a schema of its
// own.
func (s *Store) alterColumn(ctx context.Context, name Name, col string, edit func(sc *schema, i int, e Editor) error) error {
	if col == timeColumn {
		return invalid("table %s: the column time is a time, in every table", name)
	}
	return s.alter(ctx, name, func(sc *schema, e Editor) (*schema, error) {
		i, ok := sc.index[col]
		if !ok {
			return nil, fmt.Errorf("table %s: column %q: %w", name, col, ErrUnknown)
		}
		next := *sc
		next.fields, next.index = slices.Clone(sc.fields), make(map[string]int)
		if err := edit(&next, i, e); err != nil {
			return nil, err
		}
		for i, f := range next.fields {
			next.index[f.Name] = i
		}
		return &next, nil
	})
}

// alter holds a table while edit makes of its schema another one, or nil, which removes the table.
func (s *Store) alter(ctx context.Context, name Name, edit func(*schema, Editor) (*schema, error)) error {
	e, ok := s.o.Sink.(Editor)
	if !ok {
		return errors.New("table: the sink cannot change files that have landed")
	}
	t, err := s.catalog.hold(name)
	if err != nil {
		return err
	}
	var next *schema
	if err = s.landTable(ctx, t); err == nil {
		next, err = edit(t.schema.Load(), e)
	}
	if err == nil && next == nil {
		err = s.forgetTotals(t)
	}
	if err != nil {
		s.catalog.release(t)
		return err
	}
	if err := s.catalog.replace(t, next); err != nil {
		return err
	}
	if next == nil {
		s.mu.Lock()
		s.tables = slices.DeleteFunc(s.tables, func(other *table) bool { return other == t })
		s.mu.Unlock()
	}
	return nil
}

// landTick is how often landTable looks whether rows do not land.
const landTick = 50 * time.Millisecond

// landTable lands the rows of a table that is held, and has its files where they belong and as they
// should be, or returns why not.
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
	s.seal(t)
	s.mu.Unlock()
	tick := time.NewTicker(landTick)
	defer tick.Stop()
	for {
		s.mu.Lock()
		done := len(t.waiting) == 0 && t.rewrite.to == nil && len(t.unlanded)+len(t.exile.files)+len(t.exile.unlanded) == 0
		err := t.trouble()
		s.mu.Unlock()
		switch {
		case done:
			return nil
		case err != nil:
			return fmt.Errorf("table %s: its rows do not land: %w", t.name, err)
		}
		select {
		case <-ctx.Done():
			return s.unlanded(ctx.Err())
		case <-s.ctx.Done():
			return s.unlanded(context.Cause(s.ctx))
		case <-tick.C:
		}
	}
}

// forgetTotals has the log say that nothing of a table has landed: the next one of its name starts
// over.
func (s *Store) forgetTotals(t *table) error {
	s.mu.Lock()
	to := t.landedTo
	s.mu.Unlock()
	if err := s.note(wal.Landed, t.name, landed{To: to, Settled: s.settled(nil), Total: new(Totals)}); err != nil {
		return fmt.Errorf("table %s: noting that it is removed: %w", t.name, err)
	}
	t.totals.Store(new(Totals))
	return nil
}

// hold has a table take no rows. Those that were admitted before may be on their way.
func (c *catalog) hold(name Name) (*table, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	sc := c.find(name)
	switch {
	case sc == nil:
		return nil, fmt.Errorf("table %s: %w", name, ErrUnknown)
	case sc.held:
		return nil, fmt.Errorf("table %s: %w", name, ErrHeld)
	}
	c.setHeld(sc.table, true)
	return sc.table, nil
}

// release has a table take rows again.
func (c *catalog) release(t *table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setHeld(t, false)
}

func (c *catalog) setHeld(t *table, held bool) {
	next := *t.schema.Load()
	next.held = held
	t.schema.Store(&next)
	if cl := c.claims[t.name]; cl != nil { // which other claims go on from
		next := *cl.schema
		next.held = held
		cl.schema = &next
	}
}

// replace gives a table that is held another schema, or removes it if that is nil, and has it take
// rows again. After an error it has the schema that it had.
func (c *catalog) replace(t *table, next *schema) error {
	old := *t.schema.Load()
	old.held = false
	c.set(t, next, &old)
	err := c.save()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		c.restore(t, &old)
	case next != nil:
		done := *next
		done.held = false
		t.schema.Store(&done)
	default:
		tables := c.tables()
		delete(tables, t.name)
		c.uncount(t.name)
		c.known.Store(&tables)
		clear(c.recent)
	}
	return err
}

// restore has the disk get the schema again that a table had. The caller holds the lock.
func (c *catalog) restore(t *table, old *schema) {
	t.schema.Store(old)
	c.changed[t] = true
}

// set has the disk get another schema, while the table is held.
func (c *catalog) set(t *table, next, old *schema) {
	c.mu.Lock()
	defer c.mu.Unlock()
	written := *old
	if next != nil {
		written = *next
	}
	written.held, written.dropped = true, next == nil
	t.schema.Store(&written)
	c.changed[t] = true
}
