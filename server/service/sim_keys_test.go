package service

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Requests with keys: repeated requests, other requests with the same key, and several requests
// with one key at once.

// The service remembers at most as many keys as fit into an eighth of a segment of the log. In this
// test, this is 48 keys, and 19 keys on the smallest disk. The clients use fewer keys, because they
// may send several requests at once.
const (
	mostKeys = 40
	fewKeys  = 11 // on a small disk
)

// keyLimit returns the maximum number of keys that the service has to remember in this life.
func (m *model) keyLimit() int {
	if m.Small {
		return fewKeys
	}
	return mostKeys
}

// loseKeys marks the keys that the service may forget when it starts on a small disk.
func (m *model) loseKeys() {
	if m.keys() <= m.keyLimit() {
		return
	}
	for _, q := range m.requests {
		q.lost = true
	}
}

// keys returns the number of keys that the service may still remember.
func (m *model) keys() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, q := range m.requests {
		if q.key != "" && time.Since(q.ended) <= window {
			n++
		}
	}
	return n
}

// repeat sends a request with a key again, or a different request with the same key.
func (c *client) repeat() {
	m := c.m
	m.mu.Lock()
	var known []*request
	for _, q := range m.requests {
		if _, flying := m.flying[q]; q.key != "" && !q.lost && q.kind != "key" && !flying && q.fate != refused {
			known = append(known, q)
		}
	}
	if len(known) == 0 {
		m.mu.Unlock()
		return
	}
	q := known[c.IntN(len(known))]
	age := time.Since(q.begun)
	over := time.Since(q.ended) > window+time.Second
	before, life := q.fate, q.life
	m.flying[q] = false // so that no other client repeats it meanwhile
	m.mu.Unlock()

	switch {
	case over:
		again := c.batch("json rows")
		c.setKey(again, q.key)
		if status := c.send(again); status == 422 {
			m.T.Errorf("the key %s is not free %v after the request", q.key, age)
		} else if status/100 == 2 {
			m.Count("key: after the window", 1)
		}
		m.mu.Lock()
		q.key = "" // the key now belongs to the other request
		for _, r := range q.rivals {
			r.key = ""
		}
		delete(m.flying, q)
		m.mu.Unlock()
	case age < window-15*time.Second && (before == unknown || c.IntN(3) > 0):
		all := []*attempt{{q: q}}
		if c.IntN(3) == 0 {
			all = c.copies(q)
		}
		c.together(all...)
		if slices.ContainsFunc(all, (*attempt).took) {
			if len(all) > 1 {
				m.Count("at once: a request of before", 1)
			}
			m.Count("key: again", 1)
			if life < m.lives {
				m.Count("key: again in another life", 1)
			}
			if before == unknown {
				m.Count("key: again after an unknown fate", 1)
			}
		}
	case age < window-15*time.Second:
		other := c.batch("json rows")
		c.setKey(other, q.key)
		other.wrong, other.kind = true, "key"
		began := q.begun
		status, text := c.do("POST", other.path, other.body, other.header...)
		m.mu.Lock()
		if status/100 == 2 && time.Since(began) < window {
			m.T.Errorf("a request with the key %s of another was answered with %d: %s", q.key, status, text)
		}
		for _, id := range other.ids {
			if m.items[id].fate = refused; status == 0 || status == 500 || time.Since(began) >= window {
				m.items[id].fate = unknown
			}
		}
		if status == 422 {
			m.Count("key: other body", 1)
		}
		delete(m.flying, q)
		m.mu.Unlock()
	default: // the key may be remembered or not
		m.mu.Lock()
		delete(m.flying, q)
		m.mu.Unlock()
	}
}

// giveKey gives a request its own key, and setKey gives it the key of another request.
func (c *client) giveKey(q *request) { c.setKey(q, fmt.Sprint("key", q.ids[0])) }

func (c *client) setKey(q *request, key string) {
	q.key = key
	q.header = append(q.header[:4:4], "Idempotency-Key", key)
}

// attempt is one sending of a request.
type attempt struct {
	q *request
	response
	after time.Duration // delay after the first attempt
	cut   time.Duration // time after which the client gives up; 0: never
	async bool          // the client does not wait for the disk

	sent, answered time.Time
}

