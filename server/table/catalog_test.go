package table

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
)

// shapeOf returns a batch of one row with a time and the given columns, each in the form
// "name:kind".
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

// renamed returns b with another name for its last column. Batch.Column might reject that name.
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

func openTestCatalog(t testing.TB, path string) *catalog {
	t.Helper()
	c, err := openCatalog(disk.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// admit claims the table and columns of a batch, and settles the claim at once.
func (c *catalog) admit(name Name, b *column.Batch) (*schema, error) {
	if c.covering(name, b) == nil {
		list, _, err := c.claim([]item{{name: name, piece: piece{batch: b}}})
		if err != nil {
			return nil, err
		}
		c.settle(list, true)
	}
	return c.lookup(name), nil
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
		{shapeOf("host:int64"), `table db.cpu: column "host" contains string values, so it cannot store int64 values: `},
		{shapeOf("new:bool", "when:int64"), `column "when" contains time values, so it cannot store int64 values`},
		{shapeOf("n:string"), `column "n" contains float64 values, so it cannot store string values`},
		{shapeOf("a\x00b:bool"), `column name "a\x00b"`},
		{renamed(shapeOf("x:bool"), "\xff"), `column name "\xff"`},
		{shapeOf(":bool"), `column name ""`},
		{shapeOf("später <&>:bool"), "time:time host:string n:float64 up:bool when:time später <&>:bool"},
	} {
		sc, err := c.admit(cpu, step.batch)
		if err != nil {
			if !strings.Contains(err.Error(), step.want) || !errors.Is(err, ErrInvalid) {
				t.Errorf("error %q, want %q", err, step.want)
			}
			continue
		}
		if got := printed(sc); got != step.want {
			t.Errorf("%q, want %q", got, step.want)
		}
		if err := c.save(); err != nil {
			t.Fatal(err)
		}
		if got := printed(openTestCatalog(t, path).lookup(cpu)); got != step.want {
			t.Errorf("on disk: %q, want %q", got, step.want)
		}
		if sc.table != c.lookup(cpu).table {
			t.Error("the table has changed")
		}
	}
	var te *TypeError
	if _, err := c.admit(cpu, shapeOf("up:string")); !errors.As(err, &te) || *te != (TypeError{Name: cpu, Column: "up", Have: column.Bool, Got: column.String, Row: -1}) {
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
		if _, err := c.admit(test.name, test.batch); (err == nil) != test.ok || err != nil && !errors.Is(err, ErrInvalid) {
			t.Errorf("%v: %v", test.name, err)
		}
	}
	c.limits.tables = 100
	for _, name := range []string{"", "a\n", "\xff", "\u0085", strings.Repeat("x", maxName+1)} {
		for _, n := range []Name{{"db", name}, {name, "t"}} {
			if _, err := c.admit(n, shapeOf()); !errors.Is(err, ErrInvalid) {
				t.Errorf("%q: %v", n, err)
			}
		}
	}
	for _, name := range []string{".", "..", "_x", ".x", "-x", "a/b", "a b", "a\\b", "ä", "a:b"} {
		if _, err := c.admit(Name{name, "t"}, shapeOf()); !errors.Is(err, ErrInvalid) {
			t.Errorf("database %q: %v", name, err)
		}
		if _, err := c.admit(Name{"db", name}, shapeOf()); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"a", "0", "a.b", "A-b_C", strings.Repeat("x", maxName)} {
		if _, err := c.admit(Name{name, name}, shapeOf()); err != nil {
			t.Error(err)
		}
	}
}

// Columns whose names engines could not distinguish get another name in files, and keep that name.
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
		if _, err := c.admit(cpu, shapeOf(columns...)); err != nil {
			t.Fatal(err)
		}
		if err := c.save(); err != nil {
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

// A catalog that cannot be written still accepts new tables and columns, and is written once it can
// be.
func TestCatalogUnwritable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "missing")
	path := filepath.Join(dir, "catalog.json")
	c := openTestCatalog(t, path)
	for i := range 2 {
		if _, err := c.admit(Name{"db", "t"}, shapeOf(fmt.Sprintf("x%d:bool", i))); err != nil {
			t.Fatal(err)
		}
		if err := c.save(); err == nil {
			t.Error("it is written to a directory that does not exist")
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := c.save(); err != nil {
		t.Fatal(err)
	}
	if got := printed(openTestCatalog(t, path).lookup(Name{"db", "t"})); got != "time:time x0:bool x1:bool" {
		t.Error(got)
	}
}

// The columns that concurrent requests claim must be compatible. A rejected request leaves no
// claim.
func TestClaims(t *testing.T) {
	c := openTestCatalog(t, filepath.Join(t.TempDir(), "catalog.json"))
	c.limits = limits{on: true, tables: 3, columns: 4}
	items := func(shapes ...string) (list []item) {
		for _, s := range shapes {
			name, columns, _ := strings.Cut(s, " ")
			list = append(list, item{name: Name{"db", name}, piece: piece{batch: shapeOf(strings.Fields(columns)...)}})
		}
		return list
	}
	claim := func(shapes ...string) []claimed {
		t.Helper()
		list, _, err := c.claim(items(shapes...))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	refused := func(at int, shapes ...string) {
		t.Helper()
		if _, i, err := c.claim(items(shapes...)); !errors.Is(err, ErrInvalid) || i != at {
			t.Fatalf("%q: %v at %d", shapes, err, i)
		}
	}
	has := func(want string) {
		t.Helper()
		var got []string
		for name := range c.all() {
			got = append(got, name.Table+" "+printed(c.lookup(name)))
		}
		slices.Sort(got)
		if s := strings.Join(got, ", "); s != want || c.size() != len(got) {
			t.Errorf("the catalog has %q, want %q", s, want)
		}
	}
	first := claim("a x:string", "b y:bool")
	has("")
	refused(1, "b y:bool", "a x:bool") // conflicts with a claim
	second := claim("a x:string z:int64", "a z:float64")
	refused(0, "a z:string")
	c.settle(first, false)
	has("")
	c.settle(second, true)
	has("a time:time x:string z:float64")
	third := claim("b y:string") // the earlier claim to b was withdrawn
	fourth := claim("c v:bool")
	refused(0, "d v:bool") // one table too many
	refused(2, "b y:string", "a x:string", "a more:bool most:bool")
	c.settle(third, true)
	c.settle(fourth, false)
	c.settle(claim("d v:bool"), true)
	has("a time:time x:string z:float64, b time:time y:string, d time:time v:bool")
	if len(c.claims) != 0 || c.fresh != 0 {
		t.Errorf("claims are left: %v, %d new tables", c.claims, c.fresh)
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
				if _, err := c.admit(name, shapeOf(fmt.Sprintf("c%d:int64", i), fmt.Sprintf("own%d:bool", g))); err != nil {
					t.Error(err)
				}
			}
			kind := []string{"bool", "string"}[g%2]
			if _, err := c.admit(Name{"db", "race"}, shapeOf("x:"+kind)); err != nil {
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
	if err := c.save(); err != nil {
		t.Fatal(err)
	}
	again := openTestCatalog(t, path)
	for name := range c.all() {
		if got, want := printed(again.lookup(name)), printed(c.lookup(name)); got != want {
			t.Errorf("%s on disk: %s, want %s", name, got, want)
		}
	}
	if n := len(again.lookup(Name{"db", "t0"}).fields); n != 1+4+8 {
		t.Errorf("%d columns", n)
	}
}

func TestAdmitDoesNotAllocate(t *testing.T) {
	c := openTestCatalog(t, filepath.Join(t.TempDir(), "catalog.json"))
	b := shapeOf("host:string", "a:float64", "b:int64")
	name := Name{"db", "t"}
	if n := testing.AllocsPerRun(100, func() {
		if _, err := c.admit(name, b); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// writesDisk counts how often catalog.json is written.
type writesDisk struct {
	disk.Disk
	writes atomic.Int64
}

func (d *writesDisk) Rename(from, to string) error {
	if filepath.Base(to) == "catalog.json" {
		d.writes.Add(1)
	}
	return d.Disk.Rename(from, to)
}

// Requests do not wait for the catalog's files. Tables are created without writing these files, and
// catalog.json is written once before the rows of all these tables land.
func TestTablesAreCreatedWithoutTheCatalogsFile(t *testing.T) {
	const n = 500
	dir := t.TempDir()
	d := &writesDisk{Disk: disk.OS}
	o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
	o.WAL.Disk, o.WAL.SegmentBytes = d, 0
	s := openStore(t, o)
	for i := range int64(n) {
		if err := appendRows(s, false, row{Table: fmt.Sprint("t", i), Time: exampleHour, ID: i}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "all rows are in the log", func() bool { return s.Stats().Accepted == n })
	if got := d.writes.Load(); got != 0 || s.Stats().Tables != n {
		t.Errorf("%d tables were created, and the catalog was written %d times", s.Stats().Tables, got)
	}
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := d.writes.Load(); got != 1 {
		t.Errorf("%d tables have landed, and the catalog was written %d times", n, got)
	}
	mustClose(t, s)
}
