package table

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
)

// catalog contains the columns of every table. These are the columns of all rows that are in the
// log or were in the log before. A request with new tables or columns claims them before its rows
// go to the log, so that no other request can add columns that conflict with them. When the log has
// the rows, the claim becomes part of the catalog. When the rows are rejected, the claim is
// removed.
//
//	request ──claim──▶ claims ──the log has the rows──▶ known ──before they land──▶ journal ──▶ catalog.json
//	                      └─────refused──▶ nothing
//
// So the columns of all rows in files are on disk. After a restart, the columns of all other rows
// are found in the log.
type catalog struct {
	disk   disk.Disk
	path   string
	limits limits

	known atomic.Pointer[map[Name]*table] // read by most requests, without a lock

	mu      sync.Mutex
	recent  map[Name]*table // tables that known does not contain yet
	misses  int             // lookups that did not find a table in known, since recent was last merged into known
	claims  map[Name]*claim
	fresh   int             // number of new tables that are claimed
	counts  map[string]int  // number of tables in each database, including new tables that are claimed
	changed map[*table]bool // tables whose current columns are not on disk
	later   map[*table]bool // tables whose other current data, such as totals, is not on disk

	writing  disk.Mutex // held during writes to the disk; guards the fields below
	header   header
	journal  *journal // continues the catalog.json that this process has written; if nil, the next write replaces catalog.json
	limit    int64    // maximum size of the journal; a larger journal is folded into catalog.json
	unfolded bool     // there is a journal from an earlier process; its content may be only in the system's cache
}

// claim describes the new columns for a table in current requests.
type claim struct {
	schema   *schema // the known columns and all columns in the requests
	requests int
}

// claimed contains a table that one request has claimed, and the fields in the request.
type claimed struct {
	table  *table
	fields []Field
}

// limits contains the limits for new tables and columns. The zero value accepts everything. It is
// used for rows in the log, because they were accepted before.
type limits struct {
	on              bool
	tables, columns int
}

// lookup returns the schema of a table, or nil.
func (c *catalog) lookup(name Name) *schema {
	if t := (*c.known.Load())[name]; t != nil {
		return t.schema.Load()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.misses++; len(c.recent) > 0 && c.misses > len(*c.known.Load()) { // the cost of the copy is divided among this number of misses
		tables := c.tables()
		c.known.Store(&tables)
		clear(c.recent)
		c.misses = 0
	}
	return c.find(name)
}

// covering returns the table with the given name if it has every column of b. Otherwise it returns
// nil.
func (c *catalog) covering(name Name, b *column.Batch) *table {
	if sc := c.lookup(name); sc != nil && sc.covers(b) {
		return sc.table
	}
	return nil
}

// tables returns a new map of all tables in known and recent.
func (c *catalog) tables() map[Name]*table {
	tables := maps.Clone(*c.known.Load())
	maps.Copy(tables, c.recent)
	return tables
}

// The method all returns every table.
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

// find is like lookup, for a caller that holds the lock.
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

// claim sets the table of each item that has no table yet, and claims the new columns of the item's
// batch. After an error, nothing is claimed, and `at` is the index of the failed item. Without an
// error, the caller must later call settle.
func (c *catalog) claim(items []item) (list []claimed, at int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := make(map[Name]*schema, len(items))
	var fresh []Name // tables that neither the catalog nor a claim has
	defer func() {
		if err != nil {
			for _, name := range fresh {
				c.unclaim(name)
			}
		}
	}()
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
			if err := c.checkNewTable(it.name); err != nil {
				return nil, i, err
			}
			fresh = append(fresh, it.name)
			c.fresh++
			c.counts[it.name.DB]++
			sc = newSchema(it.name)
		}
		if next[it.name], err = sc.extended(it.piece.batch, c.limits); err != nil {
			return nil, i, err
		}
	}
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

// settle ends the claims in the list. If the argument `taken` is true, the rows are in the log, and
// settle makes the claims part of the catalog. If it is false, the rows were rejected.
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
				c.changed[t] = true
			}
		}
		cl := c.claims[t.name]
		if cl.requests--; cl.requests == 0 {
			delete(c.claims, t.name)
			if t.schema.Load() == nil {
				c.unclaim(t.name)
			}
		}
	}
}

// rewritten is called after the files of a table have been rewritten. It sets the number of
// widenings that the files contain. The next call of saveAll writes the number to disk.
func (c *catalog) rewritten(t *table, widenings int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := *t.schema.Load()
	next.rewritten = widenings
	t.schema.Store(&next)
	c.later[t] = true
}

// hasLanded sets the totals of a table after rows were written to files. The next call of saveAll
// writes the totals to disk.
func (c *catalog) hasLanded(t *table, n *Totals) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t.totals.Store(n)
	c.later[t] = true
}

// unclaim corrects the counts for a new table that was claimed, but not created. The caller holds
// the lock.
func (c *catalog) unclaim(name Name) {
	c.fresh--
	c.uncount(name)
}

// save writes to disk all columns that are known at the call.
func (c *catalog) save() error { return c.write(false) }

