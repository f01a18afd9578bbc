package sim

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

const (
	dataDir   = "/data"
	tablesDir = "/data/tables"
	asideDir  = "/data/aside"
)

// row is a row of a table. ID is unique, and all other values of the row are derived from it.
type row struct {
	Table string
	Time  int64
	ID    int64
}

func (r row) value() float64 { return float64(r.ID) / float64(1+r.ID%2) } // an int, or half an odd int

// late returns a column that only a few rows have, and its value. The first of these rows have
// ints, and the later rows have floats.
func (r row) late() (column string, value float64) {
	if value = float64(r.ID); r.ID%60 >= 30 {
		value += 0.5
	}
	return fmt.Sprint("late", r.ID/60), value
}

func (r row) host() string { return strings.Repeat("h", int(r.ID%40)) }

// stores writes rows through the log into Parquet files.
var stores = Plan{
	Seeds: 240,
	Life: func(w *World) {
		m := newTables(w)
		w.Lives(4, m.live, m.end)
	},
	Meets: []string{
		"crash: start", "crash: write", "crash: close", "crash at Datasync", "crash at WriteVec", "crash at SyncDir", "crash at Rename", "crash at Link", "crash at Sync",
		"crash at Remove", "Datasync fails: *", "WriteVec fails: *", "SyncDir fails: *", "Rename fails: *", "Link fails: *", "Open fails: *", "Read*", "Sync fails: *",
		"Remove fails: *", "Mkdir fails: *", "short Read", "short WriteVec", "small disks", "slow disks", "lives that end with the process", "lives beside a broken table",
		"rows acknowledged", "rows refused", "rows of unknown fate", "rows dropped", "starts that fail", "rewrites", "files aside", "rows read meanwhile", "drops", "drops that fail",
	},
}

func TestTable(t *testing.T)        { Run(t, stores) }
func TestTableReplays(t *testing.T) { Replays(t, stores, replayed...) }

// replayed lists the seeds that are run twice.
var replayed = []uint64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}

// tables is a world with a store of tables.
type tables struct {
	*World
	mu       sync.Mutex
	fates    map[row]Fate
	firsts   map[int64]Fate // fates of records, by the id of their first row
	flying   map[row]bool   // rows on their way to the log; true if their table is being dropped
	requests [][]row
	ids      int64
	unread   error    // the first error of a reader
	carrier  *carrier // the carrier since the last start

	rewritten map[string]bool // directories of tables whose files had to be rewritten
	half      map[string]bool // tables that a failed alteration may have removed in part
	altered   map[string]bool // tables that the administrator tried to drop
}

func newTables(w *World) *tables {
	return &tables{
		World: w, fates: make(map[row]Fate), firsts: make(map[int64]Fate), flying: make(map[row]bool),
		rewritten: make(map[string]bool), half: make(map[string]bool), altered: make(map[string]bool),
	}
}

// witness is a sink that records which tables had files to rewrite.
type witness struct {
	*parquet.Sink
	m *tables
}

func (w witness) Rewrite(ctx context.Context, dir string, fields []table.Field) (table.Rewritten, error) {
	w.m.mu.Lock()
	w.m.rewritten[dir] = true
	w.m.mu.Unlock()
	w.m.Count("rewrites", 1)
	return w.Sink.Rewrite(ctx, dir, fields)
}

func encode(rows []row) []byte {
	b, err := json.Marshal(rows)
	if err != nil {
		panic(err)
	}
	return b
}

func decode(r *wal.Record) ([]table.Write, error) {
	var rows []row
	if err := json.Unmarshal(r.Payload, &rows); err != nil {
		return nil, err
	}
	return writes(rows, func() *column.Batch { return new(column.Batch) }), nil
}

