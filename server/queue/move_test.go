package queue

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// deadTarget delivers to all tenants except "dead".
func deadTarget() *target {
	g := newTarget()
	g.verdict = func(tenant string, _ []string) Verdict {
		if tenant == "dead" && !g.alive.Load() {
			return Verdict{Err: errDown}
		}
		return Verdict{Kind: Delivered}
	}
	return g
}

// The few items of a failing tenant do not hold back the log while other tenants put a hundred
// times as many bytes. In the end its items are delivered once and in order. This holds after
// restarts, and with or without bodies in memory.
func TestDeadTenantDoesNotPinTheLog(t *testing.T) {
	for _, tc := range []struct{ memory, budget int64 }{{-1, 0}, {1 << 20, 0}, {20_000, 150_000}} {
		g := deadTarget()
		o := testOptions(g)
		o.Memory, o.WAL.MaxBytes = tc.memory, tc.budget
		dir := testkit.MemDir(t)
		q := mustOpen(t, dir, o)
		dead, most, rewritten := 0, int64(0), int64(0)
		for i := 1; i <= 3000; i++ {
			items := []Item{{Tenant: "busy", Body: body(fmt.Sprint(i), 2000)}}
			if i%60 == 1 || i < 30 {
				dead++
				items = append(items, Item{Tenant: "dead", Body: body(fmt.Sprint(dead), 500)})
			}
			for {
				err := q.Put(items)
				if err == nil {
					break
				} else if !errors.Is(err, wal.ErrFull) {
					t.Fatal(err)
				}
				time.Sleep(time.Millisecond)
			}
			if i%100 == 0 { // when other tenants' items are delivered, the log becomes small
				eventually(t, "busy is done", func() bool { return q.Stats().Items == dead })
				st := q.Stats()
				bound := 2*st.Live + 3*o.WAL.SegmentBytes
				eventually(t, "the log is small", func() bool { return q.Stats().Log.Size <= bound })
				most = max(most, q.Stats().Log.Size)
			}
			if i%1000 == 0 {
				checkStats(t, q)
				rewritten += q.Stats().Rewritten
				mustClose(t, q)
				q = mustOpen(t, dir, o)
				if q.Stats().Items != dead {
					t.Fatalf("%d items after the restart, want %d", q.Stats().Items, dead)
				}
			}
		}
		if rewritten == 0 || rewritten > 6_000_000 || most > 300_000 {
			t.Errorf("a log of up to %d bytes, %d rewritten", most, rewritten)
		}
		t.Logf("memory %d, budget %d: put 6 MB, a log of up to %d bytes, %d rewritten", tc.memory, tc.budget, most, rewritten)
		mustClose(t, q)
		g.alive.Store(true)
		q = mustOpen(t, dir, o)
		drained(t, q)
		checkStats(t, q)
		if got := g.delivered("dead"); !slices.Equal(got, ids("", 1, dead)) {
			t.Errorf("dead got %v", got)
		}
		if got := g.delivered("busy"); !slices.Equal(got, ids("", 1, 3000)) {
			t.Errorf("busy got %d items", len(got))
		}
		mustClose(t, q)
	}
}

// movable opens a queue in dir whose keeper sleeps. Its segments contain items of the tenant "dead"
// and of another tenant.
func movable(t *testing.T, dir string, g *target) (*Queue, Options) {
	o := testOptions(g)
	o.noteInterval, o.Memory = time.Hour, -1
	q := mustOpen(t, dir, o)
	for i := 1; i <= 80; i++ {
		mustPut(t, q, Item{Tenant: "dead", Note: [4]uint32{7}, Body: body(fmt.Sprint(i), 1000)}, Item{Tenant: "busy", Body: body(fmt.Sprint(i), 1500)})
	}
	eventually(t, "busy is done", func() bool { return q.Stats().Items == 80 })
	if st := q.Stats(); st.Rewritten > 0 || st.Log.Segments < 4 {
		t.Fatalf("%+v", st)
	}
	return q, o
}

// moveAll moves all items out of the oldest segment.
func moveAll(t *testing.T, q *Queue) *segment {
	t.Helper()
	q.mu.Lock()
	s := q.segments[0]
	items := q.oldest()
	q.mu.Unlock()
	if len(items) == 0 {
		t.Fatal("nothing is to move")
	}
	if err := q.move(items); err != nil {
		t.Fatal(err)
	}
	if s.ring.next != &s.ring {
		t.Fatal("something is still there")
	}
	return s
}

// released waits until the keeper has released s, the oldest segment.
func released(t *testing.T, q *Queue, s *segment) {
	t.Helper()
	eventually(t, "the segment is released", func() bool {
		return q.first() != s && q.log.ReadAt(make([]byte, 1), wal.Place{Segment: s.number}) != nil
	})
}

func (q *Queue) first() *segment {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.segments[0]
}

