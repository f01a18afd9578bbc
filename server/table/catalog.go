package table

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
)

// catalog knows the columns of every table. It changes with the commit of the first row that brings something new (see
// [change]), and its file, {dir}/catalog.json, before such a row is in a table's file. Until then the row is in the log, which
// is read again after a crash, so the two together never forget a column.
type catalog struct {
	disk   disk.Disk
	path   string
	header header
	limits limits

	mu      sync.RWMutex
	tables  map[Name]*schema
	pending map[Name]*change // tables that a request on its way to the log changes
	decided *sync.Cond       // with mu: a table is no longer pending
	changes uint64           // made to tables so far

	writing disk.Mutex
	written uint64 // of the changes, those in the file
}

// limits hold for what is new. The zero limits take what the log has, which was taken before.
type limits struct {
	on              bool
	tables, columns int
}

// schema is one table's columns; it never changes, a newer one takes its place.
type schema struct {
	table  *table
	fields []Field        // "time" first, the others in the order of their first appearance
	index  map[string]int // name to its place in fields
	folds  map[string]int // by [Fold], names in files, and the last number that one was given: made when a column is added
	held   bool           // an [Alteration] is at work: the table takes no rows
}

// TypeError says that a column of a batch does not have the type that its table's column has, or that
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

// lookup is the schema of a table, or nil.
func (c *catalog) lookup(name Name) *schema {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.tables[name]
}

// snapshot is a copy of the tables.
func (c *catalog) snapshot() map[Name]*schema {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return maps.Clone(c.tables)
}

// size is how many tables there are.
func (c *catalog) size() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.tables)
}

// covers is the fast twin of extended: it reports whether the table has each column of b already, of a fitting kind. Columns
// are expected in the schema's order.
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

// extended is the schema with the columns of b added, and its Int64 columns widened where b has Float64. It is sc itself if
// nothing changes.
func (sc *schema) extended(name Name, b *column.Batch, l limits) (*schema, error) {
	next := sc
	change := func() {
		if next == sc {
			next = &schema{table: sc.table, fields: slices.Clone(sc.fields), index: maps.Clone(sc.index)}
		}
	}
	for _, c := range b.Columns {
		if c.Kind == column.Null {
			continue
		}
		f := Field{Name: c.Name, Kind: c.Kind}
		i, known := next.index[c.Name]
		if known {
			f = next.fields[i]
			if e := f.Conflict(c); e != nil && (l.on || !e.rounds()) {
				e.Name = name
				return nil, e
			}
		}
		f = f.with(c)
		switch {
		case !known:
			if l.on && len(next.fields) >= l.columns {
				return nil, invalid("table %s: column %q would be one more than the %d a table may have", name, c.Name, l.columns)
			}
			change()
			if err := checkColumnName(name, c.Name); err != nil {
				return nil, err
			}
			f.setFileName(next.fileName(c.Name))
			next.add(f)
		case f != next.fields[i]:
			change()
			next.fields[i] = f
		}
	}
	if next != sc {
		next.folds = nil // they are of no use any more
	}
	return next, nil
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

// flush returns once the file has every change that was made before the call.
func (c *catalog) flush() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.RLock()
	changes := c.changes
	var tables map[Name]*schema
	if changes != c.written {
		tables = maps.Clone(c.tables)
	}
	c.mu.RUnlock()
	if tables == nil {
		return nil
	}
	if err := writeCatalog(c.disk, c.path, c.header, tables); err != nil {
		return fmt.Errorf("table: writing the catalog: %w", err)
	}
	c.written = changes
	return nil
}

// header is what the catalog file knows besides the tables.
type header struct {
	Version int `json:"version"`

	// Log counts how often the log was begun anew beside existing tables, as after its directory was deleted. Sequence
	// numbers start at 1 then, and file names that are made of them must not meet those of the former log.
	Log int `json:"log"`
}

const catalogVersion = 1

type catalogFile struct {
	header
	Tables []catalogTable `json:"tables"`
}

type catalogTable struct {
	DB      string          `json:"db"`
	Table   string          `json:"table"`
	Columns []catalogColumn `json:"columns"`
}

type catalogColumn struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Inexact bool   `json:"inexact,omitempty"`
	As      string `json:"as,omitempty"` // in files, if it is another one there
}

// openCatalog reads the file, or begins an empty catalog if there is none. It has no limits: those come when the log has been
// replayed, whose rows were admitted once.
func openCatalog(d disk.Disk, path string) (*catalog, error) {
	c := &catalog{
		disk:    d,
		path:    path,
		header:  header{Version: catalogVersion},
		tables:  make(map[Name]*schema),
		pending: make(map[Name]*change),
	}
	c.decided = sync.NewCond(&c.mu)
	text, err := disk.ReadFile(d, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("table: reading the catalog: %w", err)
	}
	if err == nil {
		if err := c.parse(text); err != nil {
			return nil, fmt.Errorf("table: catalog %s: %w", path, err)
		}
	}
	return c, nil
}

func (c *catalog) parse(text []byte) error {
	var f catalogFile
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("%w: restore it from a copy", err)
	}
	if f.Version != catalogVersion {
		return fmt.Errorf("it has version %d and this program reads version %d: use the program that wrote it", f.Version, catalogVersion)
	}
	c.header = f.header
	for _, t := range f.Tables {
		name := Name{DB: t.DB, Table: t.Table}
		if c.tables[name] != nil {
			return fmt.Errorf("table %s is there twice: restore it from a copy", name)
		}
		sc := newSchema(name)
		for i, col := range t.Columns {
			kind, ok := column.KindOf(col.Kind)
			f := Field{Name: col.Name, Kind: kind, Inexact: col.Inexact, As: col.As}
			if i == 0 && f == sc.fields[0] {
				continue
			}
			if _, twice := sc.index[col.Name]; i == 0 || !ok || kind == column.Null || twice {
				return fmt.Errorf("table %s: column %q of kind %q does not fit: restore it from a copy", name, col.Name, col.Kind)
			}
			sc.add(f)
		}
		c.tables[name] = sc
	}
	return nil
}

// nextLog raises the number of the log, on disk, and returns it.
func (c *catalog) nextLog() (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	h := c.header
	h.Log++
	if err := writeCatalog(c.disk, c.path, h, c.snapshot()); err != nil {
		return 0, err
	}
	c.header = h
	return h.Log, nil
}

// writeCatalog replaces the file, durably: at any moment there is the old one or the new one.
func writeCatalog(d disk.Disk, path string, h header, tables map[Name]*schema) error {
	file := catalogFile{header: h, Tables: make([]catalogTable, 0, len(tables))}
	for name, sc := range tables {
		t := catalogTable{DB: name.DB, Table: name.Table, Columns: make([]catalogColumn, len(sc.fields))}
		for i, f := range sc.fields {
			t.Columns[i] = catalogColumn{Name: f.Name, Kind: f.Kind.String(), Inexact: f.Inexact, As: f.As}
		}
		file.Tables = append(file.Tables, t)
	}
	slices.SortFunc(file.Tables, func(a, b catalogTable) int {
		return cmp.Or(strings.Compare(a.DB, b.DB), strings.Compare(a.Table, b.Table))
	})
	text, err := json.MarshalIndent(file, "", "\t")
	if err != nil {
		return err
	}
	return disk.WriteFile(d, path, append(text, '\n'))
}