// writes returns one batch for the rows of each table.
func writes(rows []row, batch func() *column.Batch) []table.Write {
	byTable := make(map[string]*column.Batch)
	var all []table.Write
	for _, r := range rows {
		b := byTable[r.Table]
		if b == nil {
			b = batch()
			byTable[r.Table] = b
			all = append(all, table.Write{Name: table.Name{DB: "db", Table: r.Table}, Batch: b})
		}
		cell := func(name string, kind column.Kind) *column.Column {
			c, err := b.Column([]byte(name))
			if err != nil || !c.Accepts(kind) {
				panic(fmt.Sprint(name, kind, err))
			}
			return c
		}
		cell("time", column.Time).AppendTime(r.Time)
		cell("id", column.Int64).AppendInt64(r.ID)
		number := func(name string, v float64) {
			if v == float64(int64(v)) {
				cell(name, column.Int64).AppendInt64(int64(v))
			} else {
				cell(name, column.Float64).AppendFloat64(v)
			}
		}
		number("value", r.value())
		number(r.late())
		if err := cell("host", column.String).AppendString([]byte(r.host())); err != nil {
			panic(err)
		}
		cell(fmt.Sprint("c", r.ID%11), column.Bool).AppendBool(true)
		if r.ID%20 == 0 {
			cell(fmt.Sprint("only", r.ID), column.Bool).AppendBool(true)
		}
		if err := b.CloseRow(); err != nil {
			panic(err)
		}
	}
	return all
}

func (m *tables) options(r *rand.Rand, sink table.Sink, aside table.Aside) table.Options {
	return table.Options{
		Dir: dataDir,
		WAL: wal.Options{
			Disk: m.Disk, SegmentBytes: int64(1<<10 + r.IntN(32<<10)),
			MaxBytes: []int64{0, 256 << 10}[r.IntN(2)], MinFree: []int64{0, 20 << 10}[r.IntN(2)], Reserve: []int64{0, 30 << 10}[r.IntN(2)],
		},
		Sink: sink, Aside: aside, Decode: decode, Carrier: m.carrier, Node: "n",
		SealRows: 1 + r.IntN(200), SealAge: time.Duration(1+r.IntN(20)) * time.Second, Landers: 1 + r.IntN(3),
		MaxBuffered: []int64{0, 64 << 10}[r.IntN(2)],
		Logger:      slog.New(slog.DiscardHandler),
	}
}

// open opens the store, unless ctx ends first.
func (m *tables) open(ctx context.Context, r *rand.Rand) (*table.Store, error) {
	sink, err := parquet.New(tablesDir, parquet.Options{Codec: parquet.Uncompressed, Disk: m.Disk})
	if err != nil {
		return nil, err
	}
	aside, err := parquet.NewAside(asideDir, sink)
	if err != nil {
		return nil, err
	}
	m.carrier = newCarrier()
	s, err := table.OpenContext(ctx, m.options(r, witness{sink, m}, aside))
	if err == nil {
		m.recalled(m.carrier)
	}
	return s, err
}

// live starts the store on a disk that may fail, uses it, and ends it.
func (m *tables) live() {
	var s *table.Store
	started := m.Begin(tablesDir, "write", func() (err error) {
		starting, interrupt := context.WithTimeout(m.Off, time.Hour)
		defer interrupt()
		s, err = m.open(starting, m.Rand)
		return err
	})
	if !started {
		return
	}
	var clients sync.WaitGroup
	for range 1 + m.Rand.IntN(5) {
		r := rand.New(rand.NewPCG(m.Rand.Uint64(), 0))
		clients.Go(func() { m.client(s, r) })
	}
	r := rand.New(rand.NewPCG(m.Rand.Uint64(), 0))
	clients.Go(func() { m.reader(r) })
	if m.Rand.IntN(3) == 0 {
		r := rand.New(rand.NewPCG(m.Rand.Uint64(), 0))
		clients.Go(func() { m.administrator(s, r) })
	}
	clients.Wait()
	if m.unread != nil {
		m.Fatal("somebody reads the tables: %v", m.unread)
	}
	if m.Broken != "" && !m.Crashed() {
		m.bypass(s)
	}
	m.Phase("close")
	m.Count("files aside", m.aside())
	ctx, cancel := m.Grace(100 * time.Second)
	defer cancel()
	err := s.Close(ctx)
	m.Say("%d rows so far; closed: %v", len(m.fates), err)
	m.Next()
}

// bypass checks that neither the memory nor the log contains rows any more. This includes the rows
// of a table whose directory is broken.
func (m *tables) bypass(s *table.Store) {
	m.Count("lives beside a broken table", 1)
	time.Sleep(2 * time.Minute) // rows wait for a rewrite for one minute
	if st := s.Stats(); !m.Crashed() && st.Pending > 0 {
		m.Fatal("%d rows wait for %s: %v", st.Pending, m.Broken, s.Err())
	}
}

