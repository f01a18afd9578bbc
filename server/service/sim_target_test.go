package service

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"time"

	"github.com/slipstream-go/slipstream/server/memnet"
)

// state is the state of a target in a life.
type state int

const (
	sound       state = iota
	unreliable        // posts fail at random
	interrupted       // like unreliable, and the target is cut off for some time
	cutOff
	silent // accepts connections, but does not respond
	slow
)

func (s state) String() string {
	return [...]string{sound: "sound", unreliable: "unreliable", interrupted: "interrupted", cutOff: "cut off", silent: "silent", slow: "slow"}[s]
}

// upstream is a target of the relay. It fails at random. Each tenant has its own random generator,
// so its posts do not depend on the order of other tenants' posts. The lock of the model guards it.
type upstream struct {
	m      *model
	url    string
	rand   *rand.Rand
	chance map[string]*rand.Rand

	state    state
	from, to time.Time // the time in which it is cut off

	got     map[int64]int
	told    map[int64]bool // samples that it has acknowledged in this life
	settled map[int64]bool // samples that it has acknowledged in lives that ended normally
}

func (m *model) newTarget(i int) *upstream {
	t := &upstream{
		m: m, rand: rand.New(rand.NewPCG(m.Rand.Uint64(), 0)), chance: make(map[string]*rand.Rand),
		got: make(map[int64]int), told: make(map[int64]bool), settled: make(map[int64]bool),
	}
	for _, tenant := range seriesTenants {
		t.chance[tenant] = rand.New(rand.NewPCG(m.Rand.Uint64(), 0))
	}
	l := m.net.Listen()
	server := &http.Server{Handler: t}
	go server.Serve(l)
	m.T.Cleanup(func() { server.Close() })
	t.url = fmt.Sprint("http://", l.Addr())
	return t
}

// begin sets the state of the target for the next life.
func (t *upstream) begin(s state) {
	clear(t.told)
	t.state = s
	t.from = time.Now().Add(time.Duration(t.rand.Int64N(int64(20 * time.Second))))
	t.to = t.from.Add(time.Duration(t.rand.Int64N(int64(2 * time.Minute))))
	if t.state == cutOff {
		t.from, t.to = time.Now(), time.Now().Add(1000*time.Hour) // longer than any life
	}
}

// away reports whether the target is mostly unavailable during the whole life.
func (t *upstream) away() bool { return t.state == cutOff || t.state == silent || t.state == slow }

// gone reports whether the target is currently cut off.
func (t *upstream) gone() bool {
	now := time.Now()
	return (t.state == cutOff || t.state == interrupted) && !now.Before(t.from) && now.Before(t.to)
}

// dial connects a service to a target.
func (m *model) dial(ctx context.Context, network, address string) (net.Conn, error) {
	m.mu.Lock()
	gone := false
	for _, t := range m.targets {
		gone = gone || t.url == "http://"+address && t.gone()
	}
	m.mu.Unlock()
	if gone {
		m.Count("target: no connection", 1)
		return nil, &net.OpError{Op: "dial", Net: network, Err: memnet.ErrRefused}
	}
	return m.net.Dial(ctx, network, address)
}

// abort ends a connection without an answer.
func (t *upstream) abort(why string) {
	t.m.Count("target: "+why, 1)
	panic(http.ErrAbortHandler)
}

// isGone calls gone with the lock of the model.
func (t *upstream) isGone() bool {
	t.m.mu.Lock()
	defer t.m.mu.Unlock()
	return t.gone()
}