// After a crash between the move of items and the release of their segment, the log contains two
// copies of these items. The queue then contains each item once.
func TestCrashBetweenMoveAndRelease(t *testing.T) {
	dir := testkit.MemDir(t)
	q, o := movable(t, dir, deadTarget())
	type image struct {
		dir    string
		places map[uint64]where // places of the dead tenant's items, by order
	}
	var images []image
	shoot := func() {
		checkStats(t, q)
		images = append(images, image{crash(t, dir), places(q, "dead")})
	}
	shoot()
	for range 6 {
		q.mu.Lock()
		src := source{segment: q.segments[0]} // pinned, so that the keeper cannot release it
		src.segment.pins++
		q.mu.Unlock()
		moveAll(t, q)
		shoot()
		q.mu.Lock()
		q.unpin(src)
		q.mu.Unlock()
		released(t, q, src.segment)
		shoot()
	}
	if err := q.note(); err != nil {
		t.Fatal(err)
	}
	shoot()
	for n, image := range images {
		g := deadTarget()
		o.Deliver = g.deliver
		q := mustOpen(t, image.dir, o)
		st := q.Stats()
		busyItems := st.Taken.Items - 80 // busy's items, if their progress was not noted before the crash
		if busyItems < 0 || busyItems > 80 || st.Taken.Notes[0] != 560 {
			t.Errorf("image %d: %+v", n, st)
		}
		if !maps.Equal(places(q, "dead"), image.places) {
			t.Errorf("image %d: the items are not where and as old as they were", n)
		}
		g.alive.Store(true)
		drained(t, q)
		checkStats(t, q)
		if got := g.delivered("dead"); !slices.Equal(got, ids("", 1, 80)) {
			t.Errorf("image %d: %v", n, got)
		}
		mustClose(t, q)
	}
}

type where struct {
	segment      uint64
	offset, time int64
}

func places(q *Queue, tenant string) map[uint64]where {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := map[uint64]where{}
	for _, it := range q.tenants[tenant].items {
		all[it.order] = where{it.segment.number, it.offset, it.time}
	}
	return all
}

// Moving continues until the segment is released, even if no other event occurs.
func TestMovingGoesOn(t *testing.T) {
	o := testOptions(deadTarget())
	o.noteInterval, o.WAL.SegmentBytes = time.Hour, 4<<20
	q := mustOpen(t, testkit.MemDir(t), o)
	for i := range 50 {
		mustPut(t, q, Item{Tenant: "dead", Body: body(fmt.Sprint(i), 50_000)}) // one move cannot hold all of these items
	}
	s := q.first()
	for i := 0; q.Stats().Rewritten == 0; i++ {
		mustPut(t, q, Item{Tenant: "busy", Body: body(fmt.Sprint(i), 100_000)})
		eventually(t, "busy is done", func() bool { return q.Stats().Items == 50 })
		if i > 1000 {
			t.Fatal("nothing is moved")
		}
	}
	released(t, q, s)
	checkStats(t, q)
	if st := q.Stats(); st.Rewritten < 2_500_000 || st.Rewritten > 5_000_000 {
		t.Errorf("%+v", st)
	}
}

// If an item is delivered while it is being moved, its copy follows the progress note in the log.
// So the progress is noted again.
func TestDeliveredWhileMoving(t *testing.T) {
	g := deadTarget()
	dir := testkit.MemDir(t)
	q, o := movable(t, dir, g)
	mustClose(t, q) // notes the progress of busy; the dead tenant's items are delivered later

	q = mustOpen(t, dir, o)
	q.mu.Lock()
	items := q.oldest()
	q.mu.Unlock()
	g.alive.Store(true)
	drained(t, q)
	if err := q.note(); err != nil {
		t.Fatal(err)
	}
	noted := q.log.LastSeq()
	if err := q.move(items); err != nil {
		t.Fatal(err)
	}
	checkStats(t, q)
	mustClose(t, q)
	if q = mustOpen(t, dir, o); q.Stats().Taken.Items != 0 || len(items) == 0 {
		t.Errorf("%+v, of %d items", q.Stats(), len(items))
	}
	mustClose(t, q)

	// The log contains a second note, which remains when the first one leaves the log.
	notes := 0
	log, err := wal.Open(dir, o.WAL)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	err = log.Replay(func(r *wal.Record) error {
		if r.Type == typeProgress && r.Seq > noted {
			tenant, to, _, err := readNote(r.Payload)
			if string(tenant) == "dead" && to >= items[len(items)-1].item.order {
				notes++
			}
			return err
		}
		return nil
	})
	if err != nil || notes != 1 {
		t.Errorf("%d notes, %v", notes, err)
	}
}

// A body can be read from its original place even if its item moves during the read and the segment
// is about to be released.
func TestMovedWhileRead(t *testing.T) {
	g := deadTarget()
	q, _ := movable(t, testkit.MemDir(t), g)
	q.mu.Lock()
	s := q.segments[0]
	src := pin(s.ring.next)
	it := s.ring.next
	q.mu.Unlock()
	moveAll(t, q)
	q.release()
	if first := q.first(); first != s || it.segment == s {
		t.Fatal("the segment is gone, or the item is still there")
	}
	buf, err := q.read(&src, it, []byte("before"))
	if err != nil || src.lost != nil || idOf(src.body) != "1" || string(buf[:6]) != "before" || len(buf) != 1006 {
		t.Errorf("%q, %v, %v", src.body, err, src.lost)
	}
	q.mu.Lock()
	q.unpin(src)
	q.mu.Unlock()
	released(t, q, s)
	checkStats(t, q)
	if err := q.Close(context.Background()); err != nil {
		t.Error(err)
	}
}