// client sends rows, and sometimes flushes the store.
func (m *tables) client(s *table.Store, r *rand.Rand) {
	for range r.IntN(60) {
		time.Sleep(time.Duration(r.Int64N(int64(500 * time.Millisecond))))
		if m.Crashed() {
			return
		}
		if r.IntN(30) == 0 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			_ = s.Flush(ctx) // may fail
			cancel()
		}
		rows := m.rows(r)
		durable := r.IntN(4) > 0
		m.mu.Lock()
		for _, row := range rows {
			m.flying[row] = false
		}
		m.mu.Unlock()
		record := &wal.Record{Time: time.Now().UnixMicro(), DB: "db", Payload: encode(rows)}
		err := s.Append(record, writes(rows, s.Batch), durable, m.carrier.stored(record))
		f := Acknowledged
		switch {
		case err == nil && !durable, errors.Is(err, wal.ErrFailed): // the append did not wait for the disk, or the log failed, so the outcome is unknown
			f = Unknown
		case err != nil:
			f = Refused
		}
		m.Count("rows "+f.String(), len(rows))
		m.mu.Lock()
		for _, row := range rows {
			m.fates[row] = f
			if f == Acknowledged && m.flying[row] {
				m.fates[row] = Unknown
			}
			delete(m.flying, row)
		}
		m.requests = append(m.requests, rows)
		m.firsts[rows[0].ID] = f
		m.mu.Unlock()
	}
}

// administrator drops tables. Rows that were in the table before a drop must not reappear. Rows
// that arrive during a drop may be removed or kept.
func (m *tables) administrator(s *table.Store, r *rand.Rand) {
	for range r.IntN(3) {
		time.Sleep(time.Duration(r.Int64N(int64(10 * time.Second))))
		if m.Crashed() {
			return
		}
		name := fmt.Sprint("t", r.IntN(3))
		before := make(map[row]bool)
		m.mu.Lock()
		for row := range m.fates {
			before[row] = row.Table == name
		}
		m.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		err := s.Drop(ctx, table.Name{DB: "db", Table: name}, true)
		cancel()
		if errors.Is(err, table.ErrUnknown) || errors.Is(err, table.ErrHeld) {
			continue
		}
		m.mu.Lock()
		for row := range m.flying {
			m.flying[row] = m.flying[row] || row.Table == name
		}
		gone := 0
		for row, f := range m.fates {
			switch {
			case row.Table != name || f == Refused || f == Dropped:
			case err == nil && before[row]:
				m.fates[row] = Dropped
				gone++
			default:
				m.fates[row] = Unknown
			}
		}
		m.half[name], m.altered[name] = err != nil, true
		m.mu.Unlock()
		if err != nil {
			m.Count("drops that fail", 1)
			continue
		}
		m.Count("drops", 1)
		m.Count("rows dropped", gone)
	}
}

// aside returns the number of files that the store has moved aside.
func (m *tables) aside() (n int) {
	if !m.Crashed() {
		_ = m.Walk(asideDir, func(string) { n++ }) // the disk may fail
	}
	return n
}

// reader reads the tables while they are written. It checks that each file is complete, and that no
// row occurs twice.
func (m *tables) reader(r *rand.Rand) {
	for range r.IntN(4) {
		time.Sleep(time.Duration(r.Int64N(int64(3 * time.Second))))
		found := make(map[row]string)
		err := m.peek(tablesDir, found)
		m.Count("rows read meanwhile", len(found))
		if err != nil {
			m.mu.Lock()
			m.unread = cmp.Or(m.unread, err)
			m.mu.Unlock()
		}
	}
}

// peek reads the files below dir. It skips the files that it cannot read because of disk faults.
func (m *tables) peek(dir string, found map[row]string) error {
	entries, err := m.Disk.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		file := path.Join(dir, e.Name())
		if e.IsDir() {
			if err := m.peek(file, found); err != nil {
				return err
			}
			continue
		}
		text, err := disk.ReadFile(m.Disk, file)
		if err != nil || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		b, _, err := parquet.ReadFrom(bytes.NewReader(text), int64(len(text)), file)
		if err != nil {
			return err
		}
		for i, id := range b.Find("id").Ints {
			r := row{Table: path.Base(path.Dir(path.Dir(path.Dir(file)))), Time: b.Find("time").Ints[i], ID: id}
			if other := found[r]; other != "" {
				return fmt.Errorf("%+v is in %s and in %s", r, other, file)
			}
			found[r] = file
		}
	}
	return nil
}

