package queue

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Several goroutines put items of several tenants. Each tenant's items are delivered in the order
// of their Put, whether their bodies are in memory, only in the log, or mixed. At the end the queue
// is empty.
func TestOrder(t *testing.T) {
	for _, memory := range []int64{-1, 3000, 1 << 20} {
		for _, join := range []int{1, 7} {
			g := newTarget()
			o := testOptions(g)
			o.Memory, o.MaxJoinItems = memory, join
			q := mustOpen(t, testkit.MemDir(t), o)
			var wg sync.WaitGroup
			for p := range 5 {
				wg.Go(func() {
					for i := 1; i <= 60; i++ {
						own := fmt.Sprint("t", p)
						items := []Item{
							{Tenant: own, Body: body(fmt.Sprint("a", i), i*13%300)},
							{Tenant: "shared", Body: body(fmt.Sprint(p, "-", i), i*7%200)},
							{Tenant: own, Body: body(fmt.Sprint("b", i), 0)},
						}
						if err := q.Put(items); err != nil {
							t.Error(err)
						}
						for _, it := range items {
							clear(it.Body) // Put only borrowed it
						}
					}
				})
			}
			wg.Wait()
			drained(t, q)
			checkStats(t, q)
			st := q.Stats()
			if st.Taken.Items != 900 || st.Delivered.Items != 900 || st.Bytes != 0 || st.Memory != 0 {
				t.Errorf("%+v", st)
			}
			for p := range 5 {
				var want []string
				for i := 1; i <= 60; i++ {
					want = append(want, fmt.Sprint("a", i), fmt.Sprint("b", i))
				}
				if got := g.delivered(fmt.Sprint("t", p)); !slices.Equal(got, want) {
					t.Errorf("tenant %d got %v", p, got)
				}
				own := slices.DeleteFunc(g.delivered("shared"), func(id string) bool { return id[0] != byte('0'+p) })
				if !slices.Equal(own, ids(fmt.Sprint(p, "-"), 1, 60)) {
					t.Errorf("the shared tenant got %v of %d", own, p)
				}
			}
		}
	}
}

// hold makes deliveries fail until letGo is called, so that items accumulate.
func hold(g *target) (letGo func()) {
	set := func(held bool) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.held = held
	}
	set(true)
	return func() { set(false) }
}

func TestJoin(t *testing.T) {
	g := newTarget()
	letGo := hold(g)
	o := testOptions(g)
	o.MaxJoinItems, o.MaxJoinBytes = 4, 1000
	dir := testkit.MemDir(t)
	q := mustOpen(t, dir, o)
	put := func(id string, codec uint8, size int) {
		mustPut(t, q, Item{Tenant: "t", Codec: codec, Body: body(id, size)})
	}
	for i := range 6 { // limited by count: 4 and 2
		put(fmt.Sprint("c", i), 1, 10)
	}
	put("other", 2, 10) // separated by codec: 1
	for i := range 4 {  // limited by bytes: 2 and 2
		put(fmt.Sprint("b", i), 1, 450)
	}
	put("large", 1, 5000) // exceeds the limit: alone
	mustClose(t, q)
	letGo()
	q = mustOpen(t, dir, o)
	drained(t, q)
	mustClose(t, q)
	want := append(append(ids("c", 0, 5), "other"), append(ids("b", 0, 3), "large")...)
	if got := g.delivered("t"); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if want := []int{4, 2, 1, 2, 2, 1}; !slices.Equal(g.calls["t"], want) {
		t.Errorf("calls of %v items, want %v", g.calls["t"], want)
	}
}

