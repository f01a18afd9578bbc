package service

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/memnet"
	"github.com/slipstream-go/slipstream/server/sim"
)

// Tests of the whole service over HTTP, on the simulated disk of package sim and a network in
// memory. Seeds determine the lives of the service.
//
//	sim_test.go         lives, and the known fates of rows and samples
//	sim_clients_test.go clients: requests of each format, invalid requests, alterations
//	sim_keys_test.go    keys: repeated requests, and several requests with one key at once
//	sim_series_test.go  Remote Write: where its series go, and what the targets got
//	sim_target_test.go  the two targets: they fail, are cut off, and fall behind
//	sim_end_test.go     the last life, and the comparison of the files with the model
//
// Each acknowledged row is stored exactly once, however often a request with a key was sent. Of
// several requests with one key, at most one is stored. No row of a rejected request is stored. A
// request of unknown fate is stored completely or not at all.
//
// A target gets each sample that was acknowledged for it at least once, and once more at most for
// each lost response. It gets the samples in order, and under the names of their tenants. With
// replication, this holds for each target, whatever happens to the other one. When the faults end,
// the service is ready and all rows land within minutes.
var services = sim.Plan{
	Seeds: 200,
	Life:  lives(toFiles, toFiles, toFiles, toFiles, queueAny, queueAny, queueEach, queueEach, queueEach, postAny, postEach, postLiving),
	Meets: []string{
		"crash: start", "crash: serve", "crash: close", "crash at Datasync", "crash at WriteVec", "crash at SyncDir", "crash at Rename",
		"Datasync fails: *", "WriteVec fails: *", "SyncDir fails: *", "Rename fails: *", "small disks", "slow disks", "small disks that recover",
		"lives that end with the process", "lives that end with the machine", "lives cut short", "ends in good order", "starts that fail",
		"json rows: acknowledged", "json columns: acknowledged", "ndjson: acknowledged", "msgpack rows: acknowledged", "msgpack columns: acknowledged",
		"schema: acknowledged", "arc: acknowledged", "partial: acknowledged", "async: acknowledged", "remote write: acknowledged", "queue: acknowledged",
		"remote write: sent again", "remote write: acknowledged when sent again", "queue: sent again",
		"queue, replicated: acknowledged", "relay: acknowledged", "relay, replicated: acknowledged", "relay, dead target dropped: acknowledged",
		"queue, replicated: sent again", "relay: acknowledged when sent again", "relay, replicated: acknowledged when sent again", "relay: refused in part",
		"rows of unknown fate", "rows refused", "rows that the service had no room for", "rows dropped", "rows rejected", "drops", "columns dropped", "types set", "types declared", "types refused", "flushes",
		"refused: a string for an int", "refused: half a body", "refused: unknown parameter", "refused: poisoned table", "refused: unknown type", "refused: second table of a batch",
		"refused: two keys", "refused: too large", "refused: wrong line", "refused: unknown schema", "refused: series without a name",
		"key: again", "key: again in another life", "key: again after an unknown fate", "key: other body", "key: after the window",
		"at once: answered as the one that is stored", "at once: answered as the one that was queued", "at once: other body", "at once: a client that gives up",
		"at once: stored after the refusal of another", "at once: refused after the refusal of another", "at once: the disk fails", "at once: the machine stops",
		"at once: beside a wrong one", "at once: a request of before",
		"target: 500", "target: 429", "target: hangs", "target: answer lost", "target: refuses", "target: deliveries in a later life", "target: cut off", "target: no connection", "target: no answer",
		"target: slow", "target: told", "lives beside a target that is away", "samples that a dead target misses", "copies that wait for a target without a name", "copies that catch up",
	},
}

// TestService runs seeds. Package sim describes how to repeat a seed, and the long form.
func TestService(t *testing.T) { sim.Run(t, services) }

