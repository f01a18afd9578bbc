package parquet

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/column"
)

// engines.py prints the types and cells that an engine reads from each file; see the comment in the
// script.
//
//go:embed testdata/engines.py
var engines string

// python returns the path of a Python interpreter with the given packages. If there is none, it
// skips the test, or fails it if SLIPSTREAM_REQUIRE_PYTHON is 1.
func python(t *testing.T, packages ...string) string {
	t.Helper()
	candidates := []string{os.Getenv("SLIPSTREAM_PYTHON"), filepath.FromSlash("../../.cache/venv/bin/python"), "python3"}
	for _, p := range candidates {
		if p != "" && exec.Command(p, "-c", "import "+strings.Join(packages, ", ")).Run() == nil {
			return p
		}
	}
	missing := fmt.Sprintf("no Python with %s; `make test-all` installs them, and SLIPSTREAM_PYTHON can name another interpreter", strings.Join(packages, ", "))
	if os.Getenv("SLIPSTREAM_REQUIRE_PYTHON") == "1" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}

// seen is an engine's result for a file: the engine's names of the columns' types, and the cells as
// text. Different values have different texts.
type seen struct {
	Types map[string]string
	Cells map[string][]*string
}

// ask returns the results of an engine for the files.
func ask(t *testing.T, python, engine string, paths ...string) []seen {
	t.Helper()
	var files []seen
	runPython(t, &files, python, engines, append([]string{engine}, paths...)...)
	return files
}

// runPython runs a script and decodes its output into v.
func runPython(t *testing.T, v any, python, script string, args ...string) {
	t.Helper()
	cmd := exec.Command(python, append([]string{"-c", script}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, stderr.Bytes())
	}
	if err := json.Unmarshal(out, v); err != nil {
		t.Fatal(err)
	}
}

// engineTypes contains the engines' names of the kinds of columns.
var engineTypes = map[string]map[column.Kind]string{
	"pyarrow": {
		column.Bool: "bool", column.Int64: "int64", column.Float64: "double", column.String: "string",
		column.Time: "timestamp[us]",
	},
	"duckdb": {
		column.Bool: "BOOLEAN", column.Int64: "BIGINT", column.Float64: "DOUBLE", column.String: "VARCHAR",
		column.Time: "TIMESTAMP",
	},
}

// engineCell returns a cell in the format of engines.py.
func engineCell(c *column.Column, row int) *string {
	if c.IsNull(row) {
		return nil
	}
	var s string
	switch c.Kind {
	case column.Bool:
		s = fmt.Sprint(c.Bools[row])
	case column.Float64:
		s = fmt.Sprintf("%016x", math.Float64bits(c.Floats[row]))
	case column.String:
		s = fmt.Sprintf("%x", c.StringAt(row))
	default:
		s = fmt.Sprint(c.Ints[row])
	}
	return &s
}

func TestEngines(t *testing.T) {
	interpreter := python(t, "pyarrow", "duckdb")
	var edges builder
	edges.row(-62135596800000000, map[string]any{"f": math.Inf(1), "i": int64(math.MaxInt64), "s": "", "b": true, "never": nil})
	edges.row(-1, map[string]any{"f": math.NaN(), "i": int64(math.MinInt64), "s": "héllo, 世界 \U0010ffff"})
	edges.row(0, nil)
	edges.row(0, map[string]any{"f": math.Copysign(0, -1), "s": "a dotted.name", "b": false, "a.b": 1, "Größe": 2.5})
	edges.row(253402300799999999, map[string]any{"f": math.Inf(-1), "i": 0, "only here": "x"})

	var wide builder
	for row := range 3 {
		cells := map[string]any{}
		for i := range 4000 {
			if (i+row)%3 != 0 {
				cells[fmt.Sprintf("c%04d", i)] = []any{row, float64(i), fmt.Sprint(i), i%2 == 0}[i%4]
			}
		}
		wide.row(int64(row), cells)
	}
	batches := []*column.Batch{
		&edges.Batch, &wide.Batch, telemetry(5000), turning(),
		mixed(1, 0), mixed(1, 1), mixed(9, 2), mixed(pageRows+1, 5), telemetry(groupRows + 1),
	}
	var paths []string
	var wants []*column.Batch
	for _, codec := range []Codec{Snappy, Zstd, Uncompressed} {
		s := newSink(t, Options{Codec: codec})
		for i, b := range batches {
			paths = append(paths, land(t, s, fmt.Sprintf("db/t/utc_date=2026-11-21/utc_hour=09/%d.parquet", i), b))
			wants = append(wants, b)
		}
		batches = batches[:len(batches)-1] // the last batch is large; codecs differ by page, not by row group
	}
	for engine, types := range engineTypes {
		t.Run(engine, func(t *testing.T) {
			for i, got := range ask(t, interpreter, engine, paths...) {
				compareSeen(t, paths[i], got, wants[i], types)
			}
		})
	}
}

func compareSeen(t *testing.T, file string, got seen, want *column.Batch, types map[column.Kind]string) {
	t.Helper()
	columns := 0
	for _, c := range want.Columns {
		if c.Kind == column.Null {
			continue
		}
		columns++
		if got.Types[c.Name] != types[c.Kind] {
			t.Errorf("%s, column %q: type %q, want %q", file, c.Name, got.Types[c.Name], types[c.Kind])
		}
		cells := got.Cells[c.Name]
		if len(cells) != c.Rows {
			t.Errorf("%s, column %q: %d rows, want %d", file, c.Name, len(cells), c.Rows)
			continue
		}
		for row, g := range cells {
			if w := engineCell(c, row); (g == nil) != (w == nil) || g != nil && *g != *w {
				t.Errorf("%s, column %q, row %d: got %s, want %s", file, c.Name, row, show(g), show(w))
				break
			}
		}
	}
	if len(got.Types) != columns {
		t.Errorf("%s: %d columns, want %d", file, len(got.Types), columns)
	}
}

func show(s *string) string {
	if s == nil {
		return "null"
	}
	return *s
}
