package relay

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/queue"
)

func urls(sinks ...*sink) (list []string) {
	for _, s := range sinks {
		list = append(list, s.URL)
	}
	return list
}

// samplesFor returns the number of a tenant's samples at a sink, and how many of them are
// different.
func samplesFor(s *sink, tenant string) (all, different int) {
	list := s.got()[tenant]
	return len(list), len(slices.Compact(list))
}

// Without a queue, the sender gets a success only if every target has accepted all series. If the
// sender repeats the request, only targets that have not accepted it get it again.
func TestReplicate(t *testing.T) {
	for _, version := range versions {
		x, y, z := newSink(t), newSink(t), newSink(t)
		r := newRig(t, Options{Targets: urls(x, y, z), Replicate: true})
		list := []remotewrite.Series{of("a", 1), of("a", 2), of("b", 3)}
		r.send(t, version, list...).want(t, 204)
		for i, s := range []*sink{x, y, z} {
			if a, _ := samplesFor(s, "a"); a != 2 || len(s.got()["b"]) != 1 {
				t.Errorf("target %d got %v", i, s.got())
			}
		}
		y.answers(status("a", 500))
		list = []remotewrite.Series{of("a", 11), of("b", 13)}
		for range 3 {
			r.send(t, version, list...).want(t, 503, "tenant a")
		}
		y.answers(nil)
		answer := r.send(t, version, list...)
		answer.want(t, 204)
		if version == remotewrite.V2 && answer.header.Get(samplesHeader) != "2" {
			t.Errorf("written: %s", answer.header.Get(samplesHeader))
		}
		for i, s := range []*sink{x, y, z} {
			for tenant, want := range map[string]int{"a": 3, "b": 2} {
				if all, different := samplesFor(s, tenant); all != want || different != want {
					t.Errorf("version %d: target %d got %d samples of %s, %d different ones, want %d", version, i, all, tenant, different, want)
				}
			}
		}
		taken := int64(0)
		for _, st := range r.Tenants() {
			taken += st.Taken.Samples
		}
		if taken != 5 {
			t.Errorf("version %d: %d samples were taken, and each counts once", version, taken)
		}
		// The sender is told if a single target rejects series permanently.
		z.answers(status("b", 400))
		r.send(t, version, of("a", 21), of("b", 23)).want(t, 400, "1 series", "tenant b")
	}
}

// With replication, the parcel of a tenant becomes a group of parcels that share their bytes. All
// targets get the same series, each under its own tenant. leak_test.go tests that bytes are not
// reused while a target still reads them.
func TestReplicatedBytesAreTheirOwn(t *testing.T) {
	x, y := newSink(t), newSink(t)
	r := newRig(t, Options{Targets: urls(x, y), Replicate: true})
	for i := range 50 {
		var list []remotewrite.Series
		for j := range 5 + i%3*200 { // small parcels share a post, and large ones are compressed early
			for _, tenant := range []string{"a", "b", "c"} {
				list = append(list, seriesWith(float64(j), "__name__", "up", "__tenant__", tenant, "of", tenant, "i", fmt.Sprint(i, " ", j)))
			}
		}
		r.send(t, versions[i%2], list...).want(t, 204)
	}
	for _, s := range []*sink{x, y} {
		for _, p := range s.posts {
			for _, one := range p.request.Series {
				for _, l := range one.Labels {
					if l.Name == "of" && l.Value != p.tenant {
						t.Fatalf("%s got a series of %s", p.tenant, l.Value)
					}
				}
			}
		}
	}
	if x, y := x.got(), y.got(); fmt.Sprint(x) != fmt.Sprint(y) || len(x) != 3 {
		t.Error("the targets have got different series")
	}
}

// With DeadTarget: Drop, a target that is down causes no error, and only this target misses the
// series. If all targets are down, the sender gets an error and can retry.
func TestDeadTargetIsDropped(t *testing.T) {
	x, y := newSink(t), newSink(t)
	r := newRig(t, Options{Targets: urls(x, y), Replicate: true, DeadTarget: Drop})
	down := func(w http.ResponseWriter, p *post) bool { panic(http.ErrAbortHandler) }
	y.answers(down)
	for i := 0; ; i++ { // until the circuit of the target, or of the tenant at this target, is open
		if a := r.send(t, remotewrite.V1, of("a", float64(i))); a.status == 204 {
			break
		} else if a.want(t, 503); i > breakerFailures {
			t.Fatal("the dead target holds the other one")
		}
	}
	had, _ := samplesFor(x, "a")
	r.send(t, remotewrite.V1, of("a", 100), of("a", 101)).want(t, 204)
	if all, _ := samplesFor(x, "a"); all != had+2 {
		t.Errorf("the healthy target got %d samples, and had %d", all, had)
	}
	missed := map[string]int64{}
	for _, st := range r.Stats().Targets {
		missed[st.Name] = st.Missed
	}
	if missed[r.targets[0].name()] != 0 || missed[r.targets[1].name()] != 3 {
		t.Errorf("missed: %v", missed)
	}
	x.answers(down)
	for i := range 2 * breakerFailures {
		r.send(t, remotewrite.V1, of("a", 200+float64(i))).want(t, 503)
	}
}

