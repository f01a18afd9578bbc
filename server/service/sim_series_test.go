package service

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// way is the destination of the series in a life.
type way int

const (
	toFiles    way = iota // to files
	queueAny              // to one of the targets, through the queue
	queueEach             // to each target, through the queue
	postAny               // to one of the targets, before the response
	postEach              // to each target, before the response
	postLiving            // like postEach, but a dead target may miss series
)

func (w way) String() string {
	return [...]string{
		toFiles: "remote write", queueAny: "queue", queueEach: "queue, replicated", postAny: "relay", postEach: "relay, replicated", postLiving: "relay, dead target dropped",
	}[w]
}

func (w way) queues() bool     { return w == queueAny || w == queueEach }
func (w way) replicates() bool { return w == queueEach || w == postEach || w == postLiving }

// seriesTenants are the tenants of Remote Write.
var seriesTenants = []string{"a", "b", "c"}

// choose chooses the way of the series and the states of the targets for the next life.
func (m *model) choose() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.way = m.ways[m.Rand.IntN(len(m.ways))]
	m.named = []int{0, 1}
	if n := m.Rand.IntN(4); !m.way.replicates() && n < 2 {
		m.named = []int{n}
	}
	for _, t := range m.targets {
		t.begin([]state{sound, sound, unreliable, unreliable, interrupted, cutOff, silent, slow}[m.Rand.IntN(8)])
	}
	if m.way == queueEach && m.Rand.IntN(3) > 0 { // for beside
		i := m.Rand.IntN(2)
		m.targets[i].begin(sound)
		m.targets[1-i].begin([]state{cutOff, silent, slow}[m.Rand.IntN(3)])
	}
	m.Say("series go by %v to the targets %v: %v, %v", m.way, m.named, m.targets[0].state, m.targets[1].state)
	if m.way == queueAny {
		for _, it := range m.items {
			if it.way == queueEach && it.fate == acknowledged {
				m.Count("copies that wait for a target without a name", 1)
			}
		}
	}
}

// newSample returns a sample that goes the way of this life.
func (m *model) newSample(tenant string) (int64, *item) {
	place := "target/"
	if m.way == toFiles {
		place = "metrics/"
	}
	id, it := m.newItem(place + tenant)
	m.mu.Lock()
	defer m.mu.Unlock()
	it.way = m.way
	for i, t := range m.targets {
		if m.way.replicates() && (m.way != postLiving || t.state == sound) {
			it.must |= 1 << i
		}
	}
	return id, it
}

func seriesBody(list ...remotewrite.Series) []byte {
	return s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: list}))
}

// series returns a Remote Write request with one sample for each of some tenants.
func (c *client) series() *request {
	m := c.m
	q := &request{kind: m.way.String(), way: m.way, path: "/api/v1/push", header: []string{"Content-Type", "application/x-protobuf", "Content-Encoding", "snappy"}, clients: c.host}
	var list []remotewrite.Series
	for _, i := range c.Perm(len(seriesTenants))[:1+c.IntN(3)] {
		id, _ := m.newSample(seriesTenants[i])
		q.ids = append(q.ids, id)
		list = append(list, seriesOf(seriesTenants[i], "m_total", id, "pad", strings.Repeat("x", c.IntN(200))))
	}
	q.partly = q.way != toFiles && !q.way.queues() && slices.ContainsFunc(q.ids, poison)
	if c.IntN(10) == 0 { // the response is 400: this series is rejected, and the others are accepted
		id, it := m.newSample("a")
		it.fate, it.bad = refused, true
		list = append(list, seriesOf("a", "", id))
		q.partly = true
	}
	q.body = seriesBody(list...)
	return q
}

// nameless returns a request that contains only a series without a name, so it must be rejected.
func (c *client) nameless() *request {
	id, _ := c.m.newSample("a")
	return &request{
		kind: "refused: series without a name", way: c.m.way, path: "/api/v1/push", header: []string{"Content-Type", "application/x-protobuf", "Content-Encoding", "snappy"},
		ids: []int64{id}, body: seriesBody(seriesOf("a", "", id)), wrong: true,
	}
}

// deliver sends a Remote Write request, and repeats it after a 5xx or 429, as Prometheus does, but
// not forever. Meanwhile its client sends no other request.
func (c *client) deliver(q *request) {
	c.send(q)
	c.resend(q)
}