func (a *attempt) took() bool { return a.status/100 == 2 }

// during reports whether a was in progress when the response to the other attempt arrived. The
// other attempt must have taken some time.
func (a *attempt) during(other *attempt) bool {
	return a != other && other.answered.After(other.sent) && a.sent.Before(other.answered) && !a.answered.Before(other.answered)
}

// copies returns several attempts of a request, which are sent almost at once. Some clients give up
// early, and some do not wait for the disk.
func (c *client) copies(q *request) (all []*attempt) {
	for range 2 + c.IntN(3) {
		a := &attempt{q: q, async: !q.partial && c.IntN(6) == 0}
		if c.IntN(5) == 0 {
			a.cut = time.Duration(1+c.IntN(300)) * time.Microsecond
		}
		all = append(all, a)
	}
	return all
}

// atOnce sends several requests with one key at once: copies of one request, perhaps copies of a
// different request, and perhaps an invalid request.
func (c *client) atOnce() {
	if c.m.keys() >= c.m.keyLimit() {
		return
	}
	q := c.batch(formats[c.IntN(len(formats))])
	c.giveKey(q)
	all := c.copies(q)
	if c.IntN(2) == 0 {
		other := c.batch(formats[c.IntN(len(formats))])
		c.setKey(other, q.key)
		q.rivals, other.rivals = []*request{other}, []*request{q}
		all = append(all, c.copies(other)[:1+c.IntN(2)]...)
	}
	if c.IntN(4) == 0 {
		wrong := c.wrong([]string{"a string for an int", "half a body", "second table of a batch", "wrong line"}[c.IntN(4)])
		c.setKey(wrong, q.key)
		wrong.rivals = q.rivals
		all = append(all, &attempt{q: wrong})
	}
	c.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	c.together(all...)
}