// The items of a rejected call are delivered again, one by one. Only items that are rejected alone
// are lost. They are counted, with their notes.
func TestRefused(t *testing.T) {
	g := newTarget()
	bad := []string{"x2", "x5", "x9"}
	tries := 0
	g.verdict = func(_ string, ids []string) Verdict {
		for _, id := range ids {
			if id == "x3" && len(ids) == 1 && tries < 3 { // single items are retried too
				tries++
				return Verdict{Err: errDown}
			}
			if slices.Contains(bad, id) {
				return Verdict{Kind: Refused, Err: errors.New("bad " + id)}
			}
		}
		return Verdict{Kind: Delivered}
	}
	letGo := hold(g)
	o := testOptions(g)
	o.MaxJoinItems = 4
	q := mustOpen(t, testkit.MemDir(t), o)
	for i, id := range ids("x", 1, 12) {
		mustPut(t, q, Item{Tenant: "t", Note: [4]uint32{1, uint32(i), 0, 1 << 31}, Body: body(id, 20)})
	}
	eventually(t, "a joined call has failed", func() bool { return q.Stats().Retries > 3 })
	letGo()
	drained(t, q)
	checkStats(t, q)
	want := slices.DeleteFunc(ids("x", 1, 12), func(id string) bool { return slices.Contains(bad, id) })
	if got := g.delivered("t"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if want := []int{4, 1, 1, 1, 1, 1, 1, 1, 4, 1, 1, 1, 1, 4, 1, 1, 1, 1}; !slices.Equal(g.calls["t"], want) {
		t.Errorf("calls of %v items, want %v", g.calls["t"], want)
	}
	st := q.Stats()
	if want := (Count{Items: 3, Notes: [4]uint64{3, 1 + 4 + 8, 0, 3 << 31}}); st.Refused != want {
		t.Errorf("refused: %+v, want %+v", st.Refused, want)
	}
	for ts := range q.Tenants {
		if ts.Tenant != "t" || ts.Refused != st.Refused || ts.Delivered != st.Delivered || ts.Delivered.Items != 9 || ts.Err != nil || ts.Pause != 0 {
			t.Errorf("%+v", ts)
		}
	}
}

// A failing tenant with many items does not delay other tenants, and does not occupy the only
// worker.
func TestDeadTenant(t *testing.T) { synctest.Test(t, testDeadTenant) }

func testDeadTenant(t *testing.T) {
	g := newTarget()
	g.verdict = func(tenant string, _ []string) Verdict {
		if tenant == "dead" {
			return Verdict{Err: errDown, After: 20 * time.Millisecond}
		}
		return Verdict{Kind: Delivered}
	}
	o := testOptions(g)
	o.Workers = 1
	q := mustOpen(t, testkit.MemDir(t), o)
	began := time.Now()
	for i := range 200 {
		for _, tenant := range []string{"dead", "one", "two"} {
			mustPut(t, q, Item{Tenant: tenant, Body: body(fmt.Sprint(i), 10)})
		}
	}
	eventually(t, "the others have all", func() bool { return len(g.delivered("one")) == 200 && len(g.delivered("two")) == 200 })
	time.Sleep(time.Millisecond) // the clock advances only when all goroutines wait; then the age of waiting items exceeds 0
	g.mu.Lock()
	calls := len(g.calls["dead"])
	g.mu.Unlock()
	if most := int(time.Since(began)/(20*time.Millisecond)) + 1; calls < 1 || calls > most {
		t.Errorf("the dead tenant was tried %d times, at most %d are due", calls, most)
	}
	st := q.Stats()
	if st.Items != 200 || st.Tenants != 1 || st.Oldest <= 0 || st.Retries < 1 {
		t.Errorf("%+v", st)
	}
	for ts := range q.Tenants {
		if dead := ts.Tenant == "dead"; (ts.Items > 0) != dead || errors.Is(ts.Err, errDown) != dead || (ts.Oldest > 0) != dead || (ts.Pause > 0) != dead {
			t.Errorf("%+v", ts)
		}
	}
	checkStats(t, q)
}

// Pauses grow up to longestPause, and restart from firstPause after a success.
func TestPauses(t *testing.T) { synctest.Test(t, testPauses) }

func testPauses(t *testing.T) {
	g := newTarget()
	var mu sync.Mutex
	var at []time.Time
	fail := 6
	g.verdict = func(string, []string) Verdict {
		mu.Lock()
		defer mu.Unlock()
		at = append(at, time.Now())
		if fail--; fail >= 0 {
			return Verdict{Err: errDown}
		}
		fail = 2
		return Verdict{Kind: Delivered}
	}
	o := testOptions(g)
	o.firstPause, o.longestPause = 8*time.Millisecond, 64*time.Millisecond
	q := mustOpen(t, testkit.MemDir(t), o)
	mustPut(t, q, Item{Tenant: "t", Body: body("1", 0)}, Item{Tenant: "t", Body: body("2", 0)})
	drained(t, q)
	pauses := []time.Duration{8, 16, 32, 64, 64, 64, 0, 8, 16}
	for i, longest := range pauses {
		longest *= time.Millisecond
		if pause := at[i+1].Sub(at[i]); pause < longest*3/4 || pause > longest {
			t.Errorf("pause %d was %v, from three quarters of %v to all of it were due", i, pause, longest)
		}
	}
	if len(at) != len(pauses)+1 {
		t.Errorf("%d calls", len(at))
	}
}

// Close ends pauses at once. It lets Deliver run until the end of its context. After the next Open,
// the undelivered items are delivered once.
func TestClose(t *testing.T) { synctest.Test(t, testClose) }

func testClose(t *testing.T) {
	g := newTarget()
	entered := make(chan bool, 2)
	o := testOptions(g)
	o.Deliver = func(ctx context.Context, tenant string, items []*Item) Verdict {
		if tenant == "paused" {
			return Verdict{After: time.Hour}
		}
		if idOf(items[0].Body) == "slow" {
			entered <- true
			<-ctx.Done()
			return Verdict{Err: ctx.Err()}
		}
		return g.deliver(ctx, tenant, items)
	}
	o.noteInterval = time.Hour // only Close writes the note
	dir := testkit.MemDir(t)
	q := mustOpen(t, dir, o)
	for _, id := range []string{"1", "2", "slow", "3"} {
		mustPut(t, q, Item{Tenant: "t", Body: body(id, 0)}, Item{Tenant: "paused", Body: body(id, 0)})
	}
	<-entered
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := q.Close(ctx); err != nil {
		t.Error(err)
	}
	if d := time.Since(began); d != 30*time.Millisecond {
		t.Errorf("Deliver was given %v of 30 ms", d)
	}
	if err := q.Put([]Item{{Tenant: "t"}}); !errors.Is(err, ErrClosed) {
		t.Errorf("Put: %v", err)
	}
	if err := q.Close(ctx); err != nil {
		t.Errorf("closed again: %v", err)
	}

	o.Deliver = g.deliver
	q = mustOpen(t, dir, o)
	if st := q.Stats(); st.Taken.Items != 6 {
		t.Errorf("%+v", st)
	}
	drained(t, q)
	if got := g.delivered("t"); !slices.Equal(got, []string{"1", "2", "slow", "3"}) {
		t.Errorf("got %v", got)
	}
	if got := g.delivered("paused"); !slices.Equal(got, []string{"1", "2", "slow", "3"}) {
		t.Errorf("got %v", got)
	}
}

// No pause ends after Close.
func TestCloseEndsPauses(t *testing.T) { synctest.Test(t, testCloseEndsPauses) }

func testCloseEndsPauses(t *testing.T) {
	o := testOptions(nil)
	o.Deliver = func(context.Context, string, []*Item) Verdict { return Verdict{After: 20 * time.Millisecond} }
	q := mustOpen(t, testkit.MemDir(t), o)
	mustPut(t, q, Item{Tenant: "t"})
	eventually(t, "it is tried", func() bool { return q.Stats().Retries > 0 })
	mustClose(t, q)
	before := q.tenants["t"].state
	time.Sleep(50 * time.Millisecond)
	q.mu.Lock()
	defer q.mu.Unlock()
	if after := q.tenants["t"].state; after != before {
		t.Errorf("the tenant was in state %d and is in state %d", before, after)
	}
}

// After a restart, Deliver gets exactly the items that were put.
func TestItemsAreWhole(t *testing.T) {
	dir := testkit.MemDir(t)
	o := testOptions(nil)
	o.Deliver = func(context.Context, string, []*Item) Verdict { return Verdict{} }
	q := mustOpen(t, dir, o)
	want := []Item{
		{Tenant: "t", Codec: 255, Note: [4]uint32{0, 1, 1 << 31, 1<<32 - 1}, Body: body("whole", 3000)},
		{Tenant: "", Body: nil},
		{Tenant: "u\x00\xff", Codec: 7, Body: []byte{0}},
	}
	before := time.Now().Truncate(time.Microsecond)
	mustPut(t, q, want...)
	mustClose(t, q)
	var mu sync.Mutex
	var got []Item
	o.Deliver = func(_ context.Context, _ string, items []*Item) Verdict {
		mu.Lock()
		defer mu.Unlock()
		it := *items[0]
		it.Body = slices.Clone(it.Body)
		got = append(got, it)
		return Verdict{Kind: Delivered}
	}
	q = mustOpen(t, dir, o)
	drained(t, q)
	slices.SortFunc(got, func(a, b Item) int { return int(a.Order) - int(b.Order) })
	for i, w := range want {
		if w.Order, w.Time = 1<<indexBits+uint64(i), got[i].Time; fmt.Sprint(got[i]) != fmt.Sprint(w) || w.Time.Before(before) || w.Time.After(time.Now()) {
			t.Errorf("got %v, want %v", got[i], w)
		}
	}
}

func TestPutRefuses(t *testing.T) {
	q := mustOpen(t, testkit.MemDir(t), testOptions(newTarget()))
	if err := q.Put(make([]Item, maxItems+1)); err == nil {
		t.Error("too many items")
	}
	if err := q.Put([]Item{{Tenant: string(make([]byte, maxTenant+1))}}); err == nil {
		t.Error("a name that is too long")
	}
	if err := q.Put(nil); err != nil || q.Stats().Log.LastSeq != 0 {
		t.Errorf("no items: %v", err)
	}
	many := make([]Item, maxItems)
	for i := range many {
		many[i].Body = body("1", 0)
	}
	mustPut(t, q, many...)
	drained(t, q)
	if _, err := Open(testkit.MemDir(t), Options{}); err == nil {
		t.Error("Open without Deliver")
	}
}

// A progress note that could not be written is written together with the next note.
func TestNoteFails(t *testing.T) {
	dir := testkit.MemDir(t)
	o := testOptions(newTarget())
	o.noteInterval = time.Hour
	q := mustOpen(t, dir, o)
	mustPut(t, q, Item{Tenant: "t", Body: body("1", 0)})
	drained(t, q)
	if err := q.log.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := q.note(); !errors.Is(err, wal.ErrClosed) {
			t.Errorf("note: %v", err)
		}
	}
	if err := q.Close(context.Background()); !errors.Is(err, wal.ErrClosed) {
		t.Errorf("Close: %v", err)
	}
	q = mustOpen(t, dir, o)
	drained(t, q)
	if st := q.Stats(); st.Delivered.Items != 1 {
		t.Errorf("%+v", st)
	}
}