func (m *tables) rows(r *rand.Rand) []row {
	m.mu.Lock()
	defer m.mu.Unlock()
	rows := make([]row, 1+r.IntN(20))
	for i := range rows {
		m.ids++
		at := time.Now().Add(-time.Duration(r.IntN(3)) * time.Hour)
		rows[i] = row{Table: fmt.Sprint("t", r.IntN(3)), Time: at.UnixMicro(), ID: m.ids}
	}
	return rows
}

// end starts the store for the last time, on a disk that does not fail. It compares the rows in
// files with the expected rows.
func (m *tables) end() {
	var listed []table.TableInfo
	m.Phase("end")
	for range 2 {
		m.Sound()
		s, err := m.open(context.Background(), m.Rand)
		if err != nil {
			m.Fatal("a service on a sound disk does not start: %v", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		if err := s.Flush(ctx); err != nil {
			m.Fatal("rows do not land: %v", err)
		}
		for s.Stats().Rewriting > 0 && ctx.Err() == nil {
			time.Sleep(time.Second)
		}
		listed = s.Tables()
		if err := s.Close(ctx); err != nil {
			m.Fatal("files are not rewritten: %v", err)
		}
		m.Reboot()
	}
	m.walk(asideDir, func(path string) { m.Fatal("%s is aside", path) })
	found, columns := m.look(listed), m.catalog()
	there := maps.Clone(found)
	for _, row := range slices.SortedFunc(maps.Keys(m.fates), func(a, b row) int { return int(a.ID - b.ID) }) {
		n := found[row]
		delete(found, row)
		switch f := m.fates[row]; {
		case f == Acknowledged && n != 1:
			m.Fatal("%+v was acknowledged and is there %d times", row, n)
		case (f == Refused || f == Dropped) && n > 0:
			m.Fatal("%+v was %v and is there %d times", row, f, n)
		case n > 1:
			m.Fatal("%+v is there %d times", row, n)
		}
	}
	for row := range found {
		m.Fatal("%+v was never sent", row)
	}
	m.whole(there)
	for row, f := range m.fates {
		only := name{row.Table, fmt.Sprint("only", row.ID)}
		if _, there := columns[only]; f == Refused && there {
			m.Fatal("%+v was refused, and its column is in the catalog", row)
		}
	}
}

// look returns how often each row is in files. It checks that the files have the columns of the
// catalog, and that rows, files and bytes match the totals of the store's tables.
func (m *tables) look(listed []table.TableInfo) map[row]int {
	found, columns, totals := make(map[row]int), m.catalog(), make(map[string]table.Totals)
	m.walk(tablesDir, func(path string) { m.read(path, found, columns, totals) })
	for _, info := range listed {
		got, want := table.Totals{Rows: info.Landed, Files: info.Files, Bytes: info.Bytes}, totals[info.Name.Table]
		if m.rewritten[path.Join(info.Name.DB, info.Name.Table)] { // Bytes is the size of the files before they were rewritten
			got.Bytes = want.Bytes
		}
		if got != want && !m.half[info.Name.Table] {
			m.Fatal("%v is said to have %+v, and has %+v", info.Name, got, want)
		}
	}
	return found
}

// The machine crashes at every fifth call to the disk, or at every call if SLIPSTREAM_LONG is set.
// The crashes happen while rows are written to files and segments of the log are released. After
// the next start and the next Close, the totals of the tables match their files.
func TestTotals(t *testing.T) {
	step := 5
	switch {
	case os.Getenv("SLIPSTREAM_LONG") != "":
		step = 1
	case testing.Short():
		step = 20
	}
	for at, crashed := 1, true; crashed && !t.Failed(); at += step {
		synctest.Test(t, func(t *testing.T) {
			m := newTables(newWorld(t, 1))
			m.Say("crash at call %d", at)
			crash := m.Power()
			m.Disk.Set(faulty.Options{Crashed: crash})
			m.land(8) // until there are no new columns
			m.Disk = m.Disk.Kill()
			m.Disk.Set(faulty.Options{Crashed: crash})
			m.Disk.CrashAt(at)
			m.land(2)
			crashed = m.Crashed()
			for range 2 {
				m.Disk = m.Disk.Crash()
				s, err := m.openSmall()
				if err != nil {
					m.Fatal("%v", err)
				}
				for s.Stats().Rewriting > 0 {
					time.Sleep(time.Second)
				}
				m.look(s.Tables())
				if err := s.Close(t.Context()); err != nil {
					m.Fatal("%v", err)
				}
				m.look(s.Tables())
			}
		})
	}
}

// openSmall opens a store whose log segments contain only a few records.
func (m *tables) openSmall() (*table.Store, error) {
	sink, err := parquet.New(tablesDir, parquet.Options{Codec: parquet.Uncompressed, Disk: m.Disk})
	if err != nil {
		return nil, err
	}
	m.carrier = newCarrier()
	o := m.options(m.Rand, witness{sink, m}, nil)
	o.WAL = wal.Options{Disk: m.Disk, SegmentBytes: 512}
	o.Landers, o.MaxBuffered, o.SealAge = 1, 0, time.Hour
	s, err := table.Open(o)
	if err == nil {
		m.recalled(m.carrier)
	}
	return s, err
}

// land appends rows and writes them to files, n times. It stops at the first fault of the disk.
func (m *tables) land(n int) {
	s, err := m.openSmall()
	if err != nil {
		return
	}
	for range n {
		rows := m.rows(m.Rand)
		record := &wal.Record{DB: "db", Payload: encode(rows)}
		if s.Append(record, writes(rows, s.Batch), true, m.carrier.stored(record)) != nil || m.Crashed() {
			break
		}
		m.firsts[rows[0].ID] = Acknowledged
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		err := s.Flush(ctx)
		cancel()
		if err != nil || m.Crashed() {
			break
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.Close(ctx) // fails after a crash
}

// name is the name of a column.
type name struct{ table, column string }

// catalog returns the kinds of all columns.
func (m *tables) catalog() map[name]string {
	infos, err := table.ReadCatalog(m.Disk, dataDir)
	if err != nil {
		m.Fatal("%v", err)
	}
	kinds := make(map[name]string)
	for _, info := range infos {
		for _, f := range info.Columns {
			kinds[name{info.Name.Table, f.Name}] = f.Kind.String()
		}
	}
	return kinds
}

// walk calls each for every file below dir.
func (m *tables) walk(dir string, each func(path string)) {
	if err := m.Walk(dir, each); err != nil {
		m.Fatal("%v", err)
	}
}

// whole checks each request whose outcome is unknown: either all of its rows are in files, or none
// of them.
func (m *tables) whole(there map[row]int) {
	for _, rows := range m.requests {
		n, of := 0, 0
		for _, row := range rows {
			if m.fates[row] == Unknown && !m.altered[row.Table] {
				n += there[row]
				of++
			}
		}
		if n != 0 && n != of {
			m.Fatal("%d of %d rows of one request are there, as %+v", n, of, rows[0])
		}
	}
}

// read counts the rows of a file. All its columns must be in the catalog.
func (m *tables) read(file string, found map[row]int, columns map[name]string, totals map[string]table.Totals) {
	f, err := m.Disk.Open(file, os.O_RDONLY, 0)
	if err != nil {
		m.Fatal("%v", err)
	}
	info, err := f.Stat()
	if err != nil {
		m.Fatal("%v", err)
	}
	b, _, err := parquet.ReadFrom(f, info.Size(), file)
	if err != nil {
		m.Fatal("%v", err)
	}
	of := strings.Split(strings.TrimPrefix(file, tablesDir+"/"), "/")[1]
	n := totals[of]
	totals[of] = table.Totals{Rows: n.Rows + int64(b.Rows), Files: n.Files + 1, Bytes: n.Bytes + info.Size()}
	for _, c := range b.Columns {
		switch kind, there := columns[name{of, c.Name}]; {
		case !there:
			m.Fatal("%s has a column %s, and the catalog does not", file, c.Name)
		case c.Kind != column.Null && kind != c.Kind.String():
			m.Fatal("the column %s of %s has the kind %v, and in the catalog %s", c.Name, file, c.Kind, kind)
		}
	}
	for i := range b.Rows {
		r := row{Table: of, Time: b.Find("time").Ints[i], ID: b.Find("id").Ints[i]}
		found[r]++
		name, late := r.late()
		if got := Number(b.Find(name), i); got != late {
			m.Fatal("%+v has %v in the column %s, and not %v", r, got, name, late)
		}
		got := Number(b.Find("value"), i)
		if host := string(b.Find("host").StringAt(i)); got != r.value() || host != r.host() {
			m.Fatal("%+v has the value %v and the host %q", r, got, host)
		}
	}
}
