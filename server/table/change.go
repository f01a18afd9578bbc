package table

import (
	"fmt"
	"maps"
)

// change is what a request brings that the catalog does not have yet. The catalog changes when the log has committed the
// request, so a request that is refused, or fails, leaves no trace:
//
//	admit ──▶ the log ──commit──▶ apply
//	             └────failure───▶ drop
//
// Meanwhile the tables that it changes are pending. Another request that fits them as they are passes; one that does not must
// know what becomes of the change, and waits. So a record stands in the log behind those that it owes its columns to, and
// replaying the log makes the same catalog.
type change struct {
	tables map[Name]*schema // as they will be
}

// admit appends to schemas, for each of the writes, the schema that has all of its columns. If the catalog must change for
// that, so does the caller: it calls apply or drop with the change. All writes are checked before anything is pending.
func (c *catalog) admit(schemas []*schema, writes []Write) ([]*schema, *change, error) {
	had := len(schemas)
	c.mu.RLock()
	for _, w := range writes {
		sc := c.tables[w.Name]
		if sc == nil || !sc.covers(w.Batch) {
			break
		}
		schemas = append(schemas, sc)
	}
	c.mu.RUnlock()
	if len(schemas) == had+len(writes) {
		return schemas, nil, nil
	}
	return c.admitNew(schemas[:had], writes)
}

// admitNew is the slow twin of admit.
func (c *catalog) admitNew(schemas []*schema, writes []Write) ([]*schema, *change, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		next, err := c.plan(writes)
		if err != nil {
			return schemas, nil, err
		}
		if c.waits(next) {
			c.decided.Wait()
			continue
		}
		var ch *change
		if len(next) > 0 {
			ch = &change{tables: next}
		}
		for name := range next {
			c.pending[name] = ch
		}
		for _, w := range writes {
			sc := next[w.Name]
			if sc == nil {
				sc = c.tables[w.Name]
			}
			schemas = append(schemas, sc)
		}
		return schemas, ch, nil
	}
}

// plan returns the schemas that the writes change, as they will be.
func (c *catalog) plan(writes []Write) (map[Name]*schema, error) {
	next := make(map[Name]*schema)
	for i, w := range writes {
		old := next[w.Name]
		if old == nil {
			old = c.tables[w.Name]
		}
		if old == nil {
			if err := checkTableName(w.Name); err != nil {
				return nil, err
			}
			old = newSchema(w.Name)
			next[w.Name] = old
		}
		if old.held {
			return nil, fmt.Errorf("table %s: %w", w.Name, ErrHeld)
		}
		sc, err := old.extended(w.Name, w.Batch, c.limits)
		if err != nil {
			return nil, ofWrite(err, i)
		}
		if sc != old {
			next[w.Name] = sc
		}
	}
	return next, c.checkCount(next)
}

// checkCount refuses tables beyond the limit.
func (c *catalog) checkCount(next map[Name]*schema) error {
	if !c.limits.on {
		return nil
	}
	n := len(c.tables)
	for name := range next {
		if c.tables[name] == nil {
			if n++; n > c.limits.tables {
				return invalid("table %s: it would be one more than the %d tables there may be: raise the limit, or use fewer names",
					name, c.limits.tables)
			}
		}
	}
	return nil
}

// waits reports whether a change must wait until one that is pending is decided: for a table that both change, or for the last
// tables that there may be.
func (c *catalog) waits(next map[Name]*schema) bool {
	fresh := 0
	for name := range next {
		if c.pending[name] != nil {
			return true
		}
		if c.tables[name] == nil {
			fresh++
		}
	}
	if !c.limits.on || fresh == 0 || len(c.tables)+fresh+len(c.pending) <= c.limits.tables {
		return false
	}
	for name := range c.pending {
		if c.tables[name] == nil {
			fresh++
		}
	}
	return len(c.tables)+fresh > c.limits.tables
}

// apply makes a change, which may be nil, part of the catalog. Its rows are in the log.
func (c *catalog) apply(ch *change) {
	if ch == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.Copy(c.tables, ch.tables)
	c.changes++
	c.decide(ch)
}

// drop forgets a change, which may be nil. Its rows are not in the log.
func (c *catalog) drop(ch *change) {
	if ch == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.decide(ch)
}

func (c *catalog) decide(ch *change) {
	for name := range ch.tables {
		delete(c.pending, name)
	}
	c.decided.Broadcast()
}
