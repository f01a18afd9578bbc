package peers

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"testing"
)

// modes runs a test in the modes in which the relay may lose nothing. It responds either after the
// targets have responded, or after its queue has stored the request on disk.
func modes(t *testing.T, run func(t *testing.T, args ...string)) {
	t.Run("sync", func(t *testing.T) {
		t.Parallel()
		run(t)
	})
	t.Run("queue", func(t *testing.T) {
		t.Parallel()
		run(t, "--relay.queue="+t.TempDir())
	})
}

// chain is a Prometheus that scrapes a source and writes to a sink, through the relay.
type chain struct {
	t     *testing.T
	from  *source
	to    *sink
	relay *relay
	first *server
}

func newChain(t *testing.T, program string, args ...string) *chain {
	t.Helper()
	c := &chain{t: t, from: newSource(t), to: newSink(t)}
	c.relay = newRelay(t, c.to.URL, args...)
	c.first = newPrometheus(t, program, sender(program, c.from, c.relay.push()))
	c.flows()
	return c
}

// flows waits until new points have arrived for the given tenants, by default for all.
func (c *chain) flows(of ...string) {
	c.t.Helper()
	if of == nil {
		of = tenants
	}
	begin := int64(0)
	if times := c.from.scraped(); len(times) > 0 {
		begin = times[len(times)-1]
	}
	eventually(c.t, func() error {
		arrived, _ := c.to.all()
		for _, tenant := range of {
			if arrived[tenant].count(begin) == arrived[tenant].count(math.MaxInt64) {
				return fmt.Errorf("nothing new comes for %s", tenant)
			}
		}
		return nil
	})
}

// end stops the scraping. It returns the points that must arrive for each tenant, and the time of
// the last one.
func (c *chain) end() (want map[string]points, last int64) {
	c.t.Helper()
	c.from.fail()
	last = waitStale(c.t, c.first)
	return wantScraped(c.t, c.first, c.from).until(last).byTenant(), last
}

// wantAll waits until all points have arrived.
func (c *chain) wantAll() {
	c.t.Helper()
	want, last := c.end()
	wantAtSink(c.t, c.to, want, last)
	c.to.check(c.t)
}

// Nothing is lost when the relay is killed at any moment and started again later.
func TestKill(t *testing.T) {
	t.Parallel()
	for _, program := range []string{prometheusV1, prometheusV2} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			modes(t, func(t *testing.T, args ...string) {
				c := newChain(t, program, args...)
				for range times(4, 30) {
					c.relay.kill()
					scrape(t, c.from, 2)
					c.relay.restart()
					c.flows()
				}
				c.wantAll()
			})
		})
	}
}

// Nothing is lost or sent twice when the relay is stopped in good order.
func TestStop(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, args ...string) {
		c := newChain(t, prometheusV1, args...)
		for range times(4, 30) {
			c.relay.stop()
			scrape(t, c.from, 2)
			c.relay.restart()
			c.flows()
		}
		c.wantAll()
		if _, again := c.to.had(); again > 0 {
			t.Errorf("%d points came again", again)
		}
	})
}

// Nothing is lost when the target is killed at any moment and started again later.
func TestKillTarget(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, args ...string) {
		from, second := newSource(t), newPrometheus(t, prometheusV1, receiver())
		r := newRelay(t, second.url+"/api/v1/write", args...)
		first := newPrometheus(t, prometheusV1, sender(prometheusV1, from, r.push()))
		for range times(2, 20) {
			scrape(t, from, 10)
			second.kill()
			scrape(t, from, 2)
			second.start()
		}
		scrape(t, from, 2)
		from.fail()
		last := waitStale(t, first)
		wantAtServer(t, second, wantScraped(t, first, from), last)
	})
}