func (t *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m, tenant := t.m, r.Header.Get("X-Scope-OrgID")
	ids, err := samplesIn(r)
	if err != nil || t.chance[tenant] == nil {
		m.T.Errorf("a target got a post of the tenant %q: %v", tenant, err)
		return
	}
	takes, n := t.roll(tenant)
	select {
	case <-time.After(takes):
	case <-r.Context().Done():
		t.abort("no answer")
	}
	if m.isOver() { // after a crash of the machine, no response is sent
		panic(http.ErrAbortHandler)
	}
	if t.isGone() {
		t.abort("cut off")
	}
	t.check(tenant, ids)
	for _, id := range ids {
		if poison(id) {
			m.Count("target: refuses", 1)
			http.Error(w, "of a test", http.StatusBadRequest)
			return
		}
	}
	switch {
	case n < 2:
		m.Count("target: 500", 1)
		http.Error(w, "of a test", http.StatusInternalServerError)
	case n < 3:
		m.Count("target: 429", 1)
		w.Header().Set("Retry-After", "2")
		http.Error(w, "of a test", http.StatusTooManyRequests)
	case n < 4:
		select {
		case <-r.Context().Done():
		case <-time.After(20 * time.Second):
		}
		t.abort("hangs")
	case n < 6:
		t.take(tenant, ids, false)
		t.abort("answer lost")
	default:
		t.take(tenant, ids, r.Context().Err() == nil)
	}
}

// roll returns the duration of a post, and a number that determines its outcome. From 6 on, the
// post succeeds.
func (t *upstream) roll(tenant string) (takes time.Duration, n int) {
	t.m.mu.Lock()
	defer t.m.mu.Unlock()
	switch t.state {
	case unreliable, interrupted:
		return time.Millisecond, t.chance[tenant].IntN(20)
	case silent:
		return time.Hour, 19
	case slow:
		t.m.Count("target: slow", 1)
		return 4 * time.Second, 19
	}
	return time.Millisecond, 19
}

// poison reports whether the targets always reject a sample.
func poison(id int64) bool { return id%13 == 0 }

// check checks that the samples belong to the tenant, and that none was acknowledged before: by
// this target or, without replication, by any target.
func (t *upstream) check(tenant string, ids []int64) {
	m := t.m
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		it := m.items[id]
		if it == nil || it.table != "target/"+tenant {
			m.T.Errorf("a target got the sample %d of %+v under the name %q", id, it, tenant)
			continue
		}
		for _, one := range m.targets {
			if it.way.replicates() && one != t {
				continue
			}
			if one.settled[id] || one.told[id] && (m.Well || !it.way.queues()) {
				m.T.Errorf("%v: the sample %d of %s comes again, and it was taken", it.way, id, it.table)
			}
		}
	}
}

// take stores samples. told means that the relay gets the response.
func (t *upstream) take(tenant string, ids []int64, told bool) {
	m := t.m
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if told {
			t.told[id] = true
			m.Count("target: told", 1)
		}
		if m.lifeOf(id) < m.lives {
			m.Count("target: deliveries in a later life", 1)
			if m.items[id].way == queueEach && t.got[id] == 0 && m.holders(id) != 0 {
				m.Count("copies that catch up", 1)
			}
		}
		place := fmt.Sprintf("tenant %s, by %v", tenant, m.items[id].way)
		has := m.holders(id) != 0
		if m.items[id].way.replicates() { // otherwise both targets write to the same store
			place += ", to " + t.url
			has = t.got[id] > 0
		}
		if !has {
			m.first[place] = append(m.first[place], id)
		}
		t.got[id]++
	}
}

// settle records that the samples of this life must not arrive again. It is called after the
// service has ended normally.
func (t *upstream) settle() { maps.Copy(t.settled, t.told) }

// serveAll makes both targets accept everything except poison, and the service use a queue with a
// copy for each target.
func (m *model) serveAll() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.way, m.named = queueEach, []int{0, 1}
	for _, t := range m.targets {
		t.begin(sound)
	}
}

// samplesIn returns the values of the samples in a post.
func samplesIn(r *http.Request) (ids []int64, err error) {
	req, err := postIn(r)
	for _, series := range req.Series {
		for _, v := range series.Samples {
			ids = append(ids, int64(v.Value))
		}
	}
	return ids, err
}