// together sends attempts with one key at once, and records the fates of their items.
func (c *client) together(all ...*attempt) {
	m := c.m
	m.mu.Lock()
	fresh := make(map[*request]bool)
	var after time.Duration
	for _, a := range all {
		if _, known := fresh[a.q]; !known {
			fresh[a.q] = a.q.begun.IsZero()
			m.sent(a.q)
		}
		if len(all) > 1 { // at different moments, so that a seed always gives the same order
			after += time.Duration(1+c.IntN(100)) * []time.Duration{1, 1, 1, time.Microsecond}[c.IntN(4)]
			a.after = after
		}
	}
	m.mu.Unlock()

	var answers sync.WaitGroup
	for _, a := range all {
		answers.Go(func() { c.attempt(a) })
	}
	answers.Wait()

	m.mu.Lock()
	defer m.mu.Unlock()
	for q := range fresh {
		m.back(q)
	}
	m.met(all)
	// Attempts that stored something come first. Among these, asynchronous attempts come first,
	// because the log may have lost their rows.
	slices.SortStableFunc(all, func(a, b *attempt) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, a := range all {
		if a.q.key != "" && a.cut == 0 && a.answered.Sub(a.sent) >= c.http.Timeout {
			m.T.Errorf("%s: the request with the key %s is not answered: %s", a.q.kind, a.q.key, a.text)
		}
		m.note(a.q, a.response, fresh[a.q], a.async)
		fresh[a.q] = false
	}
	if all[0].q.key != "" {
		m.judge(all)
	}
}

func (a *attempt) rank() int {
	switch {
	case a.again:
		return 2
	case a.async:
		return 0
	}
	return 1
}

// attempt sends a request once.
func (c *client) attempt(a *attempt) {
	time.Sleep(a.after)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if a.cut > 0 {
		time.AfterFunc(a.cut, cancel)
	}
	path := a.q.path
	if a.async {
		path += "?durability=async"
	}
	a.sent = time.Now()
	a.response = c.ask(ctx, "POST", path, a.q.body, a.q.header...)
	a.answered = time.Now()
}

// judge compares the fates of requests with one key. At most one of them is stored. A request may
// get 422 only if another one is stored.
func (m *model) judge(all []*attempt) {
	var bodies []*request // valid requests, which may be stored
	for _, a := range all {
		for _, q := range append([]*request{a.q}, a.q.rivals...) {
			if !q.wrong && !slices.Contains(bodies, q) {
				bodies = append(bodies, q)
			}
		}
		if a.q.wrong {
			a.q.key = ""
		}
	}
	late := func(q *request) bool { // the key may have been forgotten
		return time.Since(q.begun) > window && (len(all) > 1 || q.begun.Before(all[0].sent))
	}
	if slices.ContainsFunc(bodies, late) {
		for i, q := range bodies {
			for _, id := range q.ids {
				m.items[id].twice = true
			}
			if q.rivals = nil; i > 0 {
				q.key = ""
			}
		}
		return
	}
	var stored *request
	for _, q := range bodies {
		if q.fate != acknowledged {
			continue
		}
		if stored != nil {
			m.T.Errorf("%s and %s have the key %s, and both are stored: %v and %v", stored.kind, q.kind, q.key, stored.ids, q.ids)
		}
		stored = q
	}
	for _, a := range all {
		if a.status != http.StatusUnprocessableEntity {
			continue
		}
		if i := slices.IndexFunc(bodies, func(q *request) bool { return q != a.q && q.fate == unknown }); stored == nil && i >= 0 {
			stored = bodies[i]
			m.acknowledge(stored)
		}
		if stored == nil || stored == a.q {
			m.T.Errorf("%s with the key %s is told that it is another request, and there is none: %v: %s", a.q.kind, a.q.key, a.q.ids, a.text)
		}
	}
	for _, q := range bodies {
		if stored != nil && q != stored {
			m.rebut(q)
			q.key = ""
		}
	}
}

// acknowledge records that a request is stored, although its client got no response that says so.
func (m *model) acknowledge(q *request) {
	q.fate, q.queued = acknowledged, false
	for _, id := range q.ids {
		if it := m.items[id]; it.bad {
			it.fate = refused
		} else if it.fate == unknown && !q.altered {
			it.fate = acknowledged
		}
	}
	m.Count("at once: known by another's answer", 1)
}

// rebut records that a request is not stored, because another request with its key is.
func (m *model) rebut(q *request) {
	q.fate, q.queued = refused, false
	for _, id := range q.ids {
		if it := m.items[id]; it.fate == unknown {
			it.fate = refused
		}
	}
}

// met counts how attempts with one key met each other. It checks that attempts that waited for a
// stored one get their response at the same time.
func (m *model) met(all []*attempt) {
	for _, a := range all {
		for _, b := range all {
			stored := b.took() && !b.again && !b.async
			switch {
			case a.q == b.q && a.cut > 0 && a.status == 0 && stored:
				m.Count("at once: a client that gives up", 1)
			case a.again && b.async && b.took() && !b.again && a.sent.After(b.sent) && a.answered.After(a.sent):
				m.Count("at once: answered as the one that was queued", 1)
			case !a.during(b):
			case a.again && stored:
				m.Count("at once: answered as the one that is stored", 1)
				if late := a.answered.Sub(b.answered); late > 0 {
					m.T.Errorf("%s: the request with the key %s is stored, and the same one beside it answered %v later", a.q.kind, a.q.key, late)
				}
			case a.status == http.StatusUnprocessableEntity && stored && !a.q.wrong:
				m.Count("at once: other body", 1)
			case a.took() && !a.again && !a.async && b.status == http.StatusServiceUnavailable:
				m.Count("at once: stored after the refusal of another", 1)
			case a.status == http.StatusServiceUnavailable && b.status == http.StatusServiceUnavailable:
				m.Count("at once: refused after the refusal of another", 1)
			case a.status == http.StatusInternalServerError && b.status == http.StatusInternalServerError && m.Crashed():
				m.Count("at once: the machine stops", 1)
			case a.status == http.StatusInternalServerError && b.status == http.StatusInternalServerError:
				m.Count("at once: the disk fails", 1)
			}
		}
		if len(all) > 1 && a.q.wrong {
			m.Count("at once: beside a wrong one", 1)
		}
	}
}