// Nothing is lost when the target returns temporary errors for a while. Points that it rejects
// permanently are lost by the protocol, and no other points.
func TestAnswers(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, args ...string) {
		c := newChain(t, prometheusV1, args...)
		statuses := []int{http.StatusInternalServerError, http.StatusTooManyRequests, http.StatusServiceUnavailable}
		if len(args) > 0 { // the queue keeps points that the target rejects because of the sender
			statuses = append(statuses, http.StatusUnauthorized, http.StatusNotFound)
		}
		for _, status := range statuses {
			for _, of := range []string{"", "beta"} {
				c.to.answers(func(r *http.Request, p *post) int {
					if of != "" && p.tenant != of {
						return 0
					}
					return status
				})
				scrape(t, c.from, 3)
				c.to.answers(nil)
				c.flows()
			}
		}
		c.to.mu.Lock()
		clear(c.to.refused) // these points have been accepted since
		c.to.mu.Unlock()
		c.to.answers(func(r *http.Request, p *post) int {
			if p.tenant != "beta" {
				return 0
			}
			return http.StatusBadRequest
		})
		scrape(t, c.from, 5)
		c.flows("alpha", "gamma")
		c.to.answers(nil)
		c.flows()
		want, last := c.end()
		eventually(t, func() error {
			arrived, refused := c.to.all()
			if len(refused["beta"]) == 0 {
				t.Fatal("the target refused nothing")
			}
			for tenant := range want {
				if err := differ(arrived[tenant].until(last), want[tenant].without(refused[tenant])); err != nil {
					return fmt.Errorf("tenant %s: %w", tenant, err)
				}
			}
			return nil
		})
		c.to.check(t)
	})
}

// dead contains the ways in which a target is dead for one tenant.
var dead = map[string]func(r *http.Request, p *post) int{
	"503": func(r *http.Request, p *post) int {
		if p.tenant != "beta" {
			return 0
		}
		return http.StatusServiceUnavailable
	},
	"silent": func(r *http.Request, p *post) int {
		if p.tenant != "beta" {
			return 0
		}
		<-r.Context().Done()
		return http.StatusServiceUnavailable
	},
}

// While the target is dead for one tenant, nothing is lost. Without a queue, the other tenants
// wait; with a queue, they continue.
func TestDeadTenant(t *testing.T) {
	t.Parallel()
	for name, answer := range dead {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			modes(t, func(t *testing.T, args ...string) {
				c := newChain(t, prometheusV1, append(args, "--relay.timeout=1s")...)
				c.to.answers(answer)
				scrape(t, c.from, 5)
				if len(args) > 0 {
					c.flows("alpha", "gamma")
				}
				scrape(t, c.from, 10)
				c.to.answers(nil)
				c.wantAll()
			})
		})
	}
}

// If a queue is full, the sender keeps its data.
func TestFullQueue(t *testing.T) {
	t.Parallel()
	c := newChain(t, prometheusV1, "--relay.queue="+t.TempDir(), "--relay.queue-tenant-max=20KiB", "--relay.max-body=19KiB")
	c.to.answers(dead["503"])
	eventually(t, func() error {
		if v, err := c.first.metric("prometheus_remote_storage_samples_retried_total", c.relay.push()); err != nil || v == 0 {
			return fmt.Errorf("%v samples came again, %v", v, err)
		}
		return nil
	})
	scrape(t, c.from, 10)
	c.to.answers(nil)
	c.wantAll()
}

// The series of a dead tenant can be dropped, so that the other tenants continue without a queue.
// Each dropped series has a single gap, which ends.
func TestDropDeadTenant(t *testing.T) {
	t.Parallel()
	for name, answer := range dead {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newChain(t, prometheusV1, "--relay.dead-tenant=drop", "--relay.timeout=1s")
			c.to.answers(answer)
			scrape(t, c.from, 5)
			c.flows("alpha", "gamma")
			scrape(t, c.from, 10)
			c.flows("alpha", "gamma")
			c.to.answers(nil)
			c.flows()
			want, last := c.end()
			eventually(t, func() error {
				arrived, _ := c.to.all()
				for tenant, p := range want {
					if tenant == "beta" {
						lost := gaps(p, arrived[tenant])
						if len(lost) == 0 {
							t.Fatal("nothing was dropped")
						}
						p = p.without(lost)
					}
					if err := differ(arrived[tenant].until(last), p); err != nil {
						return fmt.Errorf("tenant %s: %w", tenant, err)
					}
				}
				return nil
			})
			c.to.check(t)
		})
	}
}

// gaps returns the points of each series from its first missing point up to the next point that has
// arrived. A series that never continues has no gap.
func gaps(want, got points) points {
	lost := make(points)
	for series, at := range want {
		var gap []int64
		for _, time := range slices.Sorted(maps.Keys(at)) {
			if _, there := got[series][time]; !there {
				gap = append(gap, time)
			} else if gap != nil {
				for _, time := range gap {
					lost.put(series, time, at[time])
				}
				break
			}
		}
	}
	return lost
}