// The same seed gives the same trace again. The relay is left out, because goroutines of its HTTP
// transport wake up at the same moment.
func TestServiceReplays(t *testing.T) {
	sim.Replays(t, sim.Plan{Life: lives(toFiles)}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
}

// lives returns a function that runs several lives of a service. In each life, series go one of the
// ways.
func lives(ways ...way) func(*sim.World) {
	return func(w *sim.World) {
		m := newModel(w)
		m.ways = ways
		w.Lives(3, m.live, m.end)
	}
}

// fate is the known outcome of a row or sample.
type fate = sim.Fate

const unknown, acknowledged, refused, dropped = sim.Unknown, sim.Acknowledged, sim.Refused, sim.Dropped

// item is a row of a table, or a sample of a tenant. Its unique id determines the rest of its
// content.
type item struct {
	table  string // for example db/t0 or metrics/a, or target/a for a forwarded sample
	time   int64  // microseconds
	fate   fate
	sparse bool // the row contains only time and id
	bad    bool // the row is invalid
	twice  bool // may be stored twice, because its key may have been forgotten before the request was repeated
	way    way  // way of a forwarded sample
	must   int  // targets that must have the sample, one bit each; 0: any target
}

// model is a world with a service, and the expected results.
type model struct {
	*sim.World
	net     memnet.Network
	targets [2]*upstream

	mu       sync.Mutex
	items    map[int64]*item
	ids      int64
	requests []*request
	flying   map[*request]bool // requests in progress; true: one of the tables was altered meanwhile
	dropped  map[string]bool   // tables that a client tried to drop
	pinned   map[string]bool   // tables whose column v was set to float64
	declared map[int64]string  // types that were set for columns of a single row, by the id of the row
	lives    int
	over     bool // this life is over

	service *Service
	ways    []way              // possible ways of series
	way     way                // way of series in this life
	named   []int              // targets in the settings of this life
	first   map[string][]int64 // ids in the order of first arrival, for each place that must preserve the order
}

func newModel(w *sim.World) *model {
	m := &model{
		World: w, items: make(map[int64]*item), flying: make(map[*request]bool), dropped: make(map[string]bool), pinned: make(map[string]bool), first: make(map[string][]int64),
		declared: make(map[int64]string),
	}
	for i := range m.targets {
		m.targets[i] = m.newTarget(i)
	}
	return m
}

// window is the time for which keys are remembered.
const window = 2 * time.Minute

// flags returns the settings of a life.
func (m *model) flags(r *rand.Rand) []string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	flags := []string{
		"--data=/data", fmt.Sprintf("--wal-segment=%dKiB", 16+r.IntN(32)), "--wal-min-free=" + pick("0", "20KiB"), "--wal-reserve=" + pick("0", "30KiB"), "--wal-max=" + pick("0", "512KiB"),
		fmt.Sprint("--seal-rows=", 1+r.IntN(200)), fmt.Sprintf("--seal-age=%ds", 1+r.IntN(20)), "--max-body=64KiB", fmt.Sprint("--idempotency-window=", window),
		"--compression=none", fmt.Sprint("--landers=", 1+r.IntN(3)), "--timeout-shutdown=" + pick("1s", "10s", "90s"), "--node=n",
	}
	if m.way == toFiles {
		return flags
	}
	var urls []string
	for _, i := range m.named {
		urls = append(urls, m.targets[i].url)
	}
	flags = append(flags, "--relay.target="+strings.Join(urls, ","), "--relay.max-body=64KiB", "--relay.timeout=5s")
	if m.way.queues() {
		flags = append(flags, "--relay.queue=/queue", "--relay.queue-max=2MiB", "--relay.queue-tenant-max=1MiB",
			fmt.Sprint("--relay.queue-workers=", 1+r.IntN(8)), "--relay.queue-memory="+pick("1KiB", "64MiB"))
	}
	if m.way.replicates() {
		flags = append(flags, "--relay.replicate")
	}
	if m.way == postLiving {
		flags = append(flags, "--relay.dead-target=drop")
	}
	return flags
}

