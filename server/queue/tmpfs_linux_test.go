package queue

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/server/wal"
)

// On a real file system that is full, accepted items are delivered. Old items are moved into space
// that the log reserves for moves. Then Put succeeds again.
func TestTmpfs(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can mount a small file system")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=8m"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	g := deadTarget()
	o := testOptions(g)
	o.WAL.SegmentBytes, o.WAL.Reserve, o.Memory = 512<<10, 1<<20, -1
	letGo := hold(g)
	q := mustOpen(t, dir, o)
	n := 0
	for ; ; n++ {
		err := q.Put([]Item{{Tenant: "dead", Body: body(fmt.Sprint(n), 500)}, {Tenant: "t", Body: body(fmt.Sprint(n), 30_000)}})
		if errors.Is(err, wal.ErrLowDisk) {
			break
		} else if err != nil || n > 1000 {
			t.Fatal(n, err)
		}
	}
	if n < 100 || !q.Stats().Log.LowDisk {
		t.Errorf("full after %d; %+v", n, q.Stats())
	}
	letGo()
	eventually(t, "there is room again", func() bool {
		return q.Stats().Items == n && q.Put([]Item{{Tenant: "t", Body: body(fmt.Sprint(n), 30_000)}}) == nil
	})
	if st := q.Stats(); st.Rewritten == 0 {
		t.Errorf("%+v", st)
	}
	g.alive.Store(true)
	drained(t, q)
	checkStats(t, q)
	if got := g.delivered("t"); !slices.Equal(got, ids("", 0, n)) {
		t.Errorf("t got %v of %d", got, n)
	}
	if got := g.delivered("dead"); !slices.Equal(got, ids("", 0, n-1)) {
		t.Errorf("dead got %v of %d", got, n)
	}
	mustClose(t, q)
}
