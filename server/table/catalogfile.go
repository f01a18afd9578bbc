package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path/filepath"
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
)

// header contains the fields of the catalog file other than the tables.
type header struct {
	Version int `json:"version"`

	// Log counts how often the log had to start from empty although tables existed, for example
	// because its directory was deleted. The sequence numbers then start at 1 again. Sequence
	// numbers are part of file names. After the first log, file names also contain Log, so that new
	// files never get the names of files from an earlier log.
	Log int `json:"log"`

	Journal uint64 `json:"journal,omitempty"` // number of the journal that continues the file; in wholeVersion, no journal continues the file
}

const (
	wholeVersion     = 1 // the file is the whole catalog
	journaledVersion = 2 // a journal continues the file; programs that know only version 1 would ignore the journal
)

type catalogFile struct {
	header
	Tables []catalogTable `json:"tables"`
}

// catalogEntry is an entry of a journal.
type catalogEntry struct {
	Tables []catalogTable `json:"tables"`
}

type catalogTable struct {
	DB      string          `json:"db"`
	Table   string          `json:"table"`
	At      int             `json:"at,omitempty"` // in a journal: number of unchanged columns that precede Columns
	Columns []catalogColumn `json:"columns"`
	Landed  *Totals         `json:"landed,omitempty"` // missing if no rows are in files, or if the totals are not known

	// Uniform is true if the columns have the stated kinds in all files. Catalogs from earlier
	// programs lack this field.
	Uniform bool `json:"uniform,omitempty"`

	Dropped bool `json:"dropped,omitempty"` // in a journal: the table was removed
}

type catalogColumn struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Inexact bool   `json:"inexact,omitempty"`
	As      string `json:"as,omitempty"` // the column's name in files, if it differs from Name
}

// openCatalog reads the catalog. If the catalog does not exist, openCatalog creates an empty
// catalog in memory. At first, the catalog has no limits, because the rows in the log were admitted
// before. The limits are set after the log has been replayed.
func openCatalog(d disk.Disk, path string) (*catalog, error) {
	c := &catalog{
		disk:    d,
		path:    path,
		recent:  make(map[Name]*table),
		claims:  make(map[Name]*claim),
		counts:  make(map[string]int),
		changed: make(map[*table]bool),
		later:   make(map[*table]bool),
	}
	f, journaled, err := readCatalog(d, path)
	if err != nil {
		return nil, err
	}
	c.header, c.unfolded = f.header, journaled
	tables := make(map[Name]*table, len(f.Tables))
	for _, t := range f.Tables {
		sc, err := t.schema()
		if err != nil {
			return nil, fmt.Errorf("table: catalog %s: %w", path, err)
		}
		sc.table.schema.Store(sc)
		sc.table.saved = sc.fields
		sc.table.totals.Store(t.Landed)
		tables[sc.table.name] = sc.table
		c.counts[t.DB]++
	}
	c.known.Store(&tables)
	return c, nil
}

// ReadCatalog returns the name, the columns and the totals of each table in the catalog of a
// store's directory, sorted by name. The store should be closed. If it is open, it must not write
// during the call.
func ReadCatalog(d disk.Disk, dir string) ([]TableInfo, error) {
	c, err := openCatalog(d, catalogPath(dir))
	if err != nil {
		return nil, err
	}
	var infos []TableInfo
	all := c.all()
	for _, name := range slices.SortedFunc(maps.Keys(all), Name.compare) {
		n := all[name].total()
		infos = append(infos, TableInfo{
			Name: name, Columns: all[name].schema.Load().fields,
			Accepted: n.Rows, Landed: n.Rows, Files: n.Files, Bytes: n.Bytes,
		})
	}
	return infos, nil
}

func catalogPath(dir string) string { return filepath.Join(dir, "catalog.json") }

// readCatalog reads the catalog's file and applies its journal. The result `journaled` reports
// whether the journal has any content. readCatalog does not change files.
func readCatalog(d disk.Disk, path string) (f catalogFile, journaled bool, err error) {
	text, err := disk.ReadFile(d, path)
	if err == nil {
		f, err = parseFile(text)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return f, false, fmt.Errorf("table: catalog %s: %w", path, err)
	}
	if err := checkJournals(d, path, f.Journal); err != nil {
		return f, false, err
	}
	if f.Version != journaledVersion {
		return f, false, nil
	}
	text, err = disk.ReadFile(d, journalPath(path, f.Journal))
	if err == nil {
		var bodies [][]byte
		if bodies, err = readJournal(text, f.Journal); err == nil {
			f.Tables, err = merge(f.Tables, bodies)
		}
	}
	if err != nil {
		return f, false, fmt.Errorf(`table: journal %s of the catalog: %w: restore the journal and %s from the same copy, or set "version" in %[3]s to %d to continue without the journal`,
			journalPath(path, f.Journal), err, path, wholeVersion)
	}
	return f, len(text) > 0, nil
}