// With a queue, each target is served at its own pace, even across restarts. Series that one target
// does not accept wait for this target only.
func TestReplicatedQueue(t *testing.T) {
	x, y := newSink(t), newSink(t)
	y.answers(status("", 500))
	dir := t.TempDir()
	o := Options{Targets: urls(x, y), Replicate: true, Queue: &QueueOptions{Dir: dir}}
	open := func(o Options) *rig {
		t.Helper()
		return newRig(t, o)
	}
	r := open(o)
	for i := range 10 {
		r.send(t, remotewrite.V1, of("a", float64(i)), of("b", float64(i))).want(t, 204)
		waitFor(t, "the healthy target", func() bool { return len(x.got()["a"]) == i+1 && len(x.got()["b"]) == i+1 })
	}
	r.server.Close()
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	waiting := func(r *rig) (n int) {
		q, _ := r.Queue()
		return q.Items
	}

	// With other targets in the settings, the copies wait in the queue, and no other target gets
	// them.
	z := newSink(t)
	r = open(Options{Targets: urls(z), Queue: o.Queue})
	r.send(t, remotewrite.V1, of("c", 1)).want(t, 204)
	waitFor(t, "the line of c", func() bool { return len(z.got()["c"]) == 1 })
	waitFor(t, "the copies to be what waits", func() bool { return waiting(r) == 20 })
	if len(z.got()["a"]) != 0 {
		t.Errorf("another target got %v", z.got())
	}
	r.server.Close()
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}

	dropping := *o.Queue
	dropping.Dir = t.TempDir()
	if err := os.CopyFS(dropping.Dir, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	r = open(Options{Targets: urls(z), Queue: &dropping, RejectedTenant: Drop})
	waitFor(t, "the copies to be dropped", func() bool { q, _ := r.Queue(); return q.Items == 0 && q.Refused.Items == 20 })
	r.server.Close()
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}

	r = open(o)
	if n := waiting(r); n != 20 {
		t.Errorf("%d items wait", n)
	}
	names := make(map[string]bool)
	for _, st := range r.QueueTenants() {
		if names[st.Name] || st.Name != others && st.Name != "a" && st.Name != "b" {
			t.Errorf("%+v", st)
		}
		names[st.Name] = true
	}
	y.answers(nil)
	waitFor(t, "the other target", func() bool { return waiting(r) == 0 })
	for i, s := range []*sink{x, y} {
		for _, tenant := range []string{"a", "b"} {
			if all, different := samplesFor(s, tenant); all != 10 || different != 10 {
				t.Errorf("target %d got %d samples of %s, %d different ones", i, all, tenant, different)
			}
		}
	}
	if a := y.posts[0]; a.request.Series[0].Samples[0].Value != 0 {
		t.Errorf("the order is not that in which they came: %+v", a.request)
	}
}

// The line of a target that is down fills up, but does not use up the space of other targets. With
// DropOldest, senders get no errors.
func TestReplicatedQueueIsFullForOneTarget(t *testing.T) {
	for _, drop := range []bool{false, true} {
		x, y := newSink(t), newSink(t)
		y.answers(status("", 500))
		r := newRig(t, Options{Targets: urls(x, y), Replicate: true, Queue: &QueueOptions{Dir: t.TempDir(), Options: queue.Options{MaxBytes: 4000, DropOldest: drop}}})
		last := 0
		for i := range 30 {
			a := r.send(t, remotewrite.V1, of("a", float64(i)), of("b", float64(i)))
			if last = a.status; last == 503 {
				if drop {
					t.Fatal(a.body)
				}
				a.want(t, 503, `no space for tenant "b"`, "full")
			}
			waitFor(t, "the healthy target", func() bool { return len(x.got()["a"]) == i+1 && len(x.got()["b"]) == i+1 })
		}
		if !drop && last != 503 {
			t.Error("the line of the dead target was never full")
		}
		if q, _ := r.Queue(); drop != (q.Dropped.Bytes.Items > 0) {
			t.Errorf("drop %v: %+v", drop, q.Dropped)
		}
	}
}

func TestReplicationIsChecked(t *testing.T) {
	for _, o := range []Options{
		{Targets: []string{"http://a"}, Replicate: true},
		{Targets: []string{"http://a", "http://b"}, DeadTarget: Drop},
		{Targets: []string{"http://a", "http://b"}, Replicate: true, DeadTarget: Drop, Queue: &QueueOptions{Dir: t.TempDir()}},
		{Targets: []string{"http://a", "http://b"}, Replicate: true, DeadTarget: Fallback},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v is taken", o)
		}
	}
}
