package queue

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/server/testkit"
)

// spoil changes one byte of each of these bodies in the log's files.
func spoil(t *testing.T, dir string, bodies ...[]byte) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.wal"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range bodies {
			if at := bytes.Index(b, body); at >= 0 {
				b[at+len(body)-1] ^= 1
			}
		}
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteAt(b, 0)
			f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Items that cannot be read back from the disk are lost and counted. All other items are delivered:
// of the same call, of the same tenant and of other tenants.
func TestDamage(t *testing.T) {
	for _, join := range []int{1, 5} {
		g := newTarget()
		letGo := hold(g)
		o := testOptions(g)
		o.Memory, o.MaxJoinItems = -1, join
		dir := testkit.MemDir(t)
		q := mustOpen(t, dir, o)
		for i := 1; i <= 20; i++ {
			mustPut(t, q, Item{Tenant: "t", Note: [4]uint32{uint32(i)}, Body: body(fmt.Sprint("t", i), 50)}, Item{Tenant: "u", Body: body(fmt.Sprint("u", i), 50)})
		}
		lost := []string{"t1", "t2", "t3", "t9", "t20"}
		for _, id := range lost {
			spoil(t, dir, body(id, 50))
		}
		letGo()
		drained(t, q)
		checkStats(t, q)
		if got, want := g.delivered("t"), slices.DeleteFunc(ids("t", 1, 20), func(id string) bool { return slices.Contains(lost, id) }); !slices.Equal(got, want) {
			t.Errorf("t got %v", got)
		}
		if got := g.delivered("u"); !slices.Equal(got, ids("u", 1, 20)) {
			t.Errorf("u got %v", got)
		}
		if got, want := q.Stats().Dropped.Damage, (Count{5, [4]uint64{1 + 2 + 3 + 9 + 20}}); got != want {
			t.Errorf("damage: %+v, want %+v", got, want)
		}
		for ts := range q.Tenants {
			if want := map[string]int64{"t": 5}[ts.Tenant]; ts.Dropped.Damage.Items != want {
				t.Errorf("%+v", ts)
			}
		}
	}
}

// A segment with unreadable items is released after the move of its items. The unreadable items are
// lost and counted when their delivery is due.
func TestDamageWhileMoving(t *testing.T) {
	g := deadTarget()
	dir := testkit.MemDir(t)
	q, _ := movable(t, dir, g)
	for _, id := range []string{"1", "2", "5"} {
		spoil(t, dir, body(id, 1000))
	}
	s := moveAll(t, q)
	released(t, q, s)
	checkStats(t, q)
	g.alive.Store(true)
	drained(t, q)
	checkStats(t, q)
	want := slices.DeleteFunc(ids("", 1, 80), func(id string) bool { return id == "1" || id == "2" || id == "5" })
	if got := g.delivered("dead"); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if st := q.Stats(); st.Dropped.Damage.Items != 3 {
		t.Errorf("%+v", st)
	}
}

// An item is kept and retried while its segment cannot be opened.
func TestReadFailureThatPasses(t *testing.T) {
	g := newTarget()
	letGo := hold(g)
	o := testOptions(g)
	o.Memory = -1
	dir := testkit.MemDir(t)
	q := mustOpen(t, dir, o)
	mustPut(t, q, Item{Tenant: "t", Body: body("1", 50)})
	segment := filepath.Join(dir, "00000001.wal")
	aside, loop := segment+".aside", segment+".loop"
	for _, err := range []error{os.Link(segment, aside), os.Symlink(filepath.Base(segment), loop), os.Rename(loop, segment)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "it cannot be read", func() bool {
		for ts := range q.Tenants {
			return errors.Is(ts.Err, syscall.ELOOP) && ts.Items == 1
		}
		return false
	})
	letGo()
	if err := os.Rename(aside, segment); err != nil {
		t.Fatal(err)
	}
	drained(t, q)
	if st := q.Stats(); st.Delivered.Items != 1 {
		t.Errorf("%+v", st)
	}
}
