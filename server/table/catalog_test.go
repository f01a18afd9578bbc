package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
)

// shapeOf is a batch of one row with the given columns, "name:kind" each, after its time.
func shapeOf(columns ...string) *column.Batch {
	b := new(column.Batch)
	for _, s := range append([]string{"time:time"}, columns...) {
		name, kind, _ := strings.Cut(s, ":")
		c, err := b.Column([]byte(name))
		if err != nil {
			panic(err)
		}
		k, ok := column.KindOf(kind)
		if !ok {
			panic(kind)
		}
		c.Accepts(k)
		c.AppendNull()
		if name == timeColumn {
			c.Nulls = c.Nulls[:0]
		}
	}
	b.Rows = 1
	return b
}

// renamed returns b with another name for its last column, which Column might refuse.
func renamed(b *column.Batch, name string) *column.Batch {
	b.Columns[len(b.Columns)-1].Name = name
	return b
}

func printed(sc *schema) string {
	var s []string
	for _, f := range sc.fields {
		s = append(s, f.Name+":"+f.Kind.String())
	}
	return strings.Join(s, " ")
}

// admit is what a request of one batch does that the log takes.
func admit(c *catalog, name Name, b *column.Batch) (*schema, error) {
	schemas, ch, err := c.admit(nil, []Write{{name, b}})
	if err != nil {
		return nil, err
	}
	c.apply(ch)
	return schemas[0], c.flush()
}

func openTestCatalog(t testing.TB, path string) *catalog {
	t.Helper()
	c, err := openCatalog(disk.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCatalog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.json")
	c := openTestCatalog(t, path)
	cpu := Name{"db", "cpu"}
	for _, step := range []struct {
		batch *column.Batch
		want  string // the schema, or part of the error
	}{
		{shapeOf(), "time:time"},
		{shapeOf("host:string", "n:int64"), "time:time host:string n:int64"},
		{shapeOf("n:int64"), "time:time host:string n:int64"},
		{shapeOf("later:null", "n:null"), "time:time host:string n:int64"},
		{shapeOf("up:bool", "n:float64"), "time:time host:string n:float64 up:bool"},
		{shapeOf("n:int64", "host:string"), "time:time host:string n:float64 up:bool"},
		{shapeOf("when:time"), "time:time host:string n:float64 up:bool when:time"},
		{shapeOf("host:int64"), `table db.cpu: column "host" holds string and cannot take int64: `},
		{shapeOf("new:bool", "when:int64"), `column "when" holds time and cannot take int64`},
		{shapeOf("n:string"), `column "n" holds float64 and cannot take string`},
		{shapeOf("a\x00b:bool"), `column name "a\x00b"`},
		{renamed(shapeOf("x:bool"), "\xff"), `column name "\xff"`},
		{shapeOf(":bool"), `column name ""`},
		{shapeOf("später <&>:bool"), "time:time host:string n:float64 up:bool when:time später <&>:bool"},
	} {
		sc, err := admit(c, cpu, step.batch)
		if err != nil {
			if !strings.Contains(err.Error(), step.want) || !errors.Is(err, ErrInvalid) {
				t.Errorf("error %q, want %q", err, step.want)
			}
			continue
		}
		if got := printed(sc); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
		// What was flushed is on disk.
		if got := printed(openTestCatalog(t, path).lookup(cpu)); got != step.want {
			t.Errorf("on disk: %q, want %q", got, step.want)
		}
		if sc.table != c.lookup(cpu).table {
			t.Error("the table has changed")
		}
	}
	var te *TypeError
	if _, err := admit(c, cpu, shapeOf("up:string")); !errors.As(err, &te) || *te != (TypeError{Name: cpu, Column: "up", Have: column.Bool, Got: column.String, Row: -1}) {
		t.Errorf("%#v", err)
	}
}

func TestCatalogLimits(t *testing.T) {
	c := openTestCatalog(t, filepath.Join(t.TempDir(), "catalog.json"))
	c.limits = limits{on: true, tables: 2, columns: 3}
	for _, test := range []struct {
		name  Name
		batch *column.Batch
		ok    bool
	}{
		{Name{"db", "a"}, shapeOf("x:bool", "y:bool"), true},
		{Name{"db", "a"}, shapeOf("z:bool"), false},
		{Name{"db", "b"}, shapeOf("x:bool", "y:bool", "z:bool"), false},
		{Name{"db", "b"}, shapeOf("x:bool"), true},
		{Name{"db", "c"}, shapeOf(), false},
		{Name{"db", "a"}, shapeOf("y:bool"), true},
	} {
		if _, err := admit(c, test.name, test.batch); (err == nil) != test.ok || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%v: %v", test.name, err)
		}
	}
	c.limits.tables = 100
	for _, name := range []string{"", "a\n", "\xff", "\u0085", strings.Repeat("x", maxName+1)} {
		for _, n := range []Name{{"db", name}, {name, "t"}} {
			if _, err := admit(c, n, shapeOf()); !errors.Is(err, ErrInvalid) {
				t.Errorf("%q: %v", n, err)
			}
		}
	}
	for _, db := range []string{".", "..", "_x", ".x", "-x", "a/b", "a b", "a\\b", "ä", "a:b"} {
		if _, err := admit(c, Name{db, "t"}, shapeOf()); !errors.Is(err, ErrInvalid) {
			t.Errorf("database %q: %v", db, err)
		}
	}
	for _, name := range []string{"a", "0", "a.b", "A-b_C", strings.Repeat("x", maxName)} {
		if _, err := admit(c, Name{name, name}, shapeOf()); err != nil {
			t.Error(err)
		}
	}
	for _, table := range []string{".", "..", "_x", ".x", "-x", "a/b", "a b", "a\\b", "ä", "a:b"} {
		if _, err := admit(c, Name{"db", table}, shapeOf()); err != nil {
			t.Error(err)
		}
	}
}