// checkJournals returns an error if a journal with entries has a higher number than the journal to
// which the catalog's file refers. In that case, the catalog's file is an older copy, or was
// deleted. A journal without entries is not an error: it was created for a catalog file that was
// not written.
func checkJournals(d disk.Disk, path string, number uint64) error {
	for other, err := range journals(d, path) {
		if err != nil {
			return fmt.Errorf("table: listing the journals of the catalog: %w", err)
		}
		if other <= number {
			continue
		}
		name := journalPath(path, other)
		info, err := d.Stat(name)
		if err != nil {
			return fmt.Errorf("table: journal of the catalog: %w", err)
		}
		if info.Size() > 0 {
			return fmt.Errorf("table: catalog %s is missing or an older copy: journal %s continues a newer catalog: restore both from the same copy, or remove %[2]s to continue without it",
				path, name)
		}
	}
	return nil
}

// journals yields the numbers of all journals in the directory of the catalog's file, or an error.
func journals(d disk.Disk, path string) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		entries, err := d.ReadDir(filepath.Dir(path))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			yield(0, err)
			return
		}
		for _, e := range entries {
			var number uint64
			if _, err := fmt.Sscanf(e.Name(), "catalog.%d.journal", &number); err != nil || journalPath(path, number) != filepath.Join(filepath.Dir(path), e.Name()) {
				continue
			}
			if !yield(number, nil) {
				return
			}
		}
	}
}

func parseFile(text []byte) (f catalogFile, err error) {
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("%w: restore the catalog from a copy", err)
	}
	if f.Version != wholeVersion && f.Version != journaledVersion {
		return f, fmt.Errorf("format version %d is not supported (this program reads %d and %d); use the program version that wrote the file",
			f.Version, wholeVersion, journaledVersion)
	}
	known := make(map[Name]bool, len(f.Tables))
	for _, t := range f.Tables {
		name := Name{DB: t.DB, Table: t.Table}
		if known[name] {
			return f, fmt.Errorf("table %s is repeated: restore the catalog from a copy", name)
		}
		known[name] = true
	}
	return f, nil
}

// merge returns the given tables with the changes in a journal's entries applied.
func merge(tables []catalogTable, bodies [][]byte) ([]catalogTable, error) {
	at := make(map[Name]int, len(tables))
	for i, t := range tables {
		at[Name{t.DB, t.Table}] = i
	}
	for _, body := range bodies {
		var e catalogEntry
		if err := json.Unmarshal(body, &e); err != nil {
			return nil, err
		}
		for _, t := range e.Tables {
			name := Name{t.DB, t.Table}
			i, known := at[name]
			if !known {
				i = len(tables)
				at[name] = i
				tables = append(tables, catalogTable{})
			}
			old := tables[i].Columns
			if t.At > len(old) || t.At < 0 {
				return nil, fmt.Errorf("table %s: the columns of the entry start at %d, but the table has only %d columns", name, t.At, len(old))
			}
			t.Columns, t.At = append(old[:t.At], t.Columns...), 0
			tables[i] = t
		}
	}
	return slices.DeleteFunc(tables, func(t catalogTable) bool { return t.Dropped }), nil
}

// schema returns the schema that t describes, with a new table.
func (t *catalogTable) schema() (*schema, error) {
	sc := newSchema(Name{DB: t.DB, Table: t.Table})
	for i, col := range t.Columns {
		kind, ok := column.KindOf(col.Kind)
		f := Field{Name: col.Name, Kind: kind, Inexact: col.Inexact, As: col.As}
		if i == 0 && f == sc.fields[0] {
			continue
		}
		if _, twice := sc.index[col.Name]; i == 0 || !ok || kind == column.Null || twice {
			return nil, fmt.Errorf("table %s: column %q of kind %q is invalid or repeated: restore the catalog from a copy", sc.table.name, col.Name, col.Kind)
		}
		sc.add(f)
	}
	if !t.Uniform {
		sc.widenings = 1
	}
	return sc, nil
}

// state is a snapshot of the catalog's data about a table.
type state struct {
	table  *table
	schema *schema
	totals *Totals
}

// The method from returns s in the form that the catalog's files use. It omits the columns before
// the index `at`.
func (s state) from(at int) catalogTable {
	t := catalogTable{
		DB: s.table.name.DB, Table: s.table.name.Table, At: at, Columns: make([]catalogColumn, 0, len(s.schema.fields)-at),
		Landed: s.totals, Uniform: s.schema.uniform(),
	}
	for _, f := range s.schema.fields[at:] {
		t.Columns = append(t.Columns, catalogColumn{Name: f.Name, Kind: f.Kind.String(), Inexact: f.Inexact, As: f.As})
	}
	return t
}

// change returns s in the form that journal entries use. It omits the leading columns that are
// unchanged on disk.
func (s state) change() catalogTable {
	if s.schema.dropped {
		return catalogTable{DB: s.table.name.DB, Table: s.table.name.Table, Dropped: true}
	}
	saved, at := s.table.saved, 0
	for at < len(saved) && at < len(s.schema.fields) && saved[at] == s.schema.fields[at] {
		at++
	}
	return s.from(at)
}

// printFile returns the content of a catalog file with the given header and states.
func printFile(h header, states []state) ([]byte, error) {
	file := catalogFile{header: h, Tables: make([]catalogTable, 0, len(states))}
	for _, s := range states {
		if !s.schema.dropped {
			file.Tables = append(file.Tables, s.from(0))
		}
	}
	text, err := json.MarshalIndent(file, "", "\t")
	return append(text, '\n'), err
}