func (c *client) resend(q *request) {
	status := q.status
	for range 5 {
		if status/100 != 5 && status != http.StatusTooManyRequests || c.m.isOver() {
			return
		}
		c.m.Count(q.kind+": sent again", 1)
		time.Sleep(time.Duration(c.Int64N(int64(10 * time.Second))))
		if status = c.send(q); status/100 == 2 {
			c.m.Count(q.kind+": acknowledged when sent again", 1)
		}
	}
}

// answered compares the response to a request without a queue with the samples that the targets
// have. With replication, a sound target must have each sample, whatever happened to the other
// target.
func (m *model) answered(q *request, text string) {
	told := q.status == http.StatusNoContent || q.status == http.StatusBadRequest && q.partly
	if !told && (q.status != http.StatusServiceUnavailable || m.over || m.Crashed()) { // after a crash, the targets do not answer
		return
	}
	for _, id := range q.ids {
		switch it := m.items[id]; {
		case it.bad:
		case poison(id):
			if q.status == http.StatusNoContent {
				m.T.Errorf("%s: the targets refuse the sample %d, and the answer is 204", q.kind, id)
			}
		case told && !m.arrived(id):
			m.T.Errorf("%s: the answer is %d, and of the targets %02b of %02b have the sample %d: %s", q.kind, q.status, m.holders(id), it.must, id, text)
		case it.way.replicates():
			for i, t := range m.targets {
				if t.state == sound && t.got[id] == 0 {
					m.T.Errorf("%s: the sound target %d does not have the sample %d after the answer %d: %s", q.kind, i, id, q.status, text)
				}
			}
			if told && m.holders(id) != 3 {
				m.Count("samples that a dead target misses", 1)
			}
		}
	}
	if told && q.status == http.StatusBadRequest {
		m.Count("relay: refused in part", 1)
	}
}

// holders returns the targets that have a sample, one bit each.
func (m *model) holders(id int64) (has int) {
	for i, t := range m.targets {
		has |= min(t.got[id], 1) << i
	}
	return has
}

// arrived reports whether all targets that must have a sample have it, and at least one target.
func (m *model) arrived(id int64) bool {
	has, must := m.holders(id), m.items[id].must
	return has != 0 && has&must == must
}

// beside checks that the queue delivers to a sound target without delay, while the other target is
// permanently away.
func (m *model) beside() {
	for i, t := range m.targets {
		if m.way != queueEach || t.state != sound || !m.targets[1-i].away() {
			continue
		}
		m.Count("lives beside a target that is away", 1)
		time.Sleep(time.Minute) // the other target's circuit opens
		c := m.client("198.51.100.202")
		c.deliver(c.series())
		c.http.CloseIdleConnections()
		m.Await(10*time.Second, func() error {
			if m.Crashed() {
				return nil
			}
			if id := m.lacks(t); id != 0 {
				return fmt.Errorf("the target %d, which is sound, does not get the sample %d while the other one is %v", i, id, m.targets[1-i].state)
			}
			return nil
		})
	}
}

// lacks returns a sample that the queue has acknowledged for each target, but that t does not have.
// It returns 0 if there is none.
func (m *model) lacks(t *upstream) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.sorted() {
		if it := m.items[id]; it.way == queueEach && it.fate == acknowledged && !poison(id) && t.got[id] == 0 {
			return id
		}
	}
	return 0
}

// delivered checks that the targets have the acknowledged samples, in order, and no rejected
// samples.
func (m *model) delivered() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range m.sorted() {
		it := m.items[id]
		switch {
		case it.way == toFiles:
		case it.fate == acknowledged && !poison(id) && !m.arrived(id):
			return fmt.Errorf("the sample %d of %s was acknowledged, by %v, and of the targets %02b of %02b have it", id, it.table, it.way, m.holders(id), it.must)
		case it.fate == refused && m.holders(id) != 0:
			return fmt.Errorf("the sample %d of %s was refused, and a target has it", id, it.table)
		}
	}
	for place, ids := range m.first {
		last := make(map[string]int64) // highest id so far, by client
		for _, id := range ids {
			who := m.requestOf(id).clients
			if id < last[who] {
				return fmt.Errorf("%s: the sample %d came after %d of the same client", place, id, last[who])
			}
			last[who] = id
		}
	}
	return nil
}
