package table

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/wal"
)

func TestStore(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	s := openStore(t, testOptions(dir, sink))
	rows := []row{
		{Table: "cpu", Time: exampleHour + 2, ID: 1, Value: int64(3), Host: "a"},
		{Table: "cpu", Time: exampleHour + 1, ID: 2, Value: 0.5, Host: ""},
		{Table: "cpu", Time: -1, ID: 3, Host: "ü"},
		{Table: "mem", Time: 0, ID: 4, Value: int64(7)},
	}
	mustAppend(t, s, rows[0])
	mustAppend(t, s, rows[1])
	mustAppend(t, s, rows[2:]...)
	st := s.Stats()
	if st.Accepted != 4 || st.Pending != 4 || st.Landed != 0 || st.Buffered <= 0 || st.Oldest <= 0 || st.Tables != 2 {
		t.Errorf("%+v", st)
	}
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	checkEmpty(t, s)
	got := landedRows(t, sink.dir)
	checkOnce(t, "flushed", got, rows)
	for _, r := range got {
		if want := map[int64]any{1: 3.0, 2: 0.5, 3: nil, 4: 7.0}[r.ID]; r.Value != want {
			t.Errorf("row %d has value %v, want %v", r.ID, r.Value, want)
		}
	}
	for _, path := range []string{
		"db/cpu/utc_date=1969-12-31/utc_hour=23/n1-00000000000000000001-00000000000000000003.parquet",
		"db/cpu/utc_date=2025-11-24/utc_hour=16/n1-00000000000000000001-00000000000000000003.parquet",
		"db/mem/utc_date=1970-01-01/utc_hour=00/n1-00000000000000000003-00000000000000000003.parquet",
	} {
		if _, err := os.Stat(filepath.Join(sink.dir, path)); err != nil {
			t.Error(err)
		}
	}
	st = s.Stats()
	if st.Files != 3 || st.Units != 2 || st.Bytes <= 0 || st.LandFailures != 0 || st.Oldest != 0 {
		t.Errorf("%+v", st)
	}
	infos := s.Tables()
	if len(infos) != 2 || infos[0].Name != (Name{"db", "cpu"}) || infos[0].Landed != 3 || infos[0].LandedTo != 3 || infos[0].Files != 2 ||
		fmt.Sprint(infos[0].Columns) != "[{time time false } {id int64 false } {value float64 false } {host string false }]" {
		t.Errorf("%+v", infos)
	}
	if err := s.Flush(context.Background()); err != nil { // there are no rows to land
		t.Error(err)
	}
	mustClose(t, s)
	if err := appendRows(s, true, rows[0]); !errors.Is(err, ErrClosed) {
		t.Errorf("append to a closed store: %v", err)
	}
	if err := s.Close(context.Background()); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// A rejected request leaves no rows behind, neither in memory nor in the log.
func TestAppendRefuses(t *testing.T) {
	dir := t.TempDir()
	o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
	o.MaxHours = 3
	s := openStore(t, o)
	mustAppend(t, s, row{Table: "cpu", ID: 1})
	log := s.Log().LastSeq

	hours := func(n int64) *column.Batch {
		var rows []row
		for i := range n {
			rows = append(rows, row{Time: i * 100 * hour})
		}
		w, err := writesOf(rows, newBatch)
		if err != nil {
			t.Fatal(err)
		}
		return w[0].Batch
	}
	noTime, nullTime, intTime, short := shapeOf("a:bool"), shapeOf(), shapeOf(), shapeOf("a:bool")
	noTime.Columns = noTime.Columns[1:]
	nullTime.Columns[0].Nulls = column.Bitmap{1}
	intTime.Columns[0].Kind = column.Int64
	short.Columns[1].Truncate(0)
	cpu := Name{"db", "cpu"}
	for _, test := range []struct {
		write Write
		want  string
	}{
		{Write{cpu, new(column.Batch)}, "the batch has no rows"},
		{Write{cpu, noTime}, `the batch has no column "time"`},
		{Write{cpu, nullTime}, `the column "time" contains a null`},
		{Write{cpu, intTime}, "contains time values, so it cannot store int64 values"},
		{Write{cpu, short}, `column "a" has 0 rows`},
		{Write{cpu, shapeOf("id:bool")}, `column "id" contains int64 values, so it cannot store bool values`},
		{Write{Name{"..", "x"}, shapeOf()}, `name ".."`},
		{Write{cpu, hours(4)}, "more than 3 different hours"},
	} {
		// The batch before the invalid batch is rejected, too.
		err := s.Append(&wal.Record{}, []Write{{cpu, shapeOf()}, test.write}, true, nil)
		if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %q, want %q", err, test.want)
		}
	}
	if err := s.Append(&wal.Record{}, nil, true, nil); err != nil {
		t.Errorf("nothing to write: %v", err)
	}
	if st := s.Stats(); st.Accepted != 1 || s.Log().LastSeq != log {
		t.Errorf("%+v", st)
	}
	if err := s.Append(&wal.Record{Payload: []byte("[]")}, []Write{{cpu, hours(3)}}, true, nil); err != nil {
		t.Error(err)
	}
	if err := s.Flush(context.Background()); err != nil {
		t.Error(err)
	}
	checkEmpty(t, s)
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	good := testOptions(dir, &dirSink{dir: dir})
	for _, change := range []func(*Options){
		func(o *Options) { o.Dir = "" },
		func(o *Options) { o.Sink = nil },
		func(o *Options) { o.Decode = nil },
		func(o *Options) { o.Node = "a/b" },
	} {
		o := good
		change(&o)
		if _, err := Open(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	openStore(t, good)
	if _, err := Open(good); err == nil {
		t.Error("the directory was opened twice")
	}
}

func TestSeal(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"rows":  func(o *Options) { o.SealRows = 10 },
		"bytes": func(o *Options) { o.SealBytes = 200 },
		"age":   func(o *Options) { o.SealAge = 10 * time.Millisecond },
		"hours": func(o *Options) { o.MaxHours = 10 },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			sink := &dirSink{dir: filepath.Join(dir, "tables")}
			o := testOptions(dir, sink)
			change(&o)
			s := openStore(t, o)
			var rows []row
			for i := range int64(10) {
				r := row{Table: "cpu", Time: i * hour, ID: i}
				rows = append(rows, r)
				mustAppend(t, s, r)
			}
			eventually(t, "all rows have landed", func() bool { return s.Stats().Landed >= 9 })
			mustClose(t, s)
			checkOnce(t, name, landedRows(t, sink.dir), rows)
		})
	}
}

