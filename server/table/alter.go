package table

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/slipstream-go/slipstream/column"
)

// An administrator can alter tables. During an alteration, the table accepts no rows: requests with
// rows for it are rejected with ErrHeld. First, all earlier rows of the table are written to files
// (they land). So the log contains no rows with the old schema that a restart would have to read.
//
//	hold ──▶ rows land ──▶ files are edited ──▶ catalog on disk ──▶ the table takes rows
//
// The catalog is written last. If an alteration fails before that, it may have changed some of the
// files, and can be repeated.

// ErrUnknown reports that the table or the column does not exist.
var ErrUnknown = errors.New("does not exist")

// ErrUnfit reports that a cell in a file cannot be converted to the new type of its column. If an
// error wraps ErrUnfit, no file has been changed.
var ErrUnfit = errors.New("the value does not fit the type")

// Drop removes a table from the catalog. If the argument `files` is true, Drop also removes the
// table's files. If it is false, later rows create a table with the same name in the same
// directory. The types of its columns may differ from the types in the old files.
func (s *Store) Drop(ctx context.Context, name Name, files bool) error {
	return s.alter(ctx, name, func(sc *schema, e Editor) (*schema, error) {
		if !files {
			return nil, nil
		}
		return nil, e.RemoveAll(name.dir())
	})
}

// DropColumn removes a column from the catalog. If the column is written again, its first value
// determines the new type. If the argument `files` is true, the files are rewritten without the
// column; otherwise the files keep the column.
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

// SetType changes the type of a column in the catalog and in all files. Files are changed one after
// the other. If a cell cannot be converted, the error is [ErrUnfit].
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

// alterColumn is like alter, but for one column. It calls the function `edit` with a copy of the
// table's schema and with the index i of the column in the copy's fields. The function may change
// these fields.
func (s *Store) alterColumn(ctx context.Context, name Name, col string, edit func(sc *schema, i int, e Editor) error) error {
	if col == timeColumn {
		return invalid("table %s: the column time cannot be altered or dropped", name)
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

// alter makes a table reject new rows, writes its earlier rows to files, and replaces its schema
// with the schema that the function `edit` returns. If that schema is nil, alter removes the table.
func (s *Store) alter(ctx context.Context, name Name, edit func(*schema, Editor) (*schema, error)) error {
	e, ok := s.o.Sink.(Editor)
	if !ok {
		return errors.New("table: the sink cannot change existing files")
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

// landTick is the interval at which landTable checks whether the rows are in files.
const landTick = 50 * time.Millisecond

// landTable writes the rows of a held table (one that rejects new rows) to files. It also waits
// until all files of the table are in its own directory, no files must be removed, and no rewrite
// is in progress. If one of these steps fails, landTable returns the reason.
func (s *Store) landTable(ctx context.Context, t *table) error {
	s.gate.Lock() // wait for appends in progress: their rows are then committed or queued
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
			return fmt.Errorf("table %s: its rows cannot be written to files: %w", t.name, err)
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

// forgetTotals writes a Landed note with zero totals to the log, so that the totals of the next
// table with the same name start from zero.
func (s *Store) forgetTotals(t *table) error {
	s.mu.Lock()
	to := t.landedTo
	s.mu.Unlock()
	if err := s.note(typeLanded, t.name, landed{To: to, Settled: s.settled(nil), Total: new(Totals)}); err != nil {
		return fmt.Errorf("table %s: recording its removal: %w", t.name, err)
	}
	t.totals.Store(new(Totals))
	return nil
}

// hold makes a table reject new rows. Rows that were accepted before the call may still be on their
// way to the log.
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

// release makes a table accept rows again.
func (c *catalog) release(t *table) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.setHeld(t, false)
}

func (c *catalog) setHeld(t *table, held bool) {
	next := *t.schema.Load()
	next.held = held
	t.schema.Store(&next)
	if cl := c.claims[t.name]; cl != nil { // later claims extend the schema of the claim
		next := *cl.schema
		next.held = held
		cl.schema = &next
	}
}

// replace changes the schema of a held table to `next`. If `next` is nil, replace removes the
// table. After the call, the table accepts rows again. After an error, the table keeps its old
// schema.
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

// restore gives a table its old schema again, and marks the table as changed, so that this schema
// is written to disk. The caller holds the lock.
func (c *catalog) restore(t *table, old *schema) {
	t.schema.Store(old)
	c.changed[t] = true
}

// set changes the schema of a held table to `next`. If `next` is nil, set marks the table as
// dropped. The next call of the method `save` writes the change to disk. The table stays held.
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
