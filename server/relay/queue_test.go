package relay

import (
	"crypto/rand"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/queue"
)

// If the queue of a tenant is full because its target fails, series of other tenants still enter
// the queue.
func TestFullQueueOfOneTenant(t *testing.T) {
	s := newSink(t)
	s.answers(status("b", 500))
	o := Options{Targets: []string{s.URL}, Queue: &QueueOptions{Dir: t.TempDir()}}
	o.Queue.Options = queue.Options{MaxTenantBytes: 500}
	r := newRig(t, o)
	full := false
	for i := range 10 {
		a := r.send(t, remotewrite.V1, of("a", float64(i)), of("b", float64(i)), of("c", float64(i)))
		if a.status == 503 {
			a.want(t, 503, "tenant b", "full")
			full = true
		} else {
			a.want(t, 204)
		}
		waitFor(t, "what is in the queue to be delivered", func() bool { return len(s.got()["a"]) == i+1 && len(s.got()["c"]) == i+1 })
	}
	if !full {
		t.Error("the queue was never full")
	}
	s.answers(nil)
	waitFor(t, "the other tenant's", func() bool { return len(s.got()["b"]) > 0 })
	time.Sleep(10 * time.Millisecond)
	for _, tenant := range []string{"a", "c"} {
		if n := len(s.got()[tenant]); n != 10 {
			t.Errorf("%d samples for %s", n, tenant)
		}
	}
}

// A series that can never fit into the queue is rejected permanently, so that its sender does not
// retry forever. The other series of the request are accepted.
func TestItemLargerThanTheQueue(t *testing.T) {
	for name, bounds := range map[string]queue.Options{"of a tenant": {MaxTenantBytes: 500}, "of all": {MaxBytes: 500}} {
		s := newSink(t)
		r := newRig(t, Options{Targets: []string{s.URL}, Queue: &QueueOptions{Dir: t.TempDir(), Options: bounds}})
		large := of("b", 1)
		for range 25 {
			large.Labels = append(large.Labels, remotewrite.Label{Name: "x" + rand.Text(), Value: rand.Text()})
		}
		r.send(t, remotewrite.V1, of("a", 1), large).want(t, 400, "tenant b", "one item of tenant", "exceeds the limit", "raise the limit")
		waitFor(t, name, func() bool { return len(s.got()["a"]) == 1 })
		if n := len(s.got()["b"]); n != 0 {
			t.Errorf("%d samples for b", n)
		}
	}
}