// The rows of many tables fill the memory, although no single unit is full. They land nevertheless.
func TestPressure(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	o := testOptions(dir, sink)
	o.MaxBuffered = 32 << 10
	s := openStore(t, o)
	var rows []row
	for i := range int64(1000) {
		r := row{Table: fmt.Sprint("t", i%50), ID: i}
		rows = append(rows, r)
		eventually(t, "there is room", func() bool {
			err := appendRows(s, true, r)
			if err != nil && !errors.Is(err, ErrBusy) {
				t.Fatal(err)
			}
			return err == nil
		})
	}
	if st := s.Stats(); st.Units == 0 || st.Buffered > 2*o.MaxBuffered {
		t.Errorf("%+v", st)
	}
	mustClose(t, s)
	checkEmpty(t, s)
	checkOnce(t, "pressure", landedRows(t, sink.dir), rows)
}

// While the sink is blocked, memory remains bounded and appends are rejected. Afterwards all
// acknowledged rows land.
func TestSlowSink(t *testing.T) {
	dir := t.TempDir()
	free := make(chan struct{})
	sink := &dirSink{dir: filepath.Join(dir, "tables"), step: func(ctx context.Context, what, _ string) error {
		<-free
		return nil
	}}
	o := testOptions(dir, sink)
	o.SealRows, o.MaxBuffered = 10, 16<<10
	s := openStore(t, o)
	var rows []row
	for i := range int64(100_000) {
		r := row{Table: "cpu", ID: i}
		err := appendRows(s, true, r)
		if errors.Is(err, ErrBusy) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if st := s.Stats(); st.Buffered > 2*o.MaxBuffered || st.Landed != 0 || st.Pending != int64(len(rows)) || len(rows) == 100_000 {
		t.Errorf("%+v", st)
	}
	close(free)
	eventually(t, "there is room", func() bool { return appendRows(s, true, row{Table: "cpu", ID: -1}) == nil })
	mustClose(t, s)
	checkEmpty(t, s)
	checkOnce(t, "slow", landedRows(t, sink.dir), append(rows, row{Table: "cpu", ID: -1}))
}

// A request that is larger than the whole memory budget is accepted if the memory is empty.
func TestOversized(t *testing.T) {
	dir := t.TempDir()
	o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
	o.MaxBuffered = 1
	s := openStore(t, o)
	mustAppend(t, s, row{Table: "cpu", ID: 1})
	eventually(t, "the first row has landed", func() bool { return s.Stats().Landed == 1 })
	mustAppend(t, s, row{Table: "cpu", ID: 2})
	mustClose(t, s)
}

// TestFailingSink makes the sink fail at each step for some time. A table for which the sink fails
// does not delay other tables.
func TestFailingSink(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	var healed atomic.Bool
	failed := make(map[string]int)
	sink := &dirSink{dir: filepath.Join(dir, "tables"), step: func(_ context.Context, what, path string) error {
		if !strings.HasPrefix(path, "db/bad/") {
			return nil
		}
		if failed[what]++; failed[what] <= 1 || what == "renamed" && !healed.Load() {
			return broken
		}
		return nil
	}}
	s := openStore(t, testOptions(dir, sink))
	bad := []row{{Table: "bad", ID: 1}, {Table: "bad", ID: 2, Time: hour}}
	good := row{Table: "good", ID: 3}
	mustAppend(t, s, bad...)
	mustAppend(t, s, good)
	flushed := make(chan error)
	go func() { flushed <- s.Flush(context.Background()) }()
	eventually(t, "the good table lands, and the bad one is at its last step", func() bool {
		return s.Stats().Landed == 1 && s.Stats().LandFailures > 5
	})
	if err := s.Err(); !errors.Is(err, broken) || !strings.Contains(err.Error(), "db.bad") {
		t.Errorf("Err: %v", err)
	}
	if infos := s.Tables(); infos[0].Err == nil || infos[1].Err != nil {
		t.Errorf("%+v", infos)
	}
	healed.Store(true)
	if err := <-flushed; err != nil {
		t.Fatal(err)
	}
	if err := s.Err(); err != nil {
		t.Errorf("Err after all: %v", err)
	}
	if failed["remove"] < 2 {
		t.Error("what may have been there was not removed")
	}
	checkEmpty(t, s)
	mustClose(t, s)
	checkOnce(t, "healed", landedRows(t, sink.dir), append(bad, good))
}

// Close does not wait for a sink that hangs, and the rows land after the next start.
func TestCloseDeadline(t *testing.T) { synctest.Test(t, testCloseDeadline) }

func testCloseDeadline(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables"), step: func(ctx context.Context, _, _ string) error {
		<-ctx.Done()
		return ctx.Err()
	}}
	s := openStore(t, testOptions(dir, sink))
	r := row{Table: "cpu", ID: 1}
	mustAppend(t, s, r)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	begin := time.Now()
	if err := s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Close: %v", err)
	}
	if took := time.Since(begin); took != 20*time.Millisecond {
		t.Errorf("Close took %v", took)
	}
	sink.step = nil
	s = openStore(t, testOptions(dir, sink))
	mustClose(t, s)
	checkOnce(t, "after the next start", landedRows(t, sink.dir), []row{r})
}