// saveAll is like the method `save`, but also writes the totals, and the numbers that the method
// `rewritten` has set.
func (c *catalog) saveAll() error { return c.write(true) }

func (c *catalog) write(all bool) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	changes := c.take(all)
	if len(changes) == 0 && !c.unfolded {
		return nil
	}
	err := c.put(changes)
	if err != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, s := range changes {
			if s.schema.dropped || !slices.Equal(s.schema.fields, s.table.saved) {
				c.changed[s.table] = true
			} else {
				c.later[s.table] = true
			}
		}
	}
	return err
}

// take returns the states of all changed tables, sorted by name, and marks these tables as
// unchanged.
func (c *catalog) take(all bool) []state {
	c.mu.Lock()
	defer c.mu.Unlock()
	if all {
		maps.Copy(c.changed, c.later)
	}
	changes := make([]state, 0, len(c.changed))
	for t := range c.changed {
		delete(c.later, t)
		if sc := c.find(t.name); sc != nil && sc.table == t { // else it was dropped, or the log does not have its rows yet
			changes = append(changes, state{t, sc, t.totals.Load()})
		}
	}
	clear(c.changed)
	sortStates(changes)
	return changes
}

// minFold is the size, in bytes, up to which a journal is not folded, even if catalog.json is
// smaller.
const minFold = 64 << 10

// put writes changes to the journal. If the journal would exceed its limit, put writes the whole
// catalog to catalog.json instead.
func (c *catalog) put(changes []state) error {
	if c.journal == nil {
		return c.fold(journaledVersion, c.header.Log)
	}
	var e catalogEntry
	for _, s := range changes {
		e.Tables = append(e.Tables, s.change())
	}
	text, err := json.Marshal(e)
	if err != nil {
		return err
	}
	entry := newEntry(text, c.journal.number, c.journal.size)
	if c.journal.size+int64(len(entry)) > c.limit {
		if err := c.fold(journaledVersion, c.header.Log); c.journal == nil || err == nil {
			return err
		}
		c.limit *= 2 // the disk may be too full for a second catalog.json; try again when the journal has grown that much
	}
	err = c.journal.append(entry)
	if c.journal.broken {
		c.leaveJournal()
	}
	if err == nil {
		saved(changes)
	}
	return err
}

// saved marks the columns in the given states as being on disk.
func saved(states []state) {
	for _, s := range states {
		s.table.saved = s.schema.fields
		if s.schema.dropped {
			s.table.saved = nil
		}
	}
}

func (c *catalog) leaveJournal() {
	c.journal.close()
	c.journal = nil
}

// fold writes the complete catalog to catalog.json, and begins a new journal unless the version has
// no journal. If fold fails before it has changed anything, the current journal remains in use.
// After a later error, the next write must fold again.
//
//	new file on disk ─▶ new journal ─▶ file renamed ─▶ directory on disk ─▶ earlier journals removed
func (c *catalog) fold(version, log int) error {
	h := header{Version: version, Log: log, Journal: c.header.Journal + 1}
	states := c.states()
	text, err := printFile(h, states)
	if err != nil {
		return err
	}
	file, err := disk.Stage(c.disk, c.path, text)
	if err != nil {
		return err
	}
	c.leaveJournal()
	c.header.Journal = h.Journal // each number is used only once
	var next *journal
	if version == journaledVersion {
		if next, err = createJournal(c.disk, c.path, h.Journal); err != nil {
			return err
		}
	}
	if err := file.Replace(); err != nil {
		next.close()
		return err
	}
	c.header, c.journal, c.unfolded = h, next, false
	c.limit = max(minFold, int64(len(text)))
	saved(states)
	c.removeJournals()
	return nil
}

// removeJournals removes the journals of earlier catalog files. If it fails, a later call removes
// them.
func (c *catalog) removeJournals() {
	for number, err := range journals(c.disk, c.path) {
		if err == nil && number < c.header.Journal {
			_ = c.disk.Remove(journalPath(c.path, number))
		}
	}
}

// states returns the states of all tables, sorted by name.
func (c *catalog) states() []state {
	c.mu.Lock()
	defer c.mu.Unlock()
	states := make([]state, 0, c.sizeLocked())
	for _, tables := range []map[Name]*table{*c.known.Load(), c.recent} {
		for _, t := range tables {
			states = append(states, state{t, t.schema.Load(), t.totals.Load()})
		}
	}
	sortStates(states)
	return states
}

func sortStates(states []state) {
	slices.SortFunc(states, func(a, b state) int { return a.table.name.compare(b.table.name) })
}

// close writes the whole catalog to catalog.json, in the version that earlier programs can read. If
// it cannot write catalog.json, it writes the changes to the journal.
func (c *catalog) close() error {
	c.writing.Lock()
	err := c.fold(wholeVersion, c.header.Log)
	c.writing.Unlock()
	if err != nil {
		err = c.saveAll()
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.leaveJournal()
	return err
}

// nextLog increments the number of the log on disk, and returns it.
func (c *catalog) nextLog() (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	log := c.header.Log + 1
	return log, c.fold(journaledVersion, log)
}
