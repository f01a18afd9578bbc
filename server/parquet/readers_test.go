package parquet

import (
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// readers.py prints the cells that engines read from tables; see the comment in the script.
//
//go:embed testdata/readers.py
var readers string

// lake is a store, together with the rows that were written to it.
type lake struct {
	t      *testing.T
	store  *table.Store
	ids    int64
	tables map[string][]record // the rows of each table
}

type record map[string]any

func newLake(t *testing.T, dir string) *lake {
	s, err := New(filepath.Join(dir, "tables"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	store, err := table.Open(table.Options{
		Dir: dir, Sink: s, Node: "n", SealAge: time.Hour,
		Decode: func(*wal.Record) ([]table.Write, error) { return nil, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close(context.Background()) })
	return &lake{t: t, store: store, tables: make(map[string][]record)}
}

// land writes rows to the files of three different hours.
func (l *lake) land(name string, rows ...record) {
	l.t.Helper()
	var b builder
	for i, row := range rows {
		l.ids++
		row["id"] = l.ids
		at := time.Date(2026, 11, 21, 9+i%3, 0, 0, int(l.ids)*1000, time.UTC)
		b.row(at.UnixMicro(), row)
		row["time"] = at
		l.tables[name] = append(l.tables[name], row)
	}
	w := table.Write{Name: table.Name{DB: "db", Table: name}, Batch: &b.Batch}
	if err := l.store.Append(&wal.Record{DB: "db", Table: name}, []table.Write{w}, true, nil); err != nil {
		l.t.Fatal(err)
	}
	if err := l.store.Flush(context.Background()); err != nil {
		l.t.Fatal(err)
	}
}

// alter updates the rows of a table after the store has altered the table's columns.
func (l *lake) alter(err error, name string, change func(record)) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
	for _, row := range l.tables[name] {
		change(row)
	}
}

// kinds contains values of each kind.
var kinds = map[string][]any{
	"bool":   {true, false, nil, true},
	"int":    {int64(0), int64(-1), nil, int64(1 << 52)},
	"large":  {int64(math.MaxInt64), int64(math.MinInt64), nil, int64(7)},
	"float":  {0.5, -0.25, nil, math.Inf(1)},
	"nan":    {math.NaN(), 1.5, nil, math.Copysign(0, -1)},
	"string": {"", "x", nil, "später 東京 \U0001f642"},
	"time":   {time.Date(1970, 1, 2, 0, 0, 0, 1000, time.UTC), time.Date(1965, 1, 1, 0, 0, 0, 0, time.UTC), nil, time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)},
}

// fill creates the tables, and returns the names of tables whose first files lack some columns.
func (l *lake) fill() (late []string) {
	ctx := context.Background()
	rows := func(column string, values []any) (list []record) {
		for _, v := range values {
			row := record{"host": "a"}
			if v != nil {
				row[column] = v
			}
			list = append(list, row)
		}
		return list
	}
	for kind, values := range kinds {
		name := "same_" + kind
		l.land(name, rows("v", values)...)
		l.land(name, rows("v", values)...)

		name = "later_" + kind // the files that were written first do not contain the column
		late = append(late, name)
		l.land(name, rows("v", []any{nil, nil})...)
		l.land(name, rows("v", values)...)
		l.land(name, rows("v", []any{nil, nil})...)

		name = "dropped_" + kind
		l.land(name, rows("v", values)...)
		l.alter(l.store.DropColumn(ctx, table.Name{DB: "db", Table: name}, "v", true), name, func(row record) { delete(row, "v") })
		l.land(name, rows("w", values)...)
		late = append(late, name)

		name = "text_" + kind
		l.land(name, rows("v", values)...)
		if kind != "nan" {
			l.alter(l.store.SetType(ctx, table.Name{DB: "db", Table: name}, "v", column.String), name, func(row record) {
				switch v := row["v"].(type) {
				case nil, string:
				case time.Time:
					row["v"] = v.Format(time.RFC3339Nano)
				case float64:
					row["v"] = strconv.FormatFloat(v, 'g', -1, 64)
				default:
					row["v"] = fmt.Sprint(v)
				}
			})
			l.land(name, rows("v", []any{"text", nil})...)
		}
	}
	l.land("widened", rows("v", kinds["int"])...)
	l.land("widened", rows("v", []any{20.5})...)
	l.land("widened", rows("v", kinds["int"])...)

	// This table has more rows than a page, so it spans several ranges and pages.
	many := make([]any, 3*pageRows)
	for i := range many {
		many[i] = int64(i)
	}
	l.land("pages", rows("v", many)...)
	l.land("pages", rows("v", []any{0.5})...)

	for _, name := range []string{"Upper", "net.if-stat", "später", "con", "a b"} {
		l.land(name, record{"host": "a", "Host": "b", "HOST_2": "c", "date": "today", "hour": int64(9), "utc_date": "2026", "net.in-octets": 0.5, "größe": int64(1), "time_2": true})
	}
	return late
}

// tableDirs returns the directory of each table below root, by the table name in its files.
func tableDirs(t *testing.T, root string) map[string]string {
	dirs := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		file, closer, err := open(disk.OS, path)
		if err != nil {
			return err
		}
		defer closer.Close()
		name, _ := file.Lookup("slipstream.table")
		dirs[name] = filepath.Dir(filepath.Dir(filepath.Dir(path)))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// cellText returns a cell of a column in the format of readers.py.
func cellText(v any, kind column.Kind) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case int64:
		if kind == column.Float64 {
			return cellText(float64(v), kind)
		}
		return strconv.FormatInt(v, 10)
	case float64:
		return hex.EncodeToString(binary.BigEndian.AppendUint64(nil, math.Float64bits(v)))
	case string:
		return hex.EncodeToString([]byte(v))
	case time.Time:
		return strconv.FormatInt(v.UnixMicro(), 10)
	}
	return fmt.Sprint(v)
}

// Every engine reads every table, even after its columns have changed. If the first file lacks a
// column, some engines hide the column or reject the table, unless an option makes them look at all
// files.
func TestReaders(t *testing.T) {
	packages := []string{"pyarrow", "duckdb", "pandas", "polars", "datafusion", "chdb"}
	if os.Getenv("SLIPSTREAM_SPARK") != "" {
		packages = append(packages, "pyspark")
	}
	interpreter := python(t, packages...)
	dir := t.TempDir()
	l := newLake(t, dir)
	late := l.fill()
	type result struct {
		Error string
		Rows  int
		Cells map[string]map[string]*string
	}
	var got map[string]map[string]result
	dirs := tableDirs(t, filepath.Join(dir, "tables", "db"))
	files := make(map[string][]table.Field)
	for _, info := range l.store.Tables() {
		files[info.Name.Table] = info.Columns
	}
	runPython(t, &got, interpreter, readers, slices.Collect(maps.Values(dirs))...)
	// lateness contains the behaviour of each engine if the first file lacks a column.
	lateness := map[string]string{"duckdb": "hidden", "pyarrow": "hidden", "pandas": "hidden", "polars": "refused", "chdb": "hidden", "spark": "hidden"}
	for engine, tables := range got {
		t.Run(engine, func(t *testing.T) {
			for name, rows := range l.tables {
				r := tables[dirs[name]]
				isLate := slices.Contains(late, name)
				if isLate && lateness[engine] == "refused" {
					if r.Error == "" {
						t.Errorf("%s: it is not refused any more: write that into the docs", name)
					}
					continue
				}
				if r.Error != "" || r.Rows != len(rows) {
					t.Errorf("%s: %d rows, want %d: %s", name, r.Rows, len(rows), r.Error)
					continue
				}
				for _, f := range files[name] {
					read, ok := r.Cells[f.FileName()]
					if !ok {
						if !isLate || lateness[engine] != "hidden" {
							t.Errorf("%s: the column %s is not there", name, f.FileName())
						}
						continue
					}
					for _, row := range rows {
						want, have := cellText(row[f.Name], f.Kind), "null"
						if c := read[fmt.Sprint(row["id"])]; c != nil {
							have = *c
						}
						if have != want && !(strings.HasPrefix(want, "7ff8") && strings.HasPrefix(have, "7ff8")) {
							t.Errorf("%s: row %d, column %s: %s, want %s (%v)", name, row["id"], f.Name, have, want, row[f.Name])
							break
						}
					}
				}
			}
		})
	}
	if len(got) < 10 {
		t.Errorf("%d engines", len(got))
	}
}
