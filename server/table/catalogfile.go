package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
)

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
	Landed  *Totals         `json:"landed,omitempty"` // missing if nothing has, or nobody has counted yet

	// Uniform says that the columns have these kinds in all files. Catalogs of earlier programs do not say that.
	Uniform bool `json:"uniform,omitempty"`
}

type catalogColumn struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Inexact bool   `json:"inexact,omitempty"`
	As      string `json:"as,omitempty"` // its name in files, if that is another one
}

// openCatalog reads the file, or begins an empty catalog if there is none. It has no limits: those come when the log has been
// replayed, whose rows were admitted once.
func openCatalog(d disk.Disk, path string) (*catalog, error) {
	c := &catalog{
		disk:   d,
		path:   path,
		header: header{Version: catalogVersion},
		recent: make(map[Name]*table),
		claims: make(map[Name]*claim),
	}
	text, err := disk.ReadFile(d, path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("table: reading the catalog: %w", err)
	}
	tables := make(map[Name]*table)
	if err == nil {
		if err := c.parse(text, tables); err != nil {
			return nil, fmt.Errorf("table: catalog %s: %w", path, err)
		}
	}
	c.known.Store(&tables)
	return c, nil
}

func (c *catalog) parse(text []byte, tables map[Name]*table) error {
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
		if tables[name] != nil {
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
		if !t.Uniform {
			sc.widenings = 1
		}
		sc.table.schema.Store(sc)
		sc.table.totals.Store(t.Landed)
		tables[name] = sc.table
	}
	return nil
}

// writeCatalog replaces the file, durably: at any moment there is the old one or the new one.
func writeCatalog(d disk.Disk, path string, h header, schemas []*schema) error {
	file := catalogFile{header: h, Tables: make([]catalogTable, 0, len(schemas))}
	for _, sc := range schemas {
		name := sc.table.name
		t := catalogTable{DB: name.DB, Table: name.Table, Columns: make([]catalogColumn, len(sc.fields)), Landed: sc.table.totals.Load(), Uniform: sc.uniform()}
		for i, f := range sc.fields {
			t.Columns[i] = catalogColumn{Name: f.Name, Kind: f.Kind.String(), Inexact: f.Inexact, As: f.As}
		}
		file.Tables = append(file.Tables, t)
	}
	slices.SortFunc(file.Tables, func(a, b catalogTable) int {
		return Name{a.DB, a.Table}.compare(Name{b.DB, b.Table})
	})
	text, err := json.MarshalIndent(file, "", "\t")
	if err != nil {
		return err
	}
	return disk.WriteFile(d, path, append(text, '\n'))
}
