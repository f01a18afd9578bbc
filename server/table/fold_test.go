package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
)

const catalogDir = "/data"

// newDisk returns a disk with the directory of a catalog.
func newDisk(t testing.TB, seed uint64) *faulty.Disk {
	t.Helper()
	d := faulty.New(seed, faulty.Options{})
	if err := disk.MkdirAll(d, catalogDir); err != nil {
		t.Fatal(err)
	}
	return d
}

func openFaulty(t testing.TB, d disk.Disk) *catalog {
	t.Helper()
	c, err := openCatalog(d, catalogPath(catalogDir))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// contents returns the whole content of a catalog as text.
func contents(c *catalog) string {
	var lines []string
	for name, t := range c.all() {
		sc := t.schema.Load()
		lines = append(lines, fmt.Sprintln(name, sc.fields, sc.uniform(), t.total()))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// meter is a disk that counts the bytes written to the files of a catalog, and their syncs.
type meter struct {
	disk.Disk
	mu           sync.Mutex
	bytes, syncs int64
	folds        int
}

func (m *meter) count(bytes, syncs int64, folds int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes, m.syncs, m.folds = m.bytes+bytes, m.syncs+syncs, m.folds+folds
}

// The method take returns the counts since its last call.
func (m *meter) take() (bytes, syncs int64, folds int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	bytes, syncs, folds = m.bytes, m.syncs, m.folds
	m.bytes, m.syncs, m.folds = 0, 0, 0
	return bytes, syncs, folds
}

func ofCatalog(path string) bool { return strings.Contains(filepath.Base(path), "catalog.") }

func (m *meter) Open(path string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := m.Disk.Open(path, flag, perm)
	if err == nil && ofCatalog(path) {
		f = metered{f, m}
	}
	return f, err
}

func (m *meter) Rename(from, to string) error {
	if ofCatalog(to) {
		m.count(0, 0, 1)
	}
	return m.Disk.Rename(from, to)
}

func (m *meter) SyncDir(dir string) error {
	if filepath.Base(dir) != "wal" {
		m.count(0, 1, 0)
	}
	return m.Disk.SyncDir(dir)
}

type metered struct {
	disk.File
	m *meter
}

func (f metered) Write(b []byte) (int, error) {
	f.m.count(int64(len(b)), 0, 0)
	return f.File.Write(b)
}

func (f metered) WriteAt(b []byte, off int64) (int, error) {
	f.m.count(int64(len(b)), 0, 0)
	return f.File.WriteAt(b, off)
}

func (f metered) Sync() error {
	f.m.count(0, 1, 0)
	return f.File.Sync()
}

func (f metered) Datasync() error {
	f.m.count(0, 1, 0)
	return f.File.Datasync()
}

// earlier returns a catalog.json of an earlier version, with n tables of a few columns.
func earlier(n int) []byte {
	f := catalogFile{header: header{Version: 1}}
	for i := range n {
		f.Tables = append(f.Tables, catalogTable{
			DB: "db", Table: fmt.Sprintf("table%05d", i), Landed: &Totals{Rows: 1, Files: 1, Bytes: 1}, Uniform: true,
			Columns: []catalogColumn{{Name: "time", Kind: "time"}, {Name: "host", Kind: "string"}, {Name: "id", Kind: "int64"}, {Name: "value", Kind: "float64"}},
		})
	}
	text, err := json.Marshal(f)
	if err != nil {
		panic(err)
	}
	return text
}

// To add a column, the store writes one entry with one sync, and as many bytes with 10 tables as
// with 10,000. The same is true for the totals of rows in files, when a segment of the log is
// released. The catalog was written by an earlier version.
func TestCatalogCostIsThatOfTheChange(t *testing.T) {
	type cost struct{ bytes, syncs int64 }
	var costs [2][]cost
	for i, n := range []int{10, 10_000} {
		dir := t.TempDir()
		m := &meter{Disk: faulty.New(1, faulty.Options{})}
		if err := disk.MkdirAll(m, dir); err != nil {
			t.Fatal(err)
		}
		if err := disk.WriteFile(m, catalogPath(dir), earlier(n)); err != nil {
			t.Fatal(err)
		}
		o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
		o.WAL.Disk, o.WAL.SegmentBytes, o.MaxTables = m, 2<<10, n+1
		s := openStore(t, o)
		mustAppend(t, s, row{Table: "cpu", Time: exampleHour, ID: 1})
		flush(t, s)
		m.take() // ignores the cost of the process's first write
		for id := range int64(5) {
			if _, err := s.catalog.admit(Name{"db", "cpu"}, shapeOf(fmt.Sprintf("c%d:bool", id))); err != nil {
				t.Fatal(err)
			}
			if err := s.catalog.save(); err != nil {
				t.Fatal(err)
			}
			bytes, syncs, _ := m.take()
			costs[i] = append(costs[i], cost{bytes, syncs})
		}
		before := s.Log().Segments
		for id := range int64(5) { // each record fills a segment, which is released
			mustAppend(t, s, row{Table: "cpu", Time: exampleHour, ID: 10 + id, Host: strings.Repeat("x", 2000)})
			flush(t, s)
			bytes, syncs, _ := m.take()
			costs[i] = append(costs[i], cost{bytes, syncs})
		}
		if s.Log().Segments > before+1 {
			t.Errorf("%d segments of the log, and %d before", s.Log().Segments, before)
		}
		mustClose(t, s)
	}
	if !slices.Equal(costs[0], costs[1]) {
		t.Errorf("with 10 tables %v, with 10,000 %v", costs[0], costs[1])
	}
	for i, c := range costs[0] {
		if c.bytes == 0 || c.bytes > 200 || c.syncs != 1 {
			t.Errorf("change %d: %+v", i, c)
		}
	}
}

// A column that is added to a table with many columns costs no more than one that is added to a
// table with few.
func TestColumnOfWideTable(t *testing.T) {
	m := &meter{Disk: newDisk(t, 1)}
	c := openFaulty(t, m)
	const n = 2000
	for i := range n {
		if _, err := c.admit(Name{"db", "t"}, shapeOf(fmt.Sprintf("c%04d:bool", i))); err != nil {
			t.Fatal(err)
		}
		if err := c.save(); err != nil {
			t.Fatal(err)
		}
	}
	total, _, folds := m.take()
	text, err := printFile(c.header, c.states())
	if err != nil {
		t.Fatal(err)
	}
	if total > 6*int64(len(text)) || folds > 12 {
		t.Errorf("%d columns: %d bytes in %d folds for a file of %d", n, total, folds, len(text))
	}
	if got, want := contents(openFaulty(t, m)), contents(c); got != want {
		t.Error("on disk is another catalog")
	}
}

// If tables are created one by one, the total number of written bytes grows linearly with the
// number of tables.
func TestCatalogGrowsLinearly(t *testing.T) {
	m := &meter{Disk: newDisk(t, 1)}
	c := openFaulty(t, m)
	var totals []int64
	total, folds := int64(0), 0
	for i := range 10_000 {
		if _, err := c.admit(Name{"db", fmt.Sprintf("table%05d", i)}, shapeOf("host:string", "value:float64")); err != nil {
			t.Fatal(err)
		}
		if err := c.save(); err != nil {
			t.Fatal(err)
		}
		if i+1 == 5000 || i+1 == 10_000 {
			bytes, _, n := m.take()
			total, folds = total+bytes, folds+n
			totals = append(totals, total)
		}
	}
	text, err := printFile(c.header, c.states())
	if err != nil {
		t.Fatal(err)
	}
	if ratio := float64(totals[1]) / float64(totals[0]); ratio > 3 || totals[1] > 6*int64(len(text)) || folds > 12 {
		t.Errorf("5000 tables: %d bytes; 10,000: %d, in %d folds; the whole is %d", totals[0], totals[1], folds, len(text))
	}
	if got, want := contents(openFaulty(t, m)), contents(c); got != want {
		t.Error("on disk is another catalog")
	}
}

// change makes a random change to a catalog, and writes it. It returns the catalog's content after
// a successful write.
func change(c *catalog, r *rand.Rand, i int) (goal string, err error) {
	long := func(n int) string { return fmt.Sprint(strings.Repeat("n", 100), n) }
	name := Name{"db", long(r.IntN(12))}
	switch sc := c.lookup(name); {
	case sc != nil && r.IntN(10) == 0:
		if _, err := c.hold(name); err != nil {
			return "", err
		}
		for line := range strings.Lines(contents(c)) {
			if !strings.HasPrefix(line, name.String()+" ") {
				goal += line
			}
		}
		return goal, c.replace(sc.table, nil)
	case sc != nil && r.IntN(3) == 0:
		c.hasLanded(sc.table, &Totals{Rows: int64(i), Files: 1, Bytes: 2})
	default:
		shape := []string{"value:" + []string{"int64", "float64"}[r.IntN(2)]}
		for k := range r.IntN(80) {
			shape = append(shape, long(k)+":bool")
		}
		if _, err := c.admit(name, shapeOf(shape...)); err != nil {
			return "", err
		}
	}
	return contents(c), c.saveAll()
}

// The machine crashes at each disk operation while a catalog is changed and folded. Afterwards the
// catalog has the last saved content, or the content that was being saved. The next process finds
// no change to save, and crashes, too. Then the content is still the same.
func TestCatalogCrashAnywhere(t *testing.T) {
	folds, appends := 0, 0
	for seed := range uint64(2) {
		for at, crashed := 1, true; crashed; at++ {
			d := newDisk(t, seed)
			crashed = false
			d.Set(faulty.Options{Crashed: func(c faulty.Call) {
				crashed = true
				if strings.HasSuffix(c.Path, ".journal") {
					appends++
				} else {
					folds++
				}
			}})
			d.CrashAt(at)
			r := rand.New(rand.NewPCG(seed, 0))
			var saved, saving string
			c, err := openCatalog(d, catalogPath(catalogDir))
			for i := 0; err == nil && i < 60; i++ {
				if saving, err = change(c, r, i); err == nil {
					saved = saving
				}
			}
			if c != nil && err == nil {
				err = c.close()
			}
			if err != nil && !crashed { // a crash after the last change of a catalog causes no error
				t.Fatalf("seed %d, call %d: %v", seed, at, err)
			}
			for life := range 2 {
				d = d.Crash()
				after := openFaulty(t, d)
				if err := disk.MkdirAll(d, catalogDir); err != nil { // as a store does
					t.Fatal(err)
				}
				got := contents(after)
				if got != saved && got != saving {
					t.Fatalf("seed %d, call %d, life %d: there is\n%s\nand not\n%s\nor\n%s", seed, at, life, got, saved, saving)
				}
				saved, saving = got, got
				if err := after.save(); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if folds < 30 || appends < 150 {
		t.Errorf("%d crashes at folds, %d at entries", folds, appends)
	}
}

// The content that a process reads from a journal may not be on the disk, because an earlier
// process may have stopped after a failed sync. Once the process has saved the catalog, this
// content is on the disk, even if the process has changed nothing.
func TestJournalOfAnEarlierProcess(t *testing.T) {
	lost := 0
	for seed := range uint64(20) {
		d := newDisk(t, seed)
		c := openFaulty(t, d)
		add := func(name string) error {
			if _, err := c.admit(Name{"db", name}, shapeOf("x:bool")); err != nil {
				t.Fatal(err)
			}
			return c.save()
		}
		for _, name := range []string{"a", "b"} {
			if err := add(name); err != nil {
				t.Fatal(err)
			}
		}
		d.Set(faulty.Options{Fail: func(c faulty.Call) error {
			if c.Name == "Datasync" {
				return syscall.EIO
			}
			return nil
		}})
		if err := add("c"); err == nil {
			t.Fatal("the sync has failed, and save has not")
		}
		d = d.Kill()
		c = openFaulty(t, d)
		read := contents(c)
		if err := c.save(); err != nil {
			t.Fatal(err)
		}
		if got := contents(openFaulty(t, d.Crash())); got != read {
			t.Fatalf("seed %d: after a crash there is\n%s\nand not\n%s", seed, got, read)
		}
		if strings.Count(read, "\n") == 3 {
			lost++
		}
	}
	if lost == 0 {
		t.Error("no process has read what was not on the disk")
	}
}

// After a failed sync, the process continues with another journal, because a later successful sync
// of the same file would not prove that the data is on disk.
func TestJournalIsLeftAfterFailedSync(t *testing.T) {
	for seed := range uint64(20) {
		d := newDisk(t, seed)
		c := openFaulty(t, d)
		fail := ""
		d.Set(faulty.Options{Fail: func(c faulty.Call) error {
			if fail != "" && c.Name == fail {
				fail = ""
				return syscall.EIO
			}
			return nil
		}})
		for i := range 12 {
			if i%2 == 1 {
				fail = []string{"Datasync", "WriteAt", "Datasync", "SyncDir", "Rename", "Sync"}[i/2]
			}
			if _, err := c.admit(Name{"db", fmt.Sprint("t", i)}, shapeOf("x:bool")); err != nil {
				t.Fatal(err)
			}
			err := c.save()
			if err != nil {
				err = c.save()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if got, want := contents(openFaulty(t, d.Crash())), contents(c); got != want {
			t.Fatalf("seed %d: after a crash there is\n%s\nand not\n%s", seed, got, want)
		}
	}
}

// A long change fails and is undone, and a short change follows. After the short change, the
// journal contains no remains of the long one, whichever operation failed.
func TestJournalAfterAlterationThatFails(t *testing.T) {
	for _, call := range []string{"Datasync", "WriteAt", "full"} {
		for seed := range uint64(20) {
			d := newDisk(t, seed)
			c := openFaulty(t, d)
			name := Name{"db", "t"}
			shape := []string{"first:int64"}
			for i := range 100 {
				shape = append(shape, fmt.Sprintf("column%d:bool", i))
			}
			sc, err := c.admit(name, shapeOf(shape...))
			if err != nil {
				t.Fatal(err)
			}
			for range 2 {
				c.hasLanded(sc.table, &Totals{Rows: 1})
				if err := c.saveAll(); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.hold(name); err != nil {
				t.Fatal(err)
			}
			next := *sc
			next.fields = slices.Clone(sc.fields)
			next.fields[1].Kind = column.String
			d.Set(faulty.Options{Fail: func(c faulty.Call) error {
				if c.Name == call {
					return syscall.EIO
				}
				return nil
			}})
			if call == "full" {
				setFree(t, d, 2000)
			}
			if err := c.replace(sc.table, &next); err == nil {
				t.Fatalf("%s fails, and the alteration does not", call)
			}
			d.Set(faulty.Options{})
			if _, err := c.admit(name, shapeOf("last:bool")); err != nil {
				t.Fatal(err)
			}
			if err := c.save(); err != nil {
				t.Fatal(err)
			}
			if got, want := contents(openFaulty(t, d.Crash())), contents(c); got != want {
				t.Fatalf("%s fails, seed %d: there is\n%s\nand not\n%s", call, seed, got, want)
			}
		}
	}
}

// A lander writes to the catalog that a table was dropped, and then the drop fails. The table
// exists again, with all of its columns.
func TestDropThatFailsAfterItIsWritten(t *testing.T) {
	d := newDisk(t, 1)
	c := openFaulty(t, d)
	name := Name{"db", "t"}
	sc, err := c.admit(name, shapeOf("x:bool"))
	if err == nil {
		err = c.save()
	}
	if err == nil {
		_, err = c.hold(name)
	}
	if err != nil {
		t.Fatal(err)
	}
	old := *sc
	c.set(sc.table, nil, &old)
	if err := c.saveAll(); err != nil {
		t.Fatal(err)
	}
	if n := len(openFaulty(t, d).all()); n != 0 {
		t.Errorf("%d tables", n)
	}
	setFree(t, d, 20)
	c.set(sc.table, nil, &old)
	if err := c.save(); !disk.IsFull(err) {
		t.Fatalf("on a full disk: %v", err)
	}
	c.restore(sc.table, &old)
	d.Set(faulty.Options{})
	if err := c.save(); err != nil {
		t.Fatal(err)
	}
	if got, want := contents(openFaulty(t, d)), contents(c); got != want || !strings.Contains(got, "x") {
		t.Errorf("there is\n%s\nand not\n%s", got, want)
	}
}

// On a full disk, a change needs only the space for its own entry, even if a new catalog.json is
// due. The journal continues when there is enough space.
func TestCatalogOnFullDisk(t *testing.T) {
	d := newDisk(t, 1)
	m := &meter{Disk: d}
	c := openFaulty(t, m)
	add := func(i int) error {
		if _, err := c.admit(Name{"db", fmt.Sprint("t", i, strings.Repeat("x", 100))}, shapeOf(strings.Repeat("y", 100)+":bool")); err != nil {
			t.Fatal(err)
		}
		return c.save()
	}
	for i := range 200 {
		if err := add(i); err != nil {
			t.Fatal(err)
		}
	}
	m.take()
	for i := range 300 {
		setFree(t, d, 100) // too little for the entry, but a part of it is written
		before := c.journal.size
		if err := add(1000 + i); !disk.IsFull(err) || c.journal == nil || c.journal.size != before {
			t.Fatalf("change %d: %v, %+v", i, err, c.journal)
		}
		setFree(t, d, 600)
		if err := c.save(); err != nil {
			t.Fatalf("change %d: there is room for it, and %v", i, err)
		}
		if names := namesOf(t, d); len(names) != 2 {
			t.Fatalf("change %d: what has found no room takes some: %q", i, names)
		}
	}
	info, err := d.Stat(catalogPath(catalogDir))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, folds := m.take(); folds > 0 || c.journal.size <= max(info.Size(), minFold) {
		t.Errorf("%d folds, a journal of %d bytes beside a file of %d: it was never due", folds, c.journal.size, info.Size())
	}
	want := contents(c)
	if got := contents(openFaulty(t, d.Crash())); got != want {
		t.Error("after a crash there is another catalog")
	}
}

// setFree limits the free space of the disk to n bytes.
func setFree(t *testing.T, d *faulty.Disk, n int64) {
	t.Helper()
	used := int64(0)
	for _, name := range namesOf(t, d) {
		info, err := d.Stat(path.Join(catalogDir, name))
		if err != nil {
			t.Fatal(err)
		}
		used += info.Size()
	}
	d.Set(faulty.Options{Size: used + n})
}

// A full disk may have stored a part of an entry. That part is gone when another entry is written
// in its place. Otherwise a crash could leave a mixture of both entries, which is damage.
func TestJournalAfterFullDisk(t *testing.T) {
	for seed := range uint64(100) {
		d := newDisk(t, seed)
		c := openFaulty(t, d)
		add := func(name string) error {
			if _, err := c.admit(Name{"db", name}, shapeOf(strings.Repeat("x", 120)+":bool")); err != nil {
				t.Fatal(err)
			}
			return c.save()
		}
		for _, name := range []string{"a", "b"} {
			if err := add(name); err != nil {
				t.Fatal(err)
			}
		}
		saved := contents(c)
		for i := range 20 {
			if _, err := c.admit(Name{"db", fmt.Sprint("c", i)}, shapeOf(strings.Repeat("x", 120)+":bool")); err != nil {
				t.Fatal(err)
			}
		}
		setFree(t, d, 3900) // enough for most of the entry
		if err := c.save(); !disk.IsFull(err) {
			t.Fatal(err)
		}
		if _, err := c.admit(Name{"db", "b2"}, shapeOf("x:bool")); err != nil { // so that all later bytes are at other offsets
			t.Fatal(err)
		}
		d.Set(faulty.Options{})
		d.CrashAt(2) // at the sync
		if err := c.save(); err == nil {
			t.Fatal("the machine has stopped, and save has succeeded")
		}
		if got := contents(openFaulty(t, d.Crash())); got != saved && got != contents(c) {
			t.Fatalf("seed %d: there is\n%s\nand not\n%s", seed, got, saved)
		}
	}
}

func namesOf(t *testing.T, d disk.Disk) (names []string) {
	t.Helper()
	entries, err := d.ReadDir(catalogDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// version returns the version of a catalog.json.
func version(t *testing.T, d disk.Disk, dir string) int {
	t.Helper()
	text, err := disk.ReadFile(d, catalogPath(dir))
	var h header
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil {
		t.Fatal(err)
	}
	return h.Version
}

// Programs that support only version 1 can read the catalog of a closed store, and reject the
// catalog of a killed one. Opening and closing the store again makes the catalog readable.
func TestCatalogForEarlierPrograms(t *testing.T) {
	dir := t.TempDir()
	d := faulty.New(1, faulty.Options{})
	if err := disk.MkdirAll(d, dir); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteFile(d, catalogPath(dir), earlier(3)); err != nil {
		t.Fatal(err)
	}
	o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
	o.WAL.Disk = d
	s := openStore(t, o)
	mustAppend(t, s, row{Table: "cpu", ID: 1})
	flush(t, s)
	if v := version(t, d, dir); v != journaledVersion {
		t.Errorf("version %d beside a journal", v)
	}
	d = d.Kill()
	o.WAL.Disk = d
	mustClose(t, openStore(t, o))
	var f catalogFile
	text, err := disk.ReadFile(d, catalogPath(dir))
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err != nil || f.Version != 1 || len(f.Tables) != 4 {
		t.Errorf("%v, version %d, %d tables", err, f.Version, len(f.Tables))
	}
	for n := range journals(d, catalogPath(dir)) {
		t.Errorf("journal %d is left", n)
	}
}

// The error for a damaged catalog names the damaged file and the remedy, and the remedy works.
func TestCatalogDamage(t *testing.T) {
	for what, damage := range map[string]func(t *testing.T, d *faulty.Disk, path string, older []byte){
		"a bit of the journal": func(t *testing.T, d *faulty.Disk, path string, _ []byte) {
			d.Corrupt(journalPath(path, 1), 0, 1<<20)
		},
		"the journal is gone": func(t *testing.T, d *faulty.Disk, path string, _ []byte) {
			if err := d.Remove(journalPath(path, 1)); err != nil {
				t.Fatal(err)
			}
		},
		"catalog.json is gone": func(t *testing.T, d *faulty.Disk, path string, _ []byte) {
			if err := d.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
		"an older catalog.json": func(t *testing.T, d *faulty.Disk, path string, older []byte) {
			if err := disk.WriteFile(d, path, older); err != nil {
				t.Fatal(err)
			}
		},
	} {
		for seed := range uint64(20) {
			d := newDisk(t, seed)
			older := earlier(2)
			path := catalogPath(catalogDir)
			if err := disk.WriteFile(d, path, older); err != nil {
				t.Fatal(err)
			}
			c := openFaulty(t, d)
			for i := range 3 {
				if _, err := c.admit(Name{"db", fmt.Sprint("t", i)}, shapeOf("x:bool")); err != nil {
					t.Fatal(err)
				}
				if err := c.save(); err != nil {
					t.Fatal(err)
				}
			}
			d = d.Kill()
			damage(t, d, path, older)
			_, err := openCatalog(d, path)
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), journalPath(path, 1)) {
				t.Fatalf("%s, seed %d: %v", what, seed, err)
			}
			switch {
			case strings.Contains(err.Error(), `or set "version" in `+path+` to 1`):
				text, err := disk.ReadFile(d, path)
				if err == nil {
					err = disk.WriteFile(d, path, []byte(strings.Replace(string(text), `"version": 2`, `"version": 1`, 1)))
				}
				if err != nil {
					t.Fatal(err)
				}
			case strings.Contains(err.Error(), "or remove "+journalPath(path, 1)):
				if err := d.Remove(journalPath(path, 1)); err != nil {
					t.Fatal(err)
				}
			default:
				t.Fatalf("%s: the error does not say what to do: %v", what, err)
			}
			c = openFaulty(t, d)
			if _, err := c.admit(Name{"db", "t"}, shapeOf("x:bool")); err != nil {
				t.Fatal(err)
			}
			if err := c.save(); err != nil {
				t.Fatal(err)
			}
			if got, want := contents(openFaulty(t, d.Crash())), contents(c); got != want {
				t.Errorf("%s: then there is\n%s\nand not\n%s", what, got, want)
			}
		}
	}
}

// After segments of the log have been released, only the journal contains the columns and totals of
// the landed rows. A store that was killed reads them from the journal.
func TestRestartWithJournal(t *testing.T) {
	cam := &camera{t: t, dir: t.TempDir()}
	sink := &dirSink{dir: filepath.Join(cam.dir, "tables")}
	o := testOptions(cam.dir, sink)
	o.WAL.SegmentBytes = 1 << 10
	s := openStore(t, o)
	mustAppend(t, s, row{Table: "a", Time: exampleHour, ID: 1})
	flush(t, s)
	for id := range int64(6) {
		mustAppend(t, s, row{Table: fmt.Sprint("b", id), Time: exampleHour, ID: 2 + id, Value: int64(1), Host: strings.Repeat("x", 900)})
		flush(t, s)
	}
	if n := s.Log().Segments; n > 2 {
		t.Fatalf("%d segments", n)
	}
	want := columnsOf(s)
	cam.shoot("killed")
	text, err := os.ReadFile(catalogPath(cam.dir))
	if err != nil || strings.Contains(string(text), "b0") {
		t.Fatalf("catalog.json: %v, %s", err, text)
	}
	o.Dir = cam.images[0].dir
	sink = &dirSink{dir: filepath.Join(o.Dir, "tables")}
	o.Sink = sink
	again := openStore(t, o)
	if got := columnsOf(again); got != want {
		t.Errorf("there is\n%s\nand not\n%s", got, want)
	}
	wantTotals(t, "after a restart", again, sink.dir)
	mustClose(t, again)
	if err := s.Close(context.Background()); err != nil && !errors.Is(err, ErrClosed) {
		t.Fatal(err)
	}
}

// saveAll writes that a table's files have been rewritten after a widening. A crash after saveAll
// does not lose this.
func TestCatalogSavesRewritten(t *testing.T) {
	d := newDisk(t, 1)
	c := openFaulty(t, d)
	name := Name{"db", "t"}
	for _, kind := range []string{"int64", "float64"} {
		if _, err := c.admit(name, shapeOf("x:"+kind)); err != nil {
			t.Fatal(err)
		}
		if err := c.save(); err != nil {
			t.Fatal(err)
		}
	}
	if openFaulty(t, d).lookup(name).uniform() {
		t.Error("the files are uniform before they were rewritten")
	}
	c.rewritten(c.lookup(name).table, c.lookup(name).widenings)
	if err := c.saveAll(); err != nil {
		t.Fatal(err)
	}
	if !openFaulty(t, d.Crash()).lookup(name).uniform() {
		t.Error("it is not on disk that files were rewritten")
	}
}