// The logger gets the number of losses and one example, in one line per interval. It does not get
// one line per loss or per tick of the keeper.
func TestReport(t *testing.T) {
	var mu sync.Mutex
	lines, counted := 0, int64(0)
	o := testOptions(nil)
	o.Logger = slog.New(handler(func(r slog.Record) {
		if r.Message != messages[refused] {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		lines++
		r.Attrs(func(a slog.Attr) bool {
			switch a.Key {
			case "count":
				counted += a.Value.Int64()
			case "for_example", "error":
				if text := a.Value.String(); text != "t" && text != errDown.Error() {
					t.Errorf("%v", a)
				}
			}
			return true
		})
	}))
	o.Deliver = func(context.Context, string, []*Item) Verdict { return Verdict{Kind: Refused, Err: errDown} }
	o.reportInterval = time.Hour
	q := mustOpen(t, testkit.MemDir(t), o)
	for range 1000 {
		mustPut(t, q, Item{Tenant: "t"})
	}
	drained(t, q)
	mustClose(t, q)
	if lines != 1 || counted != 1000 {
		t.Errorf("%d lines for %d items", lines, counted)
	}
}

type handler func(slog.Record)

func (handler) Enabled(context.Context, slog.Level) bool        { return true }
func (h handler) Handle(_ context.Context, r slog.Record) error { h(r); return nil }
func (h handler) WithAttrs([]slog.Attr) slog.Handler            { return h }
func (h handler) WithGroup(string) slog.Handler                 { return h }

// gatedDisk is a disk whose Datasync calls the function `sync` first.
type gatedDisk struct {
	disk.Disk
	sync func()
}

type gatedFile struct {
	disk.File
	sync func()
}

func (d gatedDisk) Open(path string, flag int, mode fs.FileMode) (disk.File, error) {
	f, err := d.Disk.Open(path, flag, mode)
	if err != nil {
		return nil, err
	}
	return gatedFile{f, d.sync}, nil
}

func (f gatedFile) Datasync() error {
	f.sync()
	return f.File.Datasync()
}

// Items that reach the disk in the same commit are delivered together.
func TestJoinWithinCommit(t *testing.T) {
	g := newTarget()
	o := testOptions(g)
	o.MaxJoinItems = 10
	var once sync.Once
	entered, release := make(chan bool), make(chan bool)
	o.WAL.Disk = gatedDisk{disk.OS, func() {
		once.Do(func() {
			entered <- true
			<-release
		})
	}}
	q := mustOpen(t, testkit.MemDir(t), o)
	var puts sync.WaitGroup
	put := func(tenant string) {
		puts.Go(func() {
			if err := q.Put([]Item{{Tenant: tenant, Body: body("1", 10)}}); err != nil {
				t.Error(err)
			}
		})
	}
	put("first")
	<-entered
	for range 5 {
		put("t")
	}
	eventually(t, "five records wait for the first commit", func() bool { return q.Stats().Log.Waiting == 6 })
	release <- true
	puts.Wait()
	drained(t, q)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Equal(g.calls["t"], []int{5}) {
		t.Errorf("calls of %v items, want one of 5", g.calls["t"])
	}
}