// Rows of asynchronous appends are in files after Flush, and the caller's function is called
// for each record.
func TestAsync(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	o := testOptions(dir, sink)
	var returned atomic.Int64
	s := openStore(t, o)
	var rows []row
	for i := range int64(500) {
		r := row{Table: "cpu", ID: i}
		rows = append(rows, r)
		w, err := writesOf([]row{r}, s.Batch)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Append(&wal.Record{Payload: payloadOf([]row{r})}, w, i%3 == 0, func(error) { returned.Add(1) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	checkEmpty(t, s)
	checkOnce(t, "flushed", landedRows(t, sink.dir), rows)
	if n := returned.Load(); n != 500 {
		t.Errorf("the functions of %d records were called", n)
	}
	mustClose(t, s)
}

// A new log does not overwrite the files of the previous log.
func TestNewLogBesideTables(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	var rows []row
	for i := range int64(3) {
		s := openStore(t, testOptions(dir, sink))
		r := row{Table: "cpu", ID: i}
		rows = append(rows, r)
		mustAppend(t, s, r)
		soon, cancel := context.WithTimeout(context.Background(), time.Minute)
		err := s.Close(soon)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "wal")); err != nil {
			t.Fatal(err)
		}
	}
	checkOnce(t, "three logs", landedRows(t, sink.dir), rows)
}

// After the log was lost, new files get other names than the earlier files, even if the earlier
// files have been moved elsewhere, for example to a bucket. With equal names, the new files would
// overwrite the earlier ones there.
func TestNewLogsNames(t *testing.T) {
	dir, bucket := t.TempDir(), t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	var rows []row
	for i := range int64(3) {
		s := openStore(t, testOptions(dir, sink))
		r := row{Table: "cpu", ID: i}
		rows = append(rows, r)
		mustAppend(t, s, r)
		mustClose(t, s)
		err := filepath.WalkDir(sink.dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(sink.dir, path)
			if err != nil {
				return err
			}
			to := filepath.Join(bucket, rel)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			if _, err := os.Stat(to); err == nil {
				t.Errorf("log %d: %s is there already", i, rel)
			}
			return os.Rename(path, to)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.RemoveAll(filepath.Join(dir, "wal")); err != nil {
			t.Fatal(err)
		}
	}
	checkOnce(t, "the bucket", landedRows(t, bucket), rows)
}

// A segment of the log is removed once all of its rows, of all tables, are in files.
func TestLogShrinks(t *testing.T) {
	dir := t.TempDir()
	o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
	o.WAL.SegmentBytes = 4 << 10
	s := openStore(t, o)
	for i := range int64(100) {
		mustAppend(t, s, row{Table: fmt.Sprint("t", i%3), ID: i, Host: strings.Repeat("x", 200)})
	}
	if n := s.Log().Segments; n < 5 {
		t.Fatalf("only %d segments", n)
	}
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := s.Log().Segments; n > 2 {
		t.Errorf("%d segments are left", n)
	}
	mustClose(t, s)
}

// Many goroutines append rows to several tables while rows land. The rows of each goroutine remain
// in the order in which it sent them.
func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	o := testOptions(dir, sink)
	o.SealRows, o.SealAge, o.Landers, o.MaxBuffered = 150, 5*time.Millisecond, 2, 1<<20
	s := openStore(t, o)
	const appenders, each = 8, 60
	var wg sync.WaitGroup
	stop := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if st := s.Stats(); st.Accepted != st.Landed+st.Pending || st.Pending < 0 || st.Buffered < 0 {
				t.Errorf("%+v", st)
			}
			s.Tables()
			if err := s.Flush(context.Background()); err != nil {
				t.Error(err)
			}
			time.Sleep(3 * time.Millisecond)
		}
	})
	all := make([][]row, appenders)
	for g := range int64(appenders) {
		wg.Go(func() {
			for i := range int64(each) {
				var rows []row
				for j := range 1 + (g+i)%5 {
					rows = append(rows, row{Table: fmt.Sprint("t", (g+i*j)%4), Time: exampleHour, ID: g<<32 | i<<8 | j, Host: fmt.Sprint(g)})
				}
				for {
					err := appendRows(s, i%2 == 0, rows...)
					if err == nil {
						break
					} else if !errors.Is(err, ErrBusy) {
						t.Error(err)
						return
					}
					time.Sleep(time.Millisecond)
				}
				all[g] = append(all[g], rows...)
			}
		})
	}
	wg.Wait()
	close(stop)
	watch.Wait()
	mustClose(t, s)
	checkEmpty(t, s)
	got := landedRows(t, sink.dir)
	var want []row
	for _, rows := range all {
		want = append(want, rows...)
	}
	checkOnce(t, "concurrent", got, want)

	// All times are equal and the files of a table are read in order, so each goroutine's rows must
	// be in order, too.
	last := make(map[string]int64)
	for _, r := range got {
		k := r.Table + " " + r.Host
		if before, ok := last[k]; ok && r.ID < before {
			t.Fatalf("table %s: row %x after %x", r.Table, r.ID, before)
		}
		last[k] = r.ID
	}
}