// start starts a service. stop ends it, and returns its error.
func (m *model) start() (stop func() error, err error) {
	m.mu.Lock()
	m.lives++
	m.over = false
	m.mu.Unlock()
	on := inMemory(m.Disk, &m.net)
	on.dial = m.dial
	s, err := newOn(on, settings(m.T, m.flags(m.Rand)...), "test", slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	stop = func() error {
		cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(time.Hour):
			m.Fatal("the service does not end")
			return nil
		}
	}
	select {
	case <-s.Ready():
		m.service = s
		return stop, nil
	case err := <-ended:
		cancel()
		return nil, errors.Join(errors.New("it ends"), err)
	case <-m.Off.Done():
	case <-time.After(time.Hour):
	}
	return nil, errors.Join(errors.New("it is not ready"), stop())
}

// live runs a life of the service, on a disk that may fail.
func (m *model) live() {
	var stop func() error
	started := m.Begin("/data/tables", "serve", func() (err error) {
		if !m.Well && !m.Small && m.Rand.IntN(3) == 0 {
			m.AlsoFail("the log's disk is full now and then", func(c faulty.Call) error {
				if c.Name == "WriteVec" && strings.HasPrefix(c.Path, "/data/wal/") && c.Rand.IntN(4) == 0 {
					return syscall.ENOSPC
				}
				return nil
			})
		}
		m.choose()
		m.loseKeys()
		stop, err = m.start()
		return err
	})
	if !started {
		return
	}
	var clients sync.WaitGroup
	for i := range 1 + m.Rand.IntN(4) {
		c := m.client(fmt.Sprint("198.51.100.", 1+i))
		clients.Go(c.work)
	}
	if m.Rand.IntN(2) == 0 {
		clients.Go(m.client("198.51.100.100").administer)
	}
	if m.Rand.IntN(4) == 0 { // the process or the machine stops while clients are sending
		time.Sleep(time.Duration(m.Rand.Int64N(int64(10 * time.Second))))
		m.Count("lives cut short", 1)
		m.endClients()
		m.Next()
		clients.Wait()
		_ = stop()
		return
	}
	clients.Wait()
	if m.Small && !m.Crashed() {
		m.recovers()
	}
	if m.Well {
		m.beside()
	}
	m.Phase("close")
	err := stop()
	m.endClients()
	m.Say("%d ids so far; stopped: %v", m.ids, err)
	if err == nil && !m.Crashed() {
		m.Count("ends in good order", 1)
		if m.Well { // otherwise the log may have failed to write them after the response
			m.settle()
		}
	}
	m.Next()
}

// endClients makes the clients end.
func (m *model) endClients() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.over = true
}

func (m *model) isOver() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.over || m.Crashed()
}

// settle acknowledges rows that were queued for the disk. It is called after a life without faults
// that ended normally.
func (m *model) settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := 0
	for _, t := range m.targets {
		t.settle()
	}
	for _, q := range m.requests {
		if !q.queued || q.life != m.lives {
			continue
		}
		q.queued, q.fate = false, acknowledged
		for _, id := range q.ids {
			if it := m.items[id]; it.fate == unknown && !q.altered && !m.dropped[it.table] {
				it.fate = acknowledged
				n++
			}
		}
	}
	m.Count("async: acknowledged", n)
}

// recovers frees space on the disk, and checks that the service becomes ready and accepts rows.
func (m *model) recovers() {
	c := m.client("198.51.100.200")
	before := c.series() // there may be no space for it
	status := c.send(before)
	m.Sound()
	m.Count("small disks that recover", 1)
	m.await(c, 5*time.Minute)
	if status != 0 {
		c.resend(before)
	}
	if q := c.rows("json rows"); c.send(q) != http.StatusNoContent && !m.Crashed() { // the machine may crash during the request
		m.Fatal("when there is room again, the service answers %d", q.status)
	}
}

// await waits until /ready reports that the service is ready.
func (m *model) await(c *client, most time.Duration) {
	m.Await(most, func() error {
		if m.Crashed() {
			return nil
		}
		if status, text := c.do("GET", "/ready", nil); status != http.StatusOK {
			return fmt.Errorf("on a sound disk /ready answers %d: %s", status, text)
		}
		return nil
	})
}

// sorted returns the ids of all items in ascending order.
func (m *model) sorted() []int64 { return slices.Sorted(maps.Keys(m.items)) }
