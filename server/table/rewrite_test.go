package table

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// steps records the steps of a sink in order: "land db/cpu" or "rewrite db/cpu". A rewrite fails
// while fail is set, and waits while hold is set.
type steps struct {
	mu   sync.Mutex
	list []string
	fail error
	hold chan struct{}
}

func (s *steps) sink(dir string) *dirSink {
	return &dirSink{dir: filepath.Join(dir, "tables"), step: func(ctx context.Context, what, path string) error {
		s.mu.Lock()
		fail, hold := s.fail, s.hold
		switch what {
		case "renamed":
			s.list = append(s.list, "land "+strings.Join(strings.Split(path, "/")[:2], "/"))
		case "rewrite":
			s.list = append(s.list, "rewrite "+path)
		}
		s.mu.Unlock()
		if what != "rewrite" {
			return nil
		}
		if hold != nil {
			select {
			case <-hold:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return fail
	}}
}

func (s *steps) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.list
	s.list = nil
	return list
}

func (s *steps) set(fail error, hold chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail, s.hold = fail, hold
}

// unlocked is a sink that can land files during a rewrite. With dirSink, its lock would prevent
// that.
type unlocked struct{ *dirSink }

func (s unlocked) Rewrite(ctx context.Context, dir string, _ []Field) (Rewritten, error) {
	return Rewritten{}, s.step(ctx, "rewrite", dir)
}

func wantSteps(t *testing.T, what string, s *steps, want ...string) {
	t.Helper()
	if got := s.take(); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func flush(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// uniform returns whether the catalog file marks each table as uniform.
func uniform(t *testing.T, dir string) map[string]bool {
	t.Helper()
	var f catalogFile
	text, err := os.ReadFile(filepath.Join(dir, "catalog.json"))
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	tables := make(map[string]bool)
	for _, tab := range f.Tables {
		tables[tab.Table] = tab.Uniform
	}
	return tables
}

// Existing files are rewritten before the first row of the wider kind is written to a file. There
// is one rewrite for each widening, and none for other changes.
func TestRewriteBeforeWiderRowsLand(t *testing.T) {
	dir := t.TempDir()
	var did steps
	s := openStore(t, testOptions(dir, unlocked{did.sink(dir)}))
	for i, c := range []struct {
		value any
		want  []string
	}{
		{int64(20), []string{"land db/cpu"}},
		{nil, []string{"land db/cpu"}},
		{20.5, []string{"rewrite db/cpu", "land db/cpu"}},
		{int64(21), []string{"land db/cpu"}},
		{0.5, []string{"land db/cpu"}},
	} {
		mustAppend(t, s, row{Table: "cpu", ID: int64(i), Value: c.value})
		flush(t, s)
		wantSteps(t, "a value", &did, c.want...)
	}
	mustClose(t, s)
	if !uniform(t, dir)["cpu"] {
		t.Error("the catalog does not say that files are uniform")
	}
	openStore(t, testOptions(dir, unlocked{did.sink(dir)}))
	wantSteps(t, "after a restart", &did)
}

// While a table's files are rewritten, other tables land. The table's own rows land after a minute
// at the latest, and earlier if the memory is half full.
func TestRowsWaitForTheRewrite(t *testing.T) {
	for _, crowded := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			var did steps
			o := testOptions(dir, unlocked{did.sink(dir)})
			o.SealAge, o.MaxBuffered = time.Second, 1<<20
			s := openStore(t, o)
			mustAppend(t, s, row{Table: "cpu", ID: 1, Value: int64(20)})
			flush(t, s)
			wantSteps(t, "an int", &did, "land db/cpu")

			done := make(chan struct{})
			did.set(nil, done)
			mustAppend(t, s, row{Table: "cpu", ID: 2, Value: 20.5})
			mustAppend(t, s, row{Table: "mem", ID: 3, Value: 0.5})
			time.Sleep(longestPark - time.Second)
			wantSteps(t, "meanwhile", &did, "rewrite db/cpu", "land db/mem")
			if st := s.Stats(); st.Rewriting != 1 || st.Pending != 1 {
				t.Errorf("%+v", st)
			}
			if crowded {
				mustAppend(t, s, row{Table: "cpu", ID: 4, Value: 0.5, Host: strings.Repeat("x", 600<<10)})
				synctest.Wait()
			} else {
				time.Sleep(4 * time.Second)
			}
			if got := did.take(); !slices.Contains(got, "land db/cpu") {
				t.Errorf("the rows did not land before the rewrite ended: %q", got)
			}
			mustAppend(t, s, row{Table: "cpu", ID: 5, Value: 0.5})
			close(done)
			flush(t, s)
			wantSteps(t, "after that", &did, "land db/cpu")
			mustClose(t, s)
			if !uniform(t, dir)["cpu"] {
				t.Error("the catalog does not say that files are uniform")
			}
		})
	}
}