// If the log has failed, the store returns its error and does not hang.
func TestLogFails(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")}))
	mustAppend(t, s, row{Table: "cpu", ID: 1})
	if err := s.log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := appendRows(s, true, row{Table: "cpu", ID: 2}); !errors.Is(err, wal.ErrClosed) {
		t.Errorf("Append: %v", err)
	}
	if err := s.Flush(context.Background()); !errors.Is(err, wal.ErrClosed) {
		t.Errorf("Flush: %v", err)
	}
	if st := s.Stats(); st.Accepted != 1 || st.Pending != 1 {
		t.Errorf("%+v", st)
	}
}

func TestHourOf(t *testing.T) {
	for _, test := range []struct{ t, want int64 }{
		{0, 0}, {hour - 1, 0}, {hour, 1}, {-1, -1}, {-hour, -1}, {-hour - 1, -2},
		{math.MaxInt64, math.MaxInt64 / hour}, {math.MinInt64, math.MinInt64/hour - 1},
	} {
		if got := hourOf(test.t); got != test.want {
			t.Errorf("hourOf(%d) = %d, want %d", test.t, got, test.want)
		}
		if first, last := hourBounds(test.want); test.t < first || test.t > last || hourOf(first) != test.want || hourOf(last) != test.want {
			t.Errorf("hour %d is %d to %d", test.want, first, last)
		}
	}
}

