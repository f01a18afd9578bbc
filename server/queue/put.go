package queue

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/server/wal"
)

// An order consists of the sequence number of the record that first contained the item, and the
// item's index in that record. Another split of the 64 bits would also work, but an order needs all
// 64 bits: at 100,000 records per second, the 48 bits of the sequence number last for 89 years.
const (
	indexBits = 16
	maxItems  = 1 << indexBits // maximum number of items in a Put
	maxTenant = math.MaxUint16 // bytes of a tenant's name
)

// payloads is a pool of buffers for the payloads of records. Large buffers are not kept.
var payloads = sync.Pool{New: func() any { return new([]byte) }}

const keptPayload = 4 << 20

func freePayload(b *[]byte) {
	if cap(*b) <= keptPayload {
		payloads.Put(b)
	}
}

// Put adds either all items or no item. When it returns nil, the items are on disk. Items are
// queued in the order of the log: if one call of Put returns before another call begins, the items
// of the first call precede the items of the second. The caller must not change bodies until Put
// returns.
//
// The error is a [*FullError], [ErrClosed] or an error of the log. Of the log's errors,
// [wal.ErrLowDisk] and [wal.ErrFull] are temporary. After [wal.ErrFailed], the items may be in the
// queue nevertheless. After any other error, they are not in the queue.
func (q *Queue) Put(items []Item) error {
	if len(items) == 0 {
		return nil
	}
	if err := checkItems(items); err != nil {
		return err
	}
	coming, err := q.admit(items)
	if err != nil {
		return err
	}
	b := payloads.Get().(*[]byte)
	defer freePayload(b)
	r := &wal.Record{Type: typeItems, Codec: version, Time: time.Now().UnixMicro(), Payload: (*b)[:0]}
	for i, it := range coming {
		body := items[i].Body
		it.body = bytes.Clone(it.body)
		it.time, it.sum = r.Time, bodySum(body)
		before := len(r.Payload)
		r.Payload = appendEntry(r.Payload, it, body, false)
		it.offset = int64(len(r.Payload) - len(body))
		it.head = uint32(int(it.offset) - before)
	}
	*b = r.Payload
	if err = q.append(r, func(s *segment) { q.arrive(coming, r, s) }); err == nil {
		return nil
	}
	q.mu.Lock()
	q.dismiss(coming)
	q.mu.Unlock()
	if errors.Is(err, wal.ErrClosed) {
		return ErrClosed
	}
	return fmt.Errorf("queue: %w", err)
}

func checkItems(items []Item) error {
	if len(items) > maxItems {
		return fmt.Errorf("queue: %d items in one call exceed the maximum of %d", len(items), maxItems)
	}
	size := 0
	for i := range items {
		if n := len(items[i].Tenant); n > maxTenant {
			return fmt.Errorf("queue: tenant name of %d bytes exceeds the maximum of %d", n, maxTenant)
		}
		if size += len(items[i].Body); size > math.MaxInt32/2 {
			return fmt.Errorf("queue: items in one call exceed %d bytes", math.MaxInt32/2)
		}
	}
	return nil
}

// admit counts the items against the limits, or returns an error. It keeps bodies up to the limit
// of Options.Memory, without copying them yet.
func (q *Queue) admit(items []Item) ([]*item, error) {
	coming := make([]*item, 0, len(items))
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, ErrClosed
	}
	var full *FullError
	next := &full
	for i := range items {
		from := &items[i]
		t := q.tenantOf(from.Tenant)
		it := &item{tenant: t, codec: from.Codec, note: from.Note, size: uint32(len(from.Body))}
		if err := q.checkRoom(t, it.cost()); err != nil {
			q.rest(t)
			if full == nil || !err.All {
				*next, next = err, &err.Next
			}
			if err.All {
				break
			}
			continue
		}
		q.rouse(t)
		t.coming++
		q.hold(t, it.cost())
		if size := int64(it.size); size > 0 && q.memory+size <= q.o.Memory {
			it.body = from.Body
			q.memory += size
		}
		coming = append(coming, it)
	}
	if full != nil {
		q.dismiss(coming)
		return nil, full
	}
	return coming, nil
}

// checkRoom returns nil if the limits allow `cost` additional bytes for the tenant t. With
// DropOldest, it calculates as if the tenant's old items were already dropped. They are dropped
// later, when the new items are on disk.
func (q *Queue) checkRoom(t *tenant, cost int64) *FullError {
	for _, limit := range []int64{q.o.MaxTenantBytes, q.o.MaxGroupBytes, q.o.MaxBytes} {
		if q.over(cost, limit) {
			return &FullError{Tenant: t.name, Held: t.bytes, Limit: limit, Never: true}
		}
	}
	droppable := int64(0)
	if q.o.DropOldest {
		droppable = t.bytes
	}
	if q.over(t.bytes-droppable+cost, q.o.MaxTenantBytes) {
		return &FullError{Tenant: t.name, Held: t.bytes, Limit: q.o.MaxTenantBytes}
	}
	if limit := t.limit(q.o.MaxGroupBytes); q.over(t.group.bytes-droppable+cost, limit) {
		return &FullError{Tenant: t.name, Held: t.group.bytes, Limit: limit, Group: true, Kept: limit < q.o.MaxGroupBytes}
	}
	if limit := t.limit(q.o.MaxBytes); q.over(q.bytes-droppable+cost, limit) {
		kept := limit < q.o.MaxBytes
		return &FullError{Tenant: t.name, Held: q.bytes, Limit: limit, All: !kept, Kept: kept}
	}
	return nil
}

// keptShare defines the reserve in the limits that tenants share. One eighth of each limit is
// reserved for tenants whose items the target accepts. So tenants whose items the target does not
// accept never fill up the queue for the others.
const keptShare = 8

// limit returns the part of the shared limit `most` that the tenant may use: the whole limit, or
// all except the reserve.
func (t *tenant) limit(most int64) int64 {
	if t.pause > 0 { // the last call ended with Retry
		most -= most / keptShare
	}
	return most
}

// dismiss removes items that did not reach the disk.
func (q *Queue) dismiss(coming []*item) {
	for _, it := range coming {
		t := it.tenant
		t.coming--
		q.hold(t, -it.cost())
		q.memory -= int64(len(it.body))
		q.rest(t)
	}
}

// append writes a record to the log. When the record is on disk, append calls the function `arrive`
// with the record's segment. These calls are made in the order of the log, with the lock held.
// After them, the log calls the method `committed`.
func (q *Queue) append(r *wal.Record, arrive func(*segment)) error {
	return q.log.Append(r, func(error) {
		q.mu.Lock()
		defer q.mu.Unlock()
		arrive(q.segmentOf(r))
	})
}

// committed starts deliveries after a commit. It runs once per commit, so that items of the same
// commit can be delivered together.
func (q *Queue) committed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dispatch()
}

// arrive adds the items of r to the lines of their tenants.
func (q *Queue) arrive(items []*item, r *wal.Record, s *segment) {
	for i, it := range items {
		it.order = r.Seq<<indexBits | uint64(i)
		q.place(it, s, r.Place.Offset+it.offset, int(it.head))
		it.tenant.coming--
		q.enter(it)
	}
	if q.o.DropOldest {
		for _, it := range items {
			q.trim(it.tenant)
		}
	}
}
