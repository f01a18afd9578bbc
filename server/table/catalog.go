package table

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
)

// catalog knows the columns of every table: those of the rows that are in the log, or were. A request whose rows bring something new
// claims that before they go to the log, so that no other request brings what does not fit. When the log has the rows, the claim
// becomes part of the catalog; when they are refused, nothing of it is left.
//
//	request ──claim──▶ claims ──the log has the rows──▶ known ──before they land──▶ catalog.json
//	                      └─────refused──▶ nothing
//
// So the file has the columns of all rows that are in files, and the log tells the others after a restart.
type catalog struct {
	disk   disk.Disk
	path   string
	header header
	limits limits

	known atomic.Pointer[map[Name]*table] // what most requests ask, without a lock

	mu      sync.Mutex
	recent  map[Name]*table // those that known does not have yet
	misses  int             // lookups since recent was put into known that did not find a table there
	claims  map[Name]*claim
	fresh   int    // claims of tables that are new
	changes uint64 // made to schemas so far
	unsaved bool   // tables were rewritten, which is not among the changes

	writing disk.Mutex
	written uint64 // of the changes, those in the file
}

// claim is what requests in hand bring to a table that is new to it.
type claim struct {
	schema   *schema // what is known, and all that they bring
	requests int
}

// claimed is what one request has claimed of a table.
type claimed struct {
	table  *table
	fields []Field
}

// limits hold for what is new. The zero limits take what the log has, which was taken before.
type limits struct {
	on              bool
	tables, columns int
}

// lookup is the schema of a table, or nil.
func (c *catalog) lookup(name Name) *schema {
	if t := (*c.known.Load())[name]; t != nil {
		return t.schema.Load()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.misses++; len(c.recent) > 0 && c.misses > len(*c.known.Load()) { // so that a copy costs each lookup one step
		tables := c.tables()
		c.known.Store(&tables)
		clear(c.recent)
		c.misses = 0
	}
	return c.find(name)
}

// covering is the table that has every column of b, or nil.
func (c *catalog) covering(name Name, b *column.Batch) *table {
	if sc := c.lookup(name); sc != nil && sc.covers(b) {
		return sc.table
	}
	return nil
}

// tables is a copy of known and recent together.
func (c *catalog) tables() map[Name]*table {
	tables := maps.Clone(*c.known.Load())
	maps.Copy(tables, c.recent)
	return tables
}

// all returns every table.
func (c *catalog) all() map[Name]*table {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tables()
}

func (c *catalog) size() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sizeLocked()
}

func (c *catalog) sizeLocked() int { return len(*c.known.Load()) + len(c.recent) }

// find is lookup by a holder of the lock.
func (c *catalog) find(name Name) *schema {
	t := (*c.known.Load())[name]
	if t == nil {
		t = c.recent[name]
	}
	if t == nil {
		return nil
	}
	return t.schema.Load()
}

// claim gives the items without a table theirs, and claims what their batches bring: for all of them, or for none if it returns an error.
// settle must follow.
func (c *catalog) claim(items []item) (list []claimed, at int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := make(map[Name]*schema, len(items))
	fresh := 0 // tables that neither the catalog nor a claim has
	for i := range items {
		it := &items[i]
		if it.table != nil {
			continue
		}
		sc := next[it.name]
		if cl := c.claims[it.name]; sc == nil && cl != nil {
			sc = cl.schema
		}
		if sc == nil {
			sc = c.find(it.name)
		}
		if sc == nil {
			if err := c.checkNewTable(it.name, fresh); err != nil {
				return nil, i, err
			}
			fresh++
			sc = newSchema(it.name)
		}
		if next[it.name], err = sc.extended(it.piece.batch, c.limits); err != nil {
			return nil, i, err
		}
	}
	c.fresh += fresh
	for i := range items {
		it := &items[i]
		if it.table != nil {
			continue
		}
		sc := next[it.name]
		cl := c.claims[it.name]
		if cl == nil {
			cl = new(claim)
			c.claims[it.name] = cl
		}
		cl.schema = sc
		cl.requests++
		it.table = sc.table
		list = append(list, claimed{sc.table, fieldsOf(it.piece.batch)})
	}
	return list, 0, nil
}

// settle ends what claim has claimed: the rows are in the log, or were refused.
func (c *catalog) settle(list []claimed, taken bool) {
	if len(list) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range list {
		t := one.table
		old := t.schema.Load()
		if taken {
			sc := old
			if sc == nil {
				sc = newSchema(t.name)
				sc.table = t
				c.recent[t.name] = t
				c.fresh--
			}
			if sc = sc.with(one.fields); sc != old {
				t.schema.Store(sc)
				c.changes++
			}
		}
		cl := c.claims[t.name]
		if cl.requests--; cl.requests == 0 {
			delete(c.claims, t.name)
			if t.schema.Load() == nil {
				c.fresh--
			}
		}
	}
}

// rewritten notes that the files of a table have followed so many widenings. saveRewritten writes it to the file.
func (c *catalog) rewritten(t *table, widenings int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := *t.schema.Load()
	next.rewritten = widenings
	t.schema.Store(&next)
	c.unsaved = true
}

func (c *catalog) saveRewritten() error {
	c.mu.Lock()
	if c.unsaved {
		c.changes++
		c.unsaved = false
	}
	c.mu.Unlock()
	return c.save()
}

func (c *catalog) checkNewTable(name Name, more int) error {
	if c.limits.on && c.sizeLocked()+c.fresh+more >= c.limits.tables {
		return invalid("table %s: it would be one more than the %d tables there may be: raise the limit, or use fewer names",
			name, c.limits.tables)
	}
	return checkTableName(name)
}

// save returns once the file has what was known at the call.
func (c *catalog) save() error {
	c.mu.Lock()
	want := c.changes
	c.mu.Unlock()
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.written >= want {
		return nil
	}
	return c.write(c.header)
}

// saveTotals has the file say what has landed of each table by now.
func (c *catalog) saveTotals() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.write(c.header)
}

// nextLog raises the number of the log, on disk, and returns it.
func (c *catalog) nextLog() (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	h := c.header
	h.Log++
	if err := c.write(h); err != nil {
		return 0, err
	}
	return h.Log, nil
}

// write replaces the file. The caller holds writing.
func (c *catalog) write(h header) error {
	c.mu.Lock()
	changes := c.changes
	schemas := make([]*schema, 0, c.sizeLocked())
	for _, tables := range []map[Name]*table{*c.known.Load(), c.recent} {
		for _, t := range tables {
			if sc := t.schema.Load(); !sc.dropped {
				schemas = append(schemas, sc)
			}
		}
	}
	c.mu.Unlock()
	if err := writeCatalog(c.disk, c.path, h, schemas); err != nil {
		return err
	}
	c.header, c.written = h, changes
	return nil
}