// The method settled returns the last record before the first row that waits, even if that row
// waits after a unit that is being written to files.
func TestSettled(t *testing.T) {
	landing, second, open := &unit{from: 3, to: 4}, &unit{from: 5, to: 6}, &unit{from: 8, to: 9}
	for _, test := range []struct {
		tables []*table
		except *unit
		want   uint64
	}{
		{nil, nil, 10},
		{[]*table{{}}, nil, 10},
		{[]*table{{open: open}}, nil, 7},
		{[]*table{{waiting: []*unit{landing}}}, nil, 2},
		{[]*table{{waiting: []*unit{landing}}}, landing, 10},
		{[]*table{{waiting: []*unit{landing}, open: open}}, landing, 7},
		{[]*table{{waiting: []*unit{landing, second}, open: open}}, landing, 4},
		{[]*table{{open: open}, {waiting: []*unit{second}}, {waiting: []*unit{landing}}}, landing, 4},
	} {
		s := &Store{delivered: 10, tables: test.tables}
		if got := s.settled(test.except); got != test.want {
			t.Errorf("%d, want %d", got, test.want)
		}
	}
}

// If the rows of a table cannot be written to files, they use as much memory as one table may use,
// and any number of rows of other tables can still be written. The same is true with several such
// tables.
func TestATableLeavesRoom(t *testing.T) {
	const bad = 3
	s := storeWithout(t, "db/bad", 16<<20)
	for i := range bad {
		untilBusy(t, 1000, func(int) error { return appendSized(t, s, Name{"db", fmt.Sprint("bad", i)}, 16<<10, true) })
	}
	for range 200 {
		landSized(t, s, Name{"db", "good"}, 16<<10)
	}
	stop(t, s)
}

// storeWithout opens a store that cannot write files whose path contains a text. It buffers at most
// maxBuffered bytes of rows.
func storeWithout(t *testing.T, text string, maxBuffered int64) *Store {
	t.Helper()
	sink := &dirSink{dir: t.TempDir(), step: func(_ context.Context, what, path string) error {
		if strings.Contains(path, text) {
			return errors.New("in vain")
		}
		return nil
	}}
	o := testOptions(t.TempDir(), sink)
	o.MaxBuffered, o.SealRows, o.firstPause = maxBuffered, 10, time.Hour
	return openStore(t, o)
}

