package query

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/table"
)

var noon = time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC).UnixMicro()

// land writes a file with a row for each time. The other columns contain the given cells; nil is a
// null.
func land(t *testing.T, dir, path, db, name string, times []int64, cells map[string][]any) {
	t.Helper()
	s, err := parquet.New(dir, parquet.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b column.Batch
	for i, us := range times {
		set := func(name string, v any) {
			c, err := b.Column([]byte(name))
			if err != nil {
				t.Fatal(err)
			}
			switch v := v.(type) {
			case int:
				c.Accepts(column.Int64)
				c.AppendInt64(int64(v))
			case float64:
				c.Accepts(column.Float64)
				c.AppendFloat64(v)
			case bool:
				c.Accepts(column.Bool)
				c.AppendBool(v)
			case string:
				c.Accepts(column.String)
				if err := c.AppendString([]byte(v)); err != nil {
					t.Fatal(err)
				}
			}
		}
		c, err := b.Column([]byte("time"))
		if err != nil {
			t.Fatal(err)
		}
		c.Accepts(column.Time)
		c.AppendTime(us)
		for _, name := range []string{"b", "f", "i", "s"} {
			if all := cells[name]; all != nil && all[i] != nil {
				set(name, all[i])
			}
		}
		if err := b.CloseRow(); err != nil {
			t.Fatal(err)
		}
	}
	var fields []table.Field
	for _, c := range b.Columns {
		fields = append(fields, table.Field{Name: c.Name, Kind: c.Kind})
	}
	_, err = s.Land(t.Context(), &table.File{
		Path: path, Columns: fields, Rows: len(times), Meta: map[string]string{"slipstream.db": db, "slipstream.table": name},
		Gather: func(n, from, to int, dst *column.Column) error {
			dst.Reset()
			dst.Accepts(b.Columns[n].Kind)
			return dst.AppendColumn(b.Columns[n], from, to)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The earliest rows of all files of a table are shown, in the order of time, with the columns of
// all files.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	const hour = 3600_000_000
	land(t, dir, "db/cpu/utc_date=2026-11-27/utc_hour=13/b.parquet", "db", "cpu", []int64{noon + hour, noon + hour + 1_000_000},
		map[string][]any{"i": {7, nil}, "s": {"-", "a\tb"}})
	land(t, dir, "db/cpu/utc_date=2026-11-27/utc_hour=12/c.parquet", "db", "cpu", []int64{noon, noon + 1000},
		map[string][]any{"f": {0.5, math.Inf(1)}, "b": {true, nil}})
	land(t, dir, "db/~43pu/utc_date=2026-11-27/utc_hour=12/a.parquet", "db", "Cpu", []int64{noon}, map[string][]any{"s": {""}})
	for _, name := range []string{"db/cpu/.unfinished.parquet", "db/cpu/_other.parquet", "db/cpu/note.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("no file of a table"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := CountRows(dir); n != 5 || err != nil {
		t.Errorf("%d rows, %v", n, err)
	}
	for _, c := range []struct {
		query Query
		want  string
	}{
		{Query{Dir: dir, Rows: 3}, `
table   rows  files  first                     last
db.cpu  4     2      2026-11-27T12:00:00.000Z  2026-11-27T13:00:01.000Z
db.Cpu  1     1      2026-11-27T12:00:00.000Z  2026-11-27T12:00:00.000Z

db.cpu
time                      b     f     i  s
2026-11-27T12:00:00.000Z  true  0.5
2026-11-27T12:00:00.001Z  -     +Inf
2026-11-27T13:00:00.000Z              7  "-"

db.Cpu
time                      s
2026-11-27T12:00:00.000Z  ""
`},
		{Query{Dir: dir, Table: "db.Cpu", Rows: 0}, `
table   rows  files  first                     last
db.Cpu  1     1      2026-11-27T12:00:00.000Z  2026-11-27T12:00:00.000Z
`},
	} {
		var out strings.Builder
		if err := c.query.Run(&out); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(out.String()) {
			lines = append(lines, strings.TrimRight(line, " \n"))
		}
		if got := strings.Join(lines, "\n"); got != strings.TrimSpace(c.want) {
			t.Errorf("%+v\n%s\nwant\n%s", c.query, got, strings.TrimSpace(c.want))
		}
	}
}

// A directory without files, a directory that does not exist, and a file that is not Parquet give
// errors.
func TestRunErrors(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{dir, filepath.Join(dir, "none")} {
		if err := (&Query{Dir: d}).Run(new(strings.Builder)); err == nil || !strings.Contains(err.Error(), "no Parquet files in "+d+" yet") {
			t.Errorf("%s: %v", d, err)
		}
	}
	path := filepath.Join(dir, "x.parquet")
	if err := os.WriteFile(path, []byte("PAR1 is missing"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := (&Query{Dir: dir, Rows: 1}).Run(new(strings.Builder)); err == nil || !strings.Contains(err.Error(), "x.parquet") {
		t.Errorf("a damaged file: %v", err)
	}
	if _, err := CountRows(dir); err == nil {
		t.Error("the rows of a damaged file were counted")
	}
}
