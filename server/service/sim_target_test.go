package service

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// seriesTenants are those of Remote Write.
var seriesTenants = []string{"a", "b", "c"}

// poison reports whether the target never takes a sample.
func poison(id int64) bool { return id%13 == 0 }

// upstream returns the target: it fails for each tenant by chance of its own, so that one tenant's posts do not depend on the order of
// others'.
func (m *model) upstream() http.Handler {
	chance := make(map[string]*rand.Rand)
	for _, tenant := range seriesTenants {
		chance[tenant] = rand.New(rand.NewPCG(m.Rand.Uint64(), 0))
	}
	var mu sync.Mutex
	roll := func(tenant string) int {
		mu.Lock()
		defer mu.Unlock()
		return chance[tenant].IntN(20)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant := r.Header.Get("X-Scope-OrgID")
		ids, err := m.samplesOf(r)
		if err != nil || chance[tenant] == nil {
			m.T.Errorf("the target got a post of the tenant %q: %v", tenant, err)
			return
		}
		time.Sleep(time.Millisecond)
		if m.isOver() { // a machine that is off sends nothing
			panic(http.ErrAbortHandler)
		}
		m.mu.Lock()
		sound := m.sound
		for _, id := range ids {
			if it := m.items[id]; it == nil || it.table != "queue/"+tenant {
				m.T.Errorf("the target got the sample %d of %+v under the name %q", id, it, tenant)
			}
		}
		m.mu.Unlock()
		for _, id := range ids {
			if poison(id) {
				m.Count("target: refuses", 1)
				http.Error(w, "of a test", http.StatusBadRequest)
				return
			}
		}
		n := roll(tenant)
		if sound {
			n = 19
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
			m.Count("target: hangs", 1)
			select {
			case <-r.Context().Done():
			case <-time.After(20 * time.Second):
			}
			panic(http.ErrAbortHandler)
		case n < 6:
			m.Count("target: answer lost", 1)
			m.take(tenant, ids)
			panic(http.ErrAbortHandler)
		default:
			m.take(tenant, ids)
		}
	})
}

// take stores samples at the target.
func (m *model) take(tenant string, ids []int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range ids {
		if m.got[id]++; m.got[id] == 1 {
			m.first[tenant] = append(m.first[tenant], id)
		}
		if m.lifeOf(id) < m.lives {
			m.Count("target: deliveries in a later life", 1)
		}
	}
}

// samplesOf returns the values of a post.
func (m *model) samplesOf(r *http.Request) (ids []int64, err error) {
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		raw, err = s2.Decode(nil, raw)
	}
	var req remotewrite.Request
	if err == nil {
		err = remotewrite.Decode(raw, remotewrite.V1, &req)
	}
	for _, series := range req.Series {
		for _, v := range series.Samples {
			ids = append(ids, int64(v.Value))
		}
	}
	return ids, err
}

// series is a request of Remote Write: a sample for each of some tenants.
func (c *client) series() *request {
	m := c.m
	q := &request{kind: "remote write", path: "/api/v1/push", header: []string{"Content-Type", "application/x-protobuf", "Content-Encoding", "snappy"}, clients: c.host}
	place := "metrics/"
	if m.queueing {
		q.kind, place = "queue", "queue/"
	}
	var list []remotewrite.Series
	for _, i := range c.Perm(len(seriesTenants))[:1+c.IntN(3)] {
		id, _ := m.newItem(place + seriesTenants[i])
		q.ids = append(q.ids, id)
		list = append(list, seriesOf(seriesTenants[i], "m_total", id, "pad", strings.Repeat("x", c.IntN(200))))
	}
	if c.IntN(10) == 0 { // answered with 400: it is never taken, the others are
		id, it := m.newItem(place + "a")
		it.fate, it.bad = refused, true
		list = append(list, seriesOf("a", "", id))
		q.partly = true
	}
	q.body = s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: list}))
	return q
}

// nameless is a request of a series without a name alone, which is refused.
func (c *client) nameless() *request {
	place := "metrics/a"
	if c.m.queueing {
		place = "queue/a"
	}
	id, _ := c.m.newItem(place)
	body := s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{seriesOf("a", "", id)}}))
	return &request{kind: "refused: series without a name", path: "/api/v1/push", header: []string{"Content-Type", "application/x-protobuf", "Content-Encoding", "snappy"}, ids: []int64{id}, body: body, wrong: true}
}

// delivered compares what the target got with what was acknowledged.
func (m *model) delivered() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.sorted() {
		it := m.items[id]
		if !strings.HasPrefix(it.table, "queue/") {
			continue
		}
		switch n := m.got[id]; {
		case it.fate == acknowledged && n == 0 && !poison(id):
			return fmt.Errorf("the sample %d of %s was acknowledged, and the target did not get it", id, it.table)
		case it.fate == refused && n > 0:
			return fmt.Errorf("the sample %d of %s was refused, and the target got it", id, it.table)
		}
	}
	for _, tenant := range seriesTenants {
		last := make(map[string]int64) // by client
		for _, id := range m.first[tenant] {
			who := m.requestOf(id).clients
			if id < last[who] {
				return fmt.Errorf("the target got the sample %d of the tenant %s after %d of the same client", id, tenant, last[who])
			}
			last[who] = id
		}
	}
	return nil
}