// A rewrite that fails is reported and retried. It continues after a restart, even if no row of the
// table waits.
func TestRewriteGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		var did steps
		o := testOptions(dir, unlocked{did.sink(dir)})
		s := openStore(t, o)
		mustAppend(t, s, row{Table: "cpu", ID: 1, Value: int64(20)})
		flush(t, s)
		bad := errors.New("the disk is full")
		did.set(bad, nil)
		mustAppend(t, s, row{Table: "cpu", ID: 2, Value: 20.5})
		flush(t, s) // after longestPark
		if got := did.take(); len(got) < 4 || got[len(got)-1] != "land db/cpu" {
			t.Errorf("%q", got)
		}
		if err := s.Trouble(); !errors.Is(err, bad) || s.Err() != nil {
			t.Errorf("%v, %v", err, s.Err())
		}
		mustClose(t, s)
		if uniform(t, dir)["cpu"] {
			t.Error("the catalog says that files are uniform")
		}
		did.take()

		s = openStore(t, o)
		synctest.Wait()
		wantSteps(t, "after a restart", &did, "rewrite db/cpu")
		if names := s.Failing(); !slices.Equal(names, []Name{{"db", "cpu"}}) {
			t.Errorf("failing: %v", names)
		}
		did.set(nil, nil)
		time.Sleep(time.Minute)
		wantSteps(t, "when it works", &did, "rewrite db/cpu")
		if err := s.Trouble(); err != nil {
			t.Error(err)
		}
		mustClose(t, s)
		if !uniform(t, dir)["cpu"] {
			t.Error("the catalog does not say that files are uniform")
		}
	})
}

// A catalog of an earlier program does not say whether files are uniform. The files are checked
// once.
func TestFilesOfAnEarlierProgram(t *testing.T) {
	dir := t.TempDir()
	text := `{"version":1,"log":0,"tables":[{"db":"db","table":"cpu","columns":[{"name":"time","kind":"time"},{"name":"value","kind":"float64"}]}]}`
	if err := os.WriteFile(filepath.Join(dir, "catalog.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var did steps
	for _, want := range [][]string{{"rewrite db/cpu"}, nil} {
		s := openStore(t, testOptions(dir, unlocked{did.sink(dir)}))
		eventually(t, "all files are uniform", func() bool { return s.Stats().Rewriting == 0 })
		mustClose(t, s)
		wantSteps(t, "a start", &did, want...)
	}
}

// A table with files to remove is not rewritten before its lander has removed them, because a
// rewrite would recreate them.
func TestRewriteAfterFilesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	var did steps
	sink := unlocked{did.sink(dir)}
	o := testOptions(dir, sink)
	o.firstPause = time.Microsecond
	crash := errors.New("crash")
	record := sink.step
	sink.step = func(ctx context.Context, what, path string) error {
		if what == "renamed" {
			return crash
		}
		return record(ctx, what, path)
	}
	s := openStore(t, o)
	mustAppend(t, s, row{Table: "cpu", ID: 1, Value: int64(20)})
	ctx, cancel := context.WithCancel(context.Background())
	flushed := make(chan error)
	go func() { flushed <- s.Flush(ctx) }()
	eventually(t, "it does not land", func() bool { return s.Err() != nil })
	mustAppend(t, s, row{Table: "cpu", ID: 2, Value: 20.5})
	cancel()
	<-flushed
	_ = s.Close(ctx)

	// The file of the first attempt exists, and cannot be removed for a while.
	did.take()
	refused := 0
	var before []string
	sink.step = func(ctx context.Context, what, path string) error {
		if what == "remove" {
			if refused++; refused < 12 {
				return crash
			}
			before = did.take()
		}
		return record(ctx, what, path)
	}
	s = openStore(t, o)
	flush(t, s)
	mustClose(t, s)
	wantSteps(t, "after the removal", &did, "rewrite db/cpu", "land db/cpu")
	if refused < 12 || len(before) > 0 {
		t.Errorf("before the removal, at attempt %d: %q", refused, before)
	}
	checkOnce(t, "all", landedRows(t, sink.dir), []row{{Table: "cpu", ID: 1}, {Table: "cpu", ID: 2}})
}

// Files in the Aside are rewritten there, as soon as the files in the table's own directory can be
// rewritten. They return to the own directory when all files are uniform.
func TestRewriteAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		o, broken := brokenTable(t, dir)
		home, aside := o.Sink.(*dirSink), &o.Aside.(*dirAside).dirSink
		var mu sync.Mutex
		var did []string
		fail := home.step
		home.step = func(ctx context.Context, what, path string) error {
			mu.Lock()
			defer mu.Unlock()
			err := fail(ctx, what, path)
			if err == nil && (what == "rewrite" || what == "return") {
				did = append(did, what)
			}
			return err
		}
		aside.step = func(ctx context.Context, what, path string) error {
			if what != "rewrite" || broken.Load() {
				return nil
			}
			return home.step(ctx, "rewrite", path)
		}
		broken.Store(false)
		s := openStore(t, o)
		rows := []row{{Table: "bad", ID: 1, Value: int64(20)}, {Table: "bad", ID: 2, Value: int64(20)}, {Table: "bad", ID: 3, Value: 20.5}}
		mustAppend(t, s, rows[0])
		flush(t, s)
		broken.Store(true)
		mustAppend(t, s, rows[1])
		if err := s.Flush(context.Background()); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		mustAppend(t, s, rows[2])
		if err := s.Flush(context.Background()); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		if st := s.Stats(); st.Pending != 0 || st.Aside != 2 {
			t.Errorf("%+v", st)
		}
		broken.Store(false)
		time.Sleep(time.Minute)
		if st := s.Stats(); st.Aside != 0 || st.Rewriting != 0 || s.Err() != nil || s.Trouble() != nil {
			t.Errorf("%+v, %v, %v", st, s.Err(), s.Trouble())
		}
		if want := []string{"rewrite", "rewrite", "return", "return"}; !slices.Equal(did, want) {
			t.Errorf("%q, want %q", did, want)
		}
		mustClose(t, s)
		checkOnce(t, "all", landedRows(t, home.dir), rows)
		if !uniform(t, dir)["bad"] {
			t.Error("the catalog does not say that files are uniform")
		}
	})
}