// appendSized appends a row of the given size. Its record in the log is small.
func appendSized(t *testing.T, s *Store, name Name, size int, durable bool) error {
	t.Helper()
	writes, err := writesOf([]row{{Table: name.Table, ID: 1, Host: strings.Repeat("x", size)}}, s.Batch)
	if err != nil {
		t.Fatal(err)
	}
	writes[0].Name = name
	return s.Append(&wal.Record{DB: name.DB, Payload: payloadOf([]row{{Table: name.Table, ID: 1}})}, writes, durable, nil)
}

// untilBusy calls send until the memory is full. It fails the test after more than most calls.
func untilBusy(t *testing.T, most int, send func(n int) error) {
	t.Helper()
	for n := 0; ; n++ {
		if err := send(n); errors.Is(err, ErrBusy) {
			return
		} else if err != nil || n > most {
			t.Fatal(n, err)
		}
	}
}

// landSized appends a row of the given size and waits until it lands.
func landSized(t *testing.T, s *Store, name Name, size int) {
	t.Helper()
	if err := appendSized(t, s, name, size, true); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the row lands", func() bool { s.kick(); return s.lookupPending(name.Table) == 0 })
}

// If the rows of a database cannot be written to files, memory remains for other databases. This
// holds even if the rows are in many tables, or if each request adds new tables.
func TestADatabaseLeavesRoom(t *testing.T) {
	s := storeWithout(t, "bad/", 2<<20)
	if err := appendSized(t, s, Name{"good", "t"}, 64<<10, true); err != nil {
		t.Fatal(err)
	}
	untilBusy(t, 10_000, func(n int) error { return appendSized(t, s, Name{"bad", fmt.Sprint("t", n)}, 1<<10, false) })
	if held := s.Stats().Buffered; held < s.o.MaxBuffered/2 {
		t.Errorf("a database is refused that holds %d of %d bytes", held, s.o.MaxBuffered)
	}
	for range 20 {
		landSized(t, s, Name{"good", "t"}, 64<<10)
	}
	stop(t, s)
	all := int64(0)
	s.databases.Range(func(name, value any) bool {
		db := value.(*database)
		all += db.held.Load()
		if name == "good" && (db.held.Load() != 0 || db.tables.Load() != 0) {
			t.Errorf("at the end, the good database holds %d bytes of %d tables", db.held.Load(), db.tables.Load())
		}
		return true
	})
	if held := s.held.Load(); all != held {
		t.Errorf("databases hold %d bytes, and the store %d", all, held)
	}
}

// If the rows of a table cannot be written to files, memory remains for the other tables of its
// database, also if there are other databases.
func TestATableLeavesRoomInItsDatabase(t *testing.T) {
	s := storeWithout(t, "shared/bad/", 2<<20)
	for _, db := range []string{"shared", "other"} {
		if err := appendSized(t, s, Name{db, "good"}, 1<<10, true); err != nil {
			t.Fatal(err)
		}
	}
	untilBusy(t, 10_000, func(n int) error { return appendSized(t, s, Name{"shared", "bad"}, 1<<10, false) })
	if held := s.Stats().Buffered; held < s.o.MaxBuffered/2 {
		t.Errorf("a table is refused when only %d of %d bytes are in use", held, s.o.MaxBuffered)
	}
	for range 20 {
		for _, db := range []string{"shared", "other"} {
			landSized(t, s, Name{db, "good"}, 64<<10)
		}
	}
	stop(t, s)
}

// The same is true if another database uses most of the memory that the table has left.
func TestADatabaseLeavesRoomToTheTablesOfAnother(t *testing.T) {
	s := storeWithout(t, "/bad/", 2<<20)
	names := []Name{{"shared", "good"}, {"other", "good"}}
	for _, name := range names {
		if err := appendSized(t, s, name, 1<<10, true); err != nil {
			t.Fatal(err)
		}
	}
	for _, db := range []string{"shared", "other"} {
		untilBusy(t, 10_000, func(n int) error { return appendSized(t, s, Name{db, "bad"}, 1<<10, false) })
	}
	for range 20 {
		for _, name := range names {
			landSized(t, s, name, 64<<10)
		}
	}
	stop(t, s)
}

func (s *Store) lookupPending(name string) int64 {
	for _, info := range s.Tables() {
		if info.Name.Table == name {
			return info.Pending
		}
	}
	return 0
}