// TestCatalogNames gives columns that engines could not tell from others another name in files, which stays.
func TestCatalogNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.json")
	c := openTestCatalog(t, path)
	c.limits = limits{on: true, tables: 10, columns: 20}
	cpu := Name{"db", "cpu"}
	inFiles := func(c *catalog) string {
		var names []string
		for _, f := range c.lookup(cpu).inFiles() {
			names = append(names, f.Name)
		}
		return strings.Join(names, " ")
	}
	for _, columns := range [][]string{{"host:string"}, {"Host:bool"}, {"TIME:bool", "date:bool"}, {"HOST:bool", "utc_hour:bool"}, {"host_2:bool"}, {"Host_2:bool", "UTC_date:bool"}} {
		if _, err := admit(c, cpu, shapeOf(columns...)); err != nil {
			t.Fatal(err)
		}
		if got := inFiles(openTestCatalog(t, path)); got != inFiles(c) {
			t.Errorf("on disk %q, want %q", got, inFiles(c))
		}
	}
	const want = "time host Host_2 TIME_2 date HOST_3 utc_hour_2 host_2_2 Host_2_3 UTC_date_2"
	if got := inFiles(c); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestCatalogFileErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.json")
	for _, text := range []string{
		``, `{`, `{"version":2}`, `[]`,
		`{"version":1,"tables":[{"db":"a","table":"b"},{"db":"a","table":"b"}]}`,
		`{"version":1,"tables":[{"db":"a","table":"b","columns":[{"name":"x","kind":"bool"}]}]}`,
		`{"version":1,"tables":[{"db":"a","table":"b","columns":[{"name":"time","kind":"int64"}]}]}`,
		`{"version":1,"tables":[{"db":"a","table":"b","columns":[{"name":"time","kind":"time"},{"name":"x","kind":"null"}]}]}`,
		`{"version":1,"tables":[{"db":"a","table":"b","columns":[{"name":"time","kind":"time"},{"name":"x","kind":"odd"}]}]}`,
		`{"version":1,"tables":[{"db":"a","table":"b","columns":[{"name":"time","kind":"time"},{"name":"time","kind":"time"}]}]}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := openCatalog(disk.OS, path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestCatalogUnwritable: what could not be written is written once it can be.
func TestCatalogUnwritable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	c := openTestCatalog(t, filepath.Join(dir, "catalog.json"))
	for range 2 {
		if _, err := admit(c, Name{"db", "t"}, shapeOf("x:bool")); err == nil || errors.Is(err, ErrInvalid) {
			t.Fatalf("%v", err)
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := admit(c, Name{"db", "t"}, shapeOf("x:bool")); err != nil {
		t.Fatal(err)
	}
	if got := printed(openTestCatalog(t, c.path).lookup(Name{"db", "t"})); got != "time:time x:bool" {
		t.Errorf("on disk: %s", got)
	}
}

func TestCatalogConcurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.json")
	c := openTestCatalog(t, path)
	var wg sync.WaitGroup
	var mu sync.Mutex
	refused := 0
	for g := range 8 {
		wg.Go(func() {
			for i := range 20 {
				name := Name{"db", fmt.Sprint("t", i%5)}
				if _, err := admit(c, name, shapeOf(fmt.Sprintf("c%d:int64", i), fmt.Sprintf("own%d:bool", g))); err != nil {
					t.Error(err)
				}
			}
			kind := []string{"bool", "string"}[g%2]
			if _, err := admit(c, Name{"db", "race"}, shapeOf("x:"+kind)); err != nil {
				mu.Lock()
				refused++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if refused != 4 {
		t.Errorf("%d of 8 were refused, want 4", refused)
	}
	again := openTestCatalog(t, path)
	for name, sc := range c.snapshot() {
		if got, want := printed(again.lookup(name)), printed(sc); got != want {
			t.Errorf("%s on disk: %s, want %s", name, got, want)
		}
	}
	if n := len(again.lookup(Name{"db", "t0"}).fields); n != 1+4+8 {
		t.Errorf("%d columns", n)
	}
}

func TestAdmitDoesNotAllocate(t *testing.T) {
	c := openTestCatalog(t, filepath.Join(t.TempDir(), "catalog.json"))
	name := Name{"db", "t"}
	writes := []Write{{name, shapeOf("host:string", "a:float64", "b:int64")}}
	if _, err := admit(c, name, writes[0].Batch); err != nil {
		t.Fatal(err)
	}
	schemas := make([]*schema, 0, 1)
	if n := testing.AllocsPerRun(100, func() {
		if _, ch, err := c.admit(schemas, writes); err != nil || ch != nil {
			t.Fatal(ch, err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
